// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax, its logarithm, and the hard one.

#include "Softmaxes.h"

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

FailureOr<int64_t> axisOf(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (!isFloat(x.element))
    return node.error() << "expected floats, got " << NodeImport::describe(x);
  return node.dimension(node.integer("axis", -1), x.rank());
}

LogicalResult buildSoftmax(NodeImport &node) {
  FailureOr<int64_t> axis = axisOf(node);
  if (failed(axis))
    return failure();
  TensorBuilder &build = node.build;
  Value x = node.operand(0).value;
  Value grown =
      build.map({x, build.maximum(x, *axis)}, elementOf(x),
                [](ScalarBuilder &s, ValueRange v) {
                  return s.create<math::ExpOp>(s.sub(v[0], v[1]));
                });
  return node.setResult(0, build.map({grown, build.sum(grown, *axis)},
                                     elementOf(x),
                                     [](ScalarBuilder &s, ValueRange v) {
                                       return s.div(v[0], v[1]);
                                     }));
}

LogicalResult buildLogSoftmax(NodeImport &node) {
  FailureOr<int64_t> axis = axisOf(node);
  if (failed(axis))
    return failure();
  return node.setResult(0,
                        logSoftmax(node.build, node.operand(0).value, *axis));
}

/// The maps of a tensor and of another without one of its dimensions.
SmallVector<AffineMap> mapsWithout(MLIRContext *context, int64_t rank,
                                   int64_t dim) {
  auto all = AffineMap::getMultiDimIdentityMap(rank, context);
  return {all, all.dropResult(dim)};
}

/// 1 at the first maximum along a dimension, 0 elsewhere.
LogicalResult buildHardmax(NodeImport &node) {
  FailureOr<int64_t> axis = axisOf(node);
  if (failed(axis))
    return failure();
  TensorBuilder &build = node.build;
  const OnnxTensor &x = node.operand(0);
  using Iterator = utils::IteratorType;
  SmallVector<Iterator> loops(x.rank(), Iterator::parallel), all(loops);
  loops[*axis] = Iterator::reduction;
  SmallVector<AffineMap> maps =
      mapsWithout(build.builder.getContext(), x.rank(), *axis);
  TensorBuilder::Sizes sizes = build.sizes(x.value);
  sizes.erase(sizes.begin() + *axis);
  SmallVector<int64_t> shape(x.shape());
  shape.erase(shape.begin() + *axis);
  Value top = build.reshape(build.maximum(x.value, *axis), shape);
  Type number = build.builder.getI64Type();
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  Value none = arith::ConstantOp::create(build.builder, build.loc,
                                         build.builder.getI64IntegerAttr(kNone));
  Value first = build.structured(
      {x.value, top}, build.filled(sizes, none), {maps[0], maps[1], maps[1]},
      loops, [&](ScalarBuilder &s, ValueRange v) -> Value {
        Value at = s.fromIndex(s.create<linalg::IndexOp>(*axis), number);
        Value isMost =
            s.create<arith::CmpFOp>(arith::CmpFPredicate::UEQ, v[0], v[1]);
        return s.create<arith::MinSIOp>(
            v[2], s.select(isMost, at, s.integer(number, kNone)));
      });
  Value result = build.structured(
      first, build.empty(build.sizes(x.value), x.elementType()),
      {maps[1], maps[0]}, all, [&](ScalarBuilder &s, ValueRange v) {
        Value at = s.fromIndex(s.create<linalg::IndexOp>(*axis), number);
        return s.select(s.compare(Comparison::Equal, at, v[0]),
                        s.constant(x.elementType(), 1),
                        s.constant(x.elementType(), 0));
      });
  return node.setResult(0, result);
}

} // namespace

Value logSoftmax(TensorBuilder &build, Value x, int64_t dim) {
  Value shifted = difference(build, x, build.maximum(x, dim));
  Value sum = build.sum(exponential(build, shifted), dim);
  return build.map({shifted, sum}, elementOf(x),
                   [](ScalarBuilder &s, ValueRange v) {
                     return s.sub(v[0], s.create<math::LogOp>(v[1]));
                   });
}

void addSoftmaxes(OperatorTable &table) {
  table.add("Softmax", 1, buildSoftmax);
  table.add("LogSoftmax", 1, buildLogSoftmax);
  table.add("Hardmax", 1, buildHardmax);
}

} // namespace npu
