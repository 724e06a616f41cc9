// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations of single examples: by mean and variance, by norms, by
// neighbours.

#include "../Graph/OperatorTable.h"
#include "FoldIntoWeights.h"
#include "Moments.h"

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

Value scaledAndShifted(TensorBuilder &build, Value x, Value scale,
                       Value shift) {
  Value scaled = product(build, x, scale);
  return shift ? sumOf(build, scaled, shift) : scaled;
}

LogicalResult buildInstanceNormalization(NodeImport &node) {
  if (failed(checkFloats(node, 3)))
    return failure();
  const OnnxTensor &x = node.operand(0);
  FailureOr<Moments> moments = momentsOf(node, x.value, dimsFrom(2, x.rank()));
  FailureOr<Value> scale = ofChannels(node, 1, x.rank(), x.shape()[1]);
  FailureOr<Value> shift = ofChannels(node, 2, x.rank(), x.shape()[1]);
  if (failed(moments) || failed(scale) || failed(shift))
    return failure();
  Value inverse = inverseDeviation(node.build, moments->variance,
                                   node.real("epsilon", 1e-5));
  Value normal = product(node.build, moments->centered, inverse);
  return node.setResult(0,
                        scaledAndShifted(node.build, normal, *scale, *shift));
}

/// The type in which moments are computed: `stash_type`.
FailureOr<OnnxElement> stashElement(NodeImport &node) {
  int64_t number = node.integer("stash_type", 1);
  std::optional<OnnxElement> element = onnxElement(number);
  if (!element || !isFloat(*element))
    return node.error() << "expected floats as stash_type, got "
                        << onnxElementName(number);
  return *element;
}

/// Operand 0 in the type in which moments are computed, and the dimensions that
/// are normalized: `axis` and all after it.
struct Layer {
  Value wide;
  OnnxElement stash;
  SmallVector<int64_t> dims;
};

FailureOr<Layer> layerOf(NodeImport &node) {
  if (failed(checkFloats(node)))
    return failure();
  const OnnxTensor &x = node.operand(0);
  FailureOr<int64_t> axis = node.dimension(node.integer("axis", -1), x.rank());
  FailureOr<OnnxElement> stash = stashElement(node);
  if (failed(axis) || failed(stash))
    return failure();
  return Layer{node.build.convert(x.value, x.element, *stash), *stash,
               dimsFrom(*axis, x.rank())};
}

LogicalResult buildLayerNormalization(NodeImport &node) {
  FailureOr<Layer> layer = layerOf(node);
  if (failed(layer))
    return failure();
  TensorBuilder &build = node.build;
  FailureOr<Moments> moments = momentsOf(node, layer->wide, layer->dims);
  if (failed(moments))
    return failure();
  Value inverse =
      inverseDeviation(build, moments->variance, node.real("epsilon", 1e-5));
  Value normal = build.convert(product(build, moments->centered, inverse),
                               layer->stash, node.operand(0).element);
  Value scaled = product(build, normal, asOperandZero(node, 1));
  if (scaled && node.has(2))
    scaled = sumOf(build, scaled, asOperandZero(node, 2));
  if (failed(node.setResult(0, scaled)) ||
      failed(node.setResult(1, moments->mean, layer->stash)))
    return failure();
  return node.setResult(2, inverse, layer->stash);
}

/// One over the root of the mean square of what is normalized.
FailureOr<Value> inverseRoot(NodeImport &node, const Layer &layer,
                             double defaultEpsilon) {
  FailureOr<Value> square =
      meanOf(node, product(node.build, layer.wide, layer.wide), layer.dims);
  if (failed(square))
    return failure();
  return inverseDeviation(node.build, *square,
                          node.real("epsilon", defaultEpsilon));
}

/// Result 1 is that of ONNX Runtime's form of the operator, which has another
/// name in front of version 23 of the standard's.
LogicalResult buildRmsNormalization(NodeImport &node) {
  FailureOr<Layer> layer = layerOf(node);
  if (failed(layer))
    return failure();
  TensorBuilder &build = node.build;
  FailureOr<Value> inverse = inverseRoot(node, *layer, 1e-5);
  if (failed(inverse))
    return failure();
  Value normal = build.convert(product(build, layer->wide, *inverse),
                               layer->stash, node.operand(0).element);
  if (failed(node.setResult(0, product(build, normal, asOperandZero(node, 1)))))
    return failure();
  return node.setResult(1, *inverse, layer->stash);
}

/// A layer's input, with another one and maybe a vector, operand `bias`, added
/// to it.
FailureOr<Value> sumWithSkip(NodeImport &node, unsigned bias) {
  if (failed(checkFloats(node)))
    return failure();
  if (node.operand(0).rank() == 0)
    return node.error() << "expected rows, got "
                        << NodeImport::describe(node.operand(0));
  for (unsigned result : {1U, 2U})
    if (node.wants(result))
      return node.error() << "result #" << result
                          << ", which is of training, is not supported";
  const OnnxTensor &x = node.operand(0);
  for (unsigned operand = 2; operand < node.operandCount(); ++operand)
    if (node.has(operand) &&
        (node.operand(operand).rank() != 1 ||
         node.operand(operand).shape() != x.shape().take_back()))
      return node.error() << "expected one number for each entry of a row as "
                          << "operand #" << operand << ", got "
                          << NodeImport::describe(node.operand(operand));
  Value sum = sumOf(node.build, x.value, node.operand(1).value);
  if (sum && node.has(bias))
    sum = sumOf(node.build, sum, node.operand(bias).value);
  if (!sum || cast<RankedTensorType>(sum.getType()).getShape() != x.shape())
    return LogicalResult(node.setResult(0, Value()));
  if (failed(node.setResult(3, sum)))
    return failure();
  return sum;
}

/// The last dimension of a layer's input, in f32 as ONNX Runtime computes it.
Layer rowsOf(NodeImport &node, Value sum) {
  return {node.build.convert(sum, node.operand(0).element, OnnxElement::Float),
          OnnxElement::Float,
          {node.operand(0).rank() - 1}};
}

LogicalResult buildSkipLayerNormalization(NodeImport &node) {
  FailureOr<Value> sum = sumWithSkip(node, 4);
  if (failed(sum))
    return failure();
  TensorBuilder &build = node.build;
  Layer rows = rowsOf(node, *sum);
  FailureOr<Moments> moments = momentsOf(node, rows.wide, rows.dims);
  if (failed(moments))
    return failure();
  Value inverse =
      inverseDeviation(build, moments->variance, node.real("epsilon", 1e-12));
  Value normal = build.convert(product(build, moments->centered, inverse),
                               rows.stash, node.operand(0).element);
  Value shift = node.has(3) ? node.operand(3).value : Value();
  return node.setResult(
      0, scaledAndShifted(build, normal, node.operand(2).value, shift));
}

LogicalResult buildSkipSimplifiedLayerNormalization(NodeImport &node) {
  FailureOr<Value> sum = sumWithSkip(node, 3);
  if (failed(sum))
    return failure();
  TensorBuilder &build = node.build;
  Layer rows = rowsOf(node, *sum);
  FailureOr<Value> inverse = inverseRoot(node, rows, 1e-12);
  if (failed(inverse))
    return failure();
  Value normal = build.convert(product(build, rows.wide, *inverse), rows.stash,
                               node.operand(0).element);
  return node.setResult(0, product(build, normal, node.operand(2).value));
}

/// Scale and shift have one number for each group, or since version 21 for each
/// channel.
LogicalResult buildGroupNormalization(NodeImport &node) {
  if (failed(checkFloats(node, 3)))
    return failure();
  const OnnxTensor &x = node.operand(0);
  int64_t groups = node.integer("num_groups", 0), channels = x.shape()[1];
  if (groups < 1 || channels % groups != 0)
    return node.error() << "cannot share " << channels << " channels among "
                        << groups << " groups";
  // Dimensions: batch, group, channel in its group, and the spatial ones.
  SmallVector<int64_t> apart{x.shape()[0], groups, channels / groups};
  llvm::append_range(apart, x.shape().drop_front(2));
  auto rank = static_cast<int64_t>(apart.size());
  Value parameters[2];
  for (unsigned operand = 1; operand < 3; ++operand) {
    const OnnxTensor &numbers = node.operand(operand);
    SmallVector<int64_t> shape(rank - 1, 1);
    shape[0] = groups;
    if (numbers.shape() == ArrayRef<int64_t>{channels})
      shape[1] = channels / groups;
    Value value = node.build.reshape(asOperandZero(node, operand), shape);
    if (!value)
      return node.setResult(0, value);
    parameters[operand - 1] = value;
  }
  TensorBuilder &build = node.build;
  Value split = build.reshape(x.value, apart);
  FailureOr<Moments> moments = momentsOf(node, split, dimsFrom(2, rank));
  if (failed(moments))
    return failure();
  Value inverse =
      inverseDeviation(build, moments->variance, node.real("epsilon", 1e-5));
  Value normal = product(build, moments->centered, inverse);
  Value result = scaledAndShifted(build, normal, parameters[0], parameters[1]);
  return node.setResult(0, result ? build.reshape(result, x.shape()) : result);
}

LogicalResult buildMeanVarianceNormalization(NodeImport &node) {
  if (failed(checkFloats(node, 1)))
    return failure();
  const OnnxTensor &x = node.operand(0);
  FailureOr<SmallVector<int64_t>> dims = node.dimensions(
      node.integers("axes").value_or(SmallVector<int64_t>{0, 2, 3}), x.rank());
  if (failed(dims))
    return failure();
  FailureOr<Moments> moments = momentsOf(node, x.value, *dims);
  if (failed(moments))
    return failure();
  Type type = x.elementType();
  return node.setResult(
      0, node.build.map({moments->centered, moments->variance}, type,
                        [&](ScalarBuilder &s, ValueRange v) {
                          // The standard adds this number to the deviation.
                          Value deviation = s.create<math::SqrtOp>(v[1]);
                          return s.div(
                              v[0], s.add(deviation, s.constant(type, 1e-9)));
                        }));
}

LogicalResult buildLpNormalization(NodeImport &node) {
  if (failed(checkFloats(node)))
    return failure();
  const OnnxTensor &x = node.operand(0);
  FailureOr<int64_t> axis = node.dimension(node.integer("axis", -1), x.rank());
  int64_t p = node.integer("p", 2);
  if (failed(axis))
    return failure();
  if (p != 1 && p != 2)
    return node.error() << "expected p of 1 or 2, got " << p;
  Type type = x.elementType();
  Value powers =
      node.build.map(x.value, type, [&](ScalarBuilder &s, ValueRange v) {
        return p == 1 ? s.abs(v[0]) : s.mul(v[0], v[0]);
      });
  Value sum = node.build.sum(powers, *axis);
  return node.setResult(
      0,
      node.build.map({x.value, sum}, type, [&](ScalarBuilder &s, ValueRange v) {
        Value norm = p == 1 ? v[1] : s.create<math::SqrtOp>(v[1]);
        Value zero = s.constant(type, 0);
        // Where there are only zeros, they stay.
        Value isZero = s.compare(Comparison::Equal, norm, zero);
        return s.select(isZero, zero, s.div(v[0], norm));
      }));
}

/// Each entry by the squares of its neighbours among the channels.
LogicalResult buildLrn(NodeImport &node) {
  if (failed(checkFloats(node, 2)))
    return failure();
  const OnnxTensor &x = node.operand(0);
  int64_t size = node.integer("size", 1), channels = x.shape()[1];
  if (size < 1 || size > (1 << 28))
    return node.error() << "expected a size of 1 or more, got " << size;
  TensorBuilder &build = node.build;
  Type type = x.elementType();
  SmallVector<int64_t> low(x.rank(), 0), high(x.rank(), 0);
  low[1] = (size - 1) / 2;
  high[1] = size - 1 - low[1];
  Value squares = build.pad(product(build, x.value, x.value), low, high,
                            build.scalar(type, 0));
  // The last loop is the neighbour.
  auto rank = static_cast<unsigned>(x.rank());
  MLIRContext *context = build.builder.getContext();
  SmallVector<AffineExpr> places, positions;
  for (unsigned dim = 0; dim < rank; ++dim)
    places.push_back(getAffineDimExpr(dim, context));
  positions = places;
  AffineExpr neighbour = getAffineDimExpr(rank, context);
  positions[1] = positions[1] + neighbour;
  SmallVector<AffineMap> maps{AffineMap::get(rank + 1, 0, positions, context),
                              AffineMap::get(rank + 1, 0, {neighbour}, context),
                              AffineMap::get(rank + 1, 0, places, context)};
  TensorBuilder::Sizes sizes = build.sizes(x.value);
  sizes[1] = build.builder.getIndexAttr(channels);
  Value window = build.empty(build.sizes(ArrayRef<int64_t>{size}), type);
  Value sums = build.structured(
      {squares, window}, build.filled(sizes, build.scalar(type, 0)), maps,
      [](ScalarBuilder &s, ValueRange v) { return s.add(v[2], v[0]); });
  double alpha = node.real("alpha", 1e-4) / static_cast<double>(size);
  double beta = node.real("beta", 0.75), bias = node.real("bias", 1);
  return node.setResult(
      0, build.map({x.value, sums}, type, [&](ScalarBuilder &s, ValueRange v) {
        Value base =
            s.add(s.constant(type, bias), s.mul(s.constant(type, alpha), v[1]));
        Value power = s.create<math::PowFOp>(base, s.constant(type, beta));
        return s.div(v[0], power);
      }));
}

/// Tries to make the normalization a part of the convolution in front of it.
FailureOr<bool> foldBatchNormalization(NodeImport &node) {
  if (!canFoldIntoWeights(node, 0))
    return false;
  std::vector<double> numbers[4];
  for (unsigned operand = 1; operand < 5; ++operand) {
    auto found = constantNumbers(node.operand(operand));
    if (!found)
      return false;
    numbers[operand - 1] = *found;
  }
  double epsilon = node.real("epsilon", 1e-5);
  auto &[scale, shift, mean, variance] = numbers;
  SmallVector<double> factors, shifts;
  for (std::size_t channel = 0; channel < scale.size(); ++channel) {
    double factor = scale[channel] / std::sqrt(variance[channel] + epsilon);
    factors.push_back(factor);
    shifts.push_back(shift[channel] - mean[channel] * factor);
    if (!std::isfinite(factor) || !std::isfinite(shifts.back()))
      return false;
  }
  return foldIntoWeights(node, 0, factors, shifts);
}

/// The running means of mean and variance after this batch.
LogicalResult setRunning(NodeImport &node, const Moments &moments) {
  double momentum = node.real("momentum", 0.9);
  for (unsigned result = 1; result < 3; ++result) {
    const OnnxTensor &before = node.operand(result + 2);
    Value now = node.build.reshape(
        result == 1 ? moments.mean : moments.variance, before.shape());
    Type type = before.elementType();
    now = node.build.convert(now, node.operand(0).element, before.element);
    Value running = node.build.map(
        {before.value, now}, type, [&](ScalarBuilder &s, ValueRange v) {
          return s.add(s.mul(v[0], s.constant(type, momentum)),
                       s.mul(v[1], s.constant(type, 1 - momentum)));
        });
    if (failed(node.setResult(result, running, before.element)))
      return failure();
  }
  return success();
}

LogicalResult buildBatchNormalization(NodeImport &node) {
  if (failed(checkFloats(node, 2)))
    return failure();
  const OnnxTensor &x = node.operand(0);
  int64_t rank = x.rank(), channels = x.shape()[1];
  SmallVector<Value> parameters;
  for (unsigned operand = 1; operand < 5; ++operand) {
    FailureOr<Value> numbers = ofChannels(node, operand, rank, channels);
    if (failed(numbers))
      return failure();
    parameters.push_back(*numbers);
  }
  bool isTraining = node.integer("training_mode", 0) != 0;
  Value mean = parameters[2], variance = parameters[3];
  if (isTraining) {
    SmallVector<int64_t> dims = dimsFrom(2, rank);
    dims.insert(dims.begin(), 0);
    FailureOr<Moments> moments = momentsOf(node, x.value, dims);
    if (failed(moments) || failed(setRunning(node, *moments)))
      return failure();
    mean = moments->mean;
    variance = moments->variance;
  } else {
    if (node.resultCount() > 1 && node.wants(1))
      return node.error() << "expected one result without training_mode, got "
                          << node.resultCount();
    FailureOr<bool> folded = foldBatchNormalization(node);
    if (failed(folded))
      return failure();
    if (*folded)
      return success();
  }
  TensorBuilder &build = node.build;
  Value factor = product(
      build, inverseDeviation(build, variance, node.real("epsilon", 1e-5)),
      parameters[0]);
  Value shift = build.map({parameters[1], mean, factor}, x.elementType(),
                          [](ScalarBuilder &s, ValueRange v) {
                            return s.sub(v[0], s.mul(v[1], v[2]));
                          });
  return node.setResult(0, build.map({x.value, factor, shift}, x.elementType(),
                                     [](ScalarBuilder &s, ValueRange v) {
                                       return s.add(s.mul(v[0], v[1]), v[2]);
                                     }));
}

Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

Value difference(TensorBuilder &build, Value a, Value b) {
  return build.map({a, b}, elementOf(a), [](ScalarBuilder &s, ValueRange v) {
    return s.sub(v[0], v[1]);
  });
}

Value exponential(TensorBuilder &build, Value x) {
  return build.map(x, elementOf(x), [](ScalarBuilder &s, ValueRange v) {
    return s.create<math::ExpOp>(v[0]);
  });
}

/// x - log(sum of exp(x)) over dimensions, with the maximum taken out so that
/// nothing overflows.
Value logSoftmax(TensorBuilder &build, Value x, ArrayRef<int64_t> dims) {
  Value shifted = difference(build, x, build.maximum(x, dims));
  Value sum = build.sum(exponential(build, shifted), dims);
  return build.map({shifted, sum}, elementOf(x),
                   [](ScalarBuilder &s, ValueRange v) {
                     return s.sub(v[0], s.create<math::LogOp>(v[1]));
                   });
}

/// The dimensions that are normalized together: one, or up to version 12 of the
/// operators all from one on.
FailureOr<SmallVector<int64_t>> normalizedDims(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (!isFloat(x.element))
    return node.error() << "expected floats, got " << NodeImport::describe(x);
  bool isOfMatrix = node.opset() < 13;
  FailureOr<int64_t> axis =
      node.dimension(node.integer("axis", isOfMatrix ? 1 : -1), x.rank());
  if (failed(axis))
    return failure();
  return llvm::to_vector(
      llvm::seq<int64_t>(*axis, isOfMatrix ? x.rank() : *axis + 1));
}

LogicalResult buildSoftmax(NodeImport &node) {
  FailureOr<SmallVector<int64_t>> dims = normalizedDims(node);
  if (failed(dims))
    return failure();
  TensorBuilder &build = node.build;
  Value x = node.operand(0).value;
  Value grown = build.map({x, build.maximum(x, *dims)}, elementOf(x),
                          [](ScalarBuilder &s, ValueRange v) {
                            return s.create<math::ExpOp>(s.sub(v[0], v[1]));
                          });
  return node.setResult(0, build.map({grown, build.sum(grown, *dims)},
                                     elementOf(x),
                                     [](ScalarBuilder &s, ValueRange v) {
                                       return s.div(v[0], v[1]);
                                     }));
}

LogicalResult buildLogSoftmax(NodeImport &node) {
  FailureOr<SmallVector<int64_t>> dims = normalizedDims(node);
  if (failed(dims))
    return failure();
  return node.setResult(0,
                        logSoftmax(node.build, node.operand(0).value, *dims));
}

/// The maps of a tensor and of another without one of its dimensions.
SmallVector<AffineMap> mapsWithout(MLIRContext *context, int64_t rank,
                                   int64_t dim) {
  auto all = AffineMap::getMultiDimIdentityMap(rank, context);
  return {all, all.dropResult(dim)};
}

/// 1 at the first maximum along a dimension, 0 elsewhere.
Value hardmax(TensorBuilder &build, Value x, int64_t dim) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<AffineMap> maps =
      mapsWithout(build.builder.getContext(), type.getRank(), dim);
  TensorBuilder::Sizes sizes = build.sizes(x);
  sizes.erase(sizes.begin() + dim);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  Value top = build.reshape(build.maximum(x, dim), shape);
  Type number = build.builder.getI64Type();
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  Value none = arith::ConstantOp::create(
      build.builder, build.loc, build.builder.getI64IntegerAttr(kNone));
  Value first = build.structured(
      {x, top}, build.filled(sizes, none), {maps[0], maps[1], maps[1]},
      [&](ScalarBuilder &s, ValueRange v) -> Value {
        Value at = s.fromIndex(s.create<linalg::IndexOp>(dim), number);
        // Where the maximum is NaN, any entry is it.
        Value isMost =
            s.create<arith::CmpFOp>(arith::CmpFPredicate::UEQ, v[0], v[1]);
        return s.create<arith::MinSIOp>(
            v[2], s.select(isMost, at, s.integer(number, kNone)));
      });
  Type element = type.getElementType();
  return build.structured(
      first, build.empty(build.sizes(x), element), {maps[1], maps[0]},
      [&](ScalarBuilder &s, ValueRange v) {
        Value at = s.fromIndex(s.create<linalg::IndexOp>(dim), number);
        return s.select(s.compare(Comparison::Equal, at, v[0]),
                        s.constant(element, 1), s.constant(element, 0));
      });
}

LogicalResult buildHardmax(NodeImport &node) {
  FailureOr<SmallVector<int64_t>> dims = normalizedDims(node);
  if (failed(dims))
    return failure();
  const OnnxTensor &x = node.operand(0);
  TensorBuilder &build = node.build;
  if (dims->size() == 1)
    return node.setResult(0, hardmax(build, x.value, dims->front()));
  // Several dimensions are one.
  if (!x.type().hasStaticShape())
    return node.error() << "expected a static shape, got "
                        << NodeImport::describe(x);
  SmallVector<int64_t> together(x.shape().take_front(dims->front()));
  together.push_back(1);
  for (int64_t extent : x.shape().drop_front(dims->front()))
    together.back() *= extent;
  Value flat = build.reshape(x.value, together);
  return node.setResult(
      0, build.reshape(hardmax(build, flat, dims->front()), x.shape()));
}

} // namespace

void addNormalizations(OperatorTable &table) {
  table.add("InstanceNormalization", 3, buildInstanceNormalization);
  table.add("LayerNormalization", 2, buildLayerNormalization);
  table.add("RMSNormalization", 2, buildRmsNormalization);
  table.add("SimplifiedLayerNormalization", 2, buildRmsNormalization);
  table.add("GroupNormalization", 3, buildGroupNormalization);
  table.add("MeanVarianceNormalization", 1, buildMeanVarianceNormalization);
  table.add("LpNormalization", 1, buildLpNormalization);
  table.add("LRN", 1, buildLrn);
  table.add("BatchNormalization", 5, buildBatchNormalization);
  table.add("Softmax", 1, buildSoftmax);
  table.add("LogSoftmax", 1, buildLogSoftmax);
  table.add("Hardmax", 1, buildHardmax);
  table.addMicrosoft("SkipLayerNormalization", 3, buildSkipLayerNormalization);
  table.addMicrosoft("SkipSimplifiedLayerNormalization", 3,
                     buildSkipSimplifiedLayerNormalization);
}

} // namespace npu
