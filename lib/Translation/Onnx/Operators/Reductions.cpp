// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of dimensions.

#include "../Graph/OperatorTable.h"
#include "Moments.h"

using namespace mlir;

namespace npu {
namespace {

/// The dimensions that a reduction folds: the attribute `axes`, or operand 1;
/// all of them where there are none, unless that is to mean no reduction.
FailureOr<SmallVector<int64_t>> reducedDims(NodeImport &node) {
  int64_t rank = node.operand(0).rank();
  FailureOr<std::optional<SmallVector<int64_t>>> axes =
      node.integersOf("axes", 1);
  if (failed(axes))
    return failure();
  if (*axes && !(*axes)->empty())
    return node.dimensions(**axes, rank);
  if (node.integer("noop_with_empty_axes", 0))
    return SmallVector<int64_t>();
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

/// Drops the reduced dimensions, which have extent 1, where they do not stay.
LogicalResult finish(NodeImport &node, Value reduced, ArrayRef<int64_t> dims) {
  if (reduced && !node.integer("keepdims", 1)) {
    SmallVector<int64_t> shape;
    auto type = cast<RankedTensorType>(reduced.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(dims, dim))
        shape.push_back(type.getDimSize(dim));
    reduced = node.build.reshape(reduced, shape);
  }
  return node.setResult(0, reduced);
}

template <typename Body>
Value mapOne(NodeImport &node, Value operand, Body body) {
  Type type = node.operand(0).elementType();
  return node.build.map(operand, type, [&](ScalarBuilder &s, ValueRange v) {
    return body(s, v[0]);
  });
}

Value absolute(ScalarBuilder &s, Value x) { return s.abs(x); }
Value square(ScalarBuilder &s, Value x) { return s.mul(x, x); }
Value logarithm(ScalarBuilder &s, Value x) { return s.create<math::LogOp>(x); }
Value root(ScalarBuilder &s, Value x) { return s.create<math::SqrtOp>(x); }

/// The type in which roots and logarithms of operand 0's elements are taken.
OnnxElement floatOf(NodeImport &node) {
  OnnxElement element = node.operand(0).element;
  return isFloat(element) ? element : OnnxElement::Double;
}

/// A function of floats, for integers too.
template <typename Body>
Value mapAsFloat(NodeImport &node, Value operand, Body body) {
  OnnxElement element = node.operand(0).element, computed = floatOf(node);
  TensorBuilder floats(node.build.builder, node.loc, computed);
  Value wide = node.build.convert(operand, element, computed);
  Value mapped =
      floats.map(wide, elementType(computed, node.build.builder.getContext()),
                 [&](ScalarBuilder &s, ValueRange v) { return body(s, v[0]); });
  return floats.convert(mapped, computed, element);
}

/// A sum of `before` of the elements, and `after` of the sum.
template <Value (*before)(ScalarBuilder &, Value),
          Value (*after)(ScalarBuilder &, Value)>
LogicalResult buildSum(NodeImport &node) {
  FailureOr<SmallVector<int64_t>> dims = reducedDims(node);
  if (failed(dims))
    return failure();
  Value operand = node.operand(0).value;
  if constexpr (before != nullptr)
    operand = mapOne(node, operand, before);
  Value reduced = node.build.sum(operand, *dims);
  if constexpr (after != nullptr)
    reduced = mapAsFloat(node, reduced, after);
  return finish(node, reduced, *dims);
}

LogicalResult buildMean(NodeImport &node) {
  FailureOr<SmallVector<int64_t>> dims = reducedDims(node);
  if (failed(dims))
    return failure();
  Value sum = node.build.sum(node.operand(0).value, *dims);
  Value mean = node.build.map(
      {sum, countOf(node, node.operand(0).value, *dims)},
      node.operand(0).elementType(),
      [](ScalarBuilder &s, ValueRange v) { return s.div(v[0], v[1]); });
  return finish(node, mean, *dims);
}

LogicalResult buildProduct(NodeImport &node) {
  FailureOr<SmallVector<int64_t>> dims = reducedDims(node);
  if (failed(dims))
    return failure();
  Value one = node.build.scalar(node.operand(0).elementType(), 1);
  return finish(node,
                node.build.reduce(node.operand(0).value, *dims, one,
                                  [](ScalarBuilder &s, ValueRange v) {
                                    return s.mul(v[1], v[0]);
                                  }),
                *dims);
}

template <bool isMax>
LogicalResult buildExtreme(NodeImport &node) {
  FailureOr<SmallVector<int64_t>> dims = reducedDims(node);
  if (failed(dims))
    return failure();
  const OnnxTensor &operand = node.operand(0);
  ScalarBuilder scalars(node.build.builder, node.loc, operand.element);
  Value init = isMax ? scalars.lowest(operand.elementType())
                     : scalars.highest(operand.elementType());
  return finish(node,
                node.build.reduce(operand.value, *dims, init,
                                  [](ScalarBuilder &s, ValueRange v) {
                                    return isMax ? s.max(v[1], v[0])
                                                 : s.min(v[1], v[0]);
                                  }),
                *dims);
}

/// log(sum(exp(x))) with the maximum taken out, so that nothing overflows.
LogicalResult buildLogSumExp(NodeImport &node) {
  FailureOr<SmallVector<int64_t>> dims = reducedDims(node);
  if (failed(dims))
    return failure();
  OnnxElement element = node.operand(0).element, computed = floatOf(node);
  TensorBuilder floats(node.build.builder, node.loc, computed);
  Value operand = node.build.convert(node.operand(0).value, element, computed);
  Type type = elementType(computed, node.build.builder.getContext());
  Value top = floats.maximum(operand, *dims);
  // A maximum that is infinite stays out of the difference.
  Value shift = floats.map(top, type, [&](ScalarBuilder &s, ValueRange v) {
    Value isFinite = s.compare(Comparison::Less, s.abs(v[0]), s.highest(type));
    return s.select(isFinite, v[0], s.constant(type, 0));
  });
  Value grown =
      floats.map({operand, shift}, type, [](ScalarBuilder &s, ValueRange v) {
        return s.create<math::ExpOp>(s.sub(v[0], v[1]));
      });
  Value sum = floats.sum(grown, *dims);
  Value result =
      floats.map({sum, shift}, type, [](ScalarBuilder &s, ValueRange v) {
        return s.add(s.create<math::LogOp>(v[0]), v[1]);
      });
  return finish(node, floats.convert(result, computed, element), *dims);
}

} // namespace

void addReductions(OperatorTable &table) {
  table.add("ReduceSum", 1, buildSum<nullptr, nullptr>);
  table.add("ReduceSumSquare", 1, buildSum<square, nullptr>);
  table.add("ReduceL1", 1, buildSum<absolute, nullptr>);
  table.add("ReduceL2", 1, buildSum<square, root>);
  table.add("ReduceLogSum", 1, buildSum<nullptr, logarithm>);
  table.add("ReduceLogSumExp", 1, buildLogSumExp);
  table.add("ReduceMean", 1, buildMean);
  table.add("ReduceProd", 1, buildProduct);
  table.add("ReduceMax", 1, buildExtreme<true>);
  table.add("ReduceMin", 1, buildExtreme<false>);
}

} // namespace npu
