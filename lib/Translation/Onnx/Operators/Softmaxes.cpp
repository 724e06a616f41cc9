// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax, its logarithm, and the hard one.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {
namespace {

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
  using Iterator = utils::IteratorType;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<Iterator> all(type.getRank(), Iterator::parallel), loops(all);
  loops[dim] = Iterator::reduction;
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
      {x, top}, build.filled(sizes, none), {maps[0], maps[1], maps[1]}, loops,
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
      first, build.empty(build.sizes(x), element), {maps[1], maps[0]}, all,
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

void addSoftmaxes(OperatorTable &table) {
  table.add("Softmax", 1, buildSoftmax);
  table.add("LogSoftmax", 1, buildLogSoftmax);
  table.add("Hardmax", 1, buildHardmax);
}

} // namespace npu
