// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Means and variances.

#include "Moments.h"

#include "Windows.h"

using namespace mlir;

namespace npu {

LogicalResult checkFloats(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (!isFloat(x.element))
    return node.error() << "expected floats, got " << NodeImport::describe(x);
  return success();
}

LogicalResult checkFloats(NodeImport &node, int64_t leastRank) {
  if (failed(checkFloats(node)))
    return failure();
  return checkImage(node, node.operand(0), leastRank);
}

SmallVector<int64_t> dimsFrom(int64_t first, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(first, rank));
}

Value countOf(NodeImport &node, Value x, ArrayRef<int64_t> dims) {
  TensorBuilder &build = node.build;
  auto type = cast<RankedTensorType>(x.getType());
  Type element = type.getElementType();
  Numbers numbers = build.numbersHere();
  double count = 1;
  Number open = numbers.constant(1);
  for (int64_t dim : dims) {
    if (!type.isDynamicDim(dim))
      count *= static_cast<double>(type.getDimSize(dim));
    else
      open = numbers.mul(open, numbers.extentOf(x, dim));
  }
  if (getConstantIntValue(open))
    return build.splat(element, count);
  Value number = numbers.valueOf(open);
  return build.generate({}, element, [&](ScalarBuilder &s, ValueRange) {
    Value wide = s.fromIndex(number, element);
    return count == 1 ? wide : s.mul(wide, s.constant(element, count));
  });
}

FailureOr<Value> meanOf(NodeImport &node, Value x, ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(x.getType());
  Type element = type.getElementType();
  Value sum = node.build.sum(x, dims);
  bool isOpen =
      llvm::any_of(dims, [&](int64_t dim) { return type.isDynamicDim(dim); });
  if (isOpen)
    return node.build.map(
        {sum, countOf(node, x, dims)}, element,
        [](ScalarBuilder &s, ValueRange v) { return s.div(v[0], v[1]); });
  double count = 1;
  for (int64_t dim : dims)
    count *= static_cast<double>(type.getDimSize(dim));
  return node.build.map(sum, element, [&](ScalarBuilder &s, ValueRange v) {
    return s.div(v[0], s.constant(element, count));
  });
}

Value product(TensorBuilder &build, Value a, Value b) {
  Type type = cast<RankedTensorType>(a.getType()).getElementType();
  return build.map({a, b}, type, [](ScalarBuilder &s, ValueRange v) {
    return s.mul(v[0], v[1]);
  });
}

Value sumOf(TensorBuilder &build, Value a, Value b) {
  Type type = cast<RankedTensorType>(a.getType()).getElementType();
  return build.map({a, b}, type, [](ScalarBuilder &s, ValueRange v) {
    return s.add(v[0], v[1]);
  });
}

Value inverseDeviation(TensorBuilder &build, Value variance, double epsilon) {
  Type type = cast<RankedTensorType>(variance.getType()).getElementType();
  return build.map(variance, type, [&](ScalarBuilder &s, ValueRange v) {
    Value sum = s.add(v[0], s.constant(type, epsilon));
    return s.div(s.constant(type, 1), s.create<math::SqrtOp>(sum));
  });
}

FailureOr<Moments> momentsOf(NodeImport &node, Value x,
                             ArrayRef<int64_t> dims) {
  FailureOr<Value> mean = meanOf(node, x, dims);
  if (failed(mean))
    return failure();
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  Value centered =
      node.build.map({x, *mean}, type, [](ScalarBuilder &s, ValueRange v) {
        return s.sub(v[0], v[1]);
      });
  FailureOr<Value> variance =
      meanOf(node, product(node.build, centered, centered), dims);
  if (failed(variance))
    return failure();
  return Moments{*mean, *variance, centered};
}

Value asOperandZero(NodeImport &node, unsigned operand) {
  const OnnxTensor &tensor = node.operand(operand);
  return node.build.convert(tensor.value, tensor.element,
                            node.operand(0).element);
}

FailureOr<Value> ofChannels(NodeImport &node, unsigned operand, int64_t rank,
                            int64_t channels) {
  const OnnxTensor &numbers = node.operand(operand);
  if (numbers.shape() != ArrayRef<int64_t>{channels})
    return node.error() << "expected " << channels << " numbers as operand #"
                        << operand << ", got " << NodeImport::describe(numbers);
  SmallVector<int64_t> shape(rank - 1, 1);
  shape[0] = channels;
  return node.build.reshape(asOperandZero(node, operand), shape);
}

} // namespace npu
