// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations of single examples: by mean and variance, by norms, by
// neighbours.

#include "../Graph/OperatorTable.h"
#include "Moments.h"

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

LogicalResult buildRmsNormalization(NodeImport &node) {
  FailureOr<Layer> layer = layerOf(node);
  if (failed(layer))
    return failure();
  TensorBuilder &build = node.build;
  Value wide = layer->wide;
  FailureOr<Value> square =
      meanOf(node, product(build, wide, wide), layer->dims);
  if (failed(square))
    return failure();
  Value inverse = inverseDeviation(build, *square, node.real("epsilon", 1e-5));
  Value normal = build.convert(product(build, wide, inverse), layer->stash,
                               node.operand(0).element);
  return node.setResult(0, product(build, normal, asOperandZero(node, 1)));
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
  if (failed(checkFloats(node, 1)))
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
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops.push_back(utils::IteratorType::reduction);
  TensorBuilder::Sizes sizes = build.sizes(x.value);
  sizes[1] = build.builder.getIndexAttr(channels);
  Value window = build.empty(build.sizes(ArrayRef<int64_t>{size}), type);
  Value sums = build.structured(
      {squares, window}, build.filled(sizes, build.scalar(type, 0)), maps,
      loops, [](ScalarBuilder &s, ValueRange v) { return s.add(v[2], v[0]); });
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

} // namespace

void addNormalizations(OperatorTable &table) {
  table.add("InstanceNormalization", 3, buildInstanceNormalization);
  table.add("LayerNormalization", 2, buildLayerNormalization);
  table.add("RMSNormalization", 2, buildRmsNormalization);
  table.add("GroupNormalization", 3, buildGroupNormalization);
  table.add("MeanVarianceNormalization", 1, buildMeanVarianceNormalization);
  table.add("LpNormalization", 1, buildLpNormalization);
  table.add("LRN", 1, buildLrn);
}

} // namespace npu
