// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized numbers: a number is (integer - zero point) * scale. Products are
// sums of 32-bit integers without their zero points.

#include "../Graph/OperatorTable.h"
#include "Convolutions.h"
#include "Windows.h"

using namespace mlir;

namespace npu {
namespace {

LogicalResult checkIntegers(NodeImport &node, unsigned operand) {
  const OnnxTensor &tensor = node.operand(operand);
  bool isInteger =
      !isFloat(tensor.element) && tensor.element != OnnxElement::Bool;
  if (isInteger)
    return success();
  return node.error() << "expected integers as operand #" << operand << ", got "
                      << NodeImport::describe(tensor);
}

bool isOne(const OnnxTensor &tensor) {
  return llvm::all_of(tensor.shape(),
                      [](int64_t extent) { return extent == 1; });
}

/// Scales or zero points for a tensor of rank `rank`: one number, or one for
/// each entry of dimension `dim`, which has `extent`. A shape that already is
/// broadcast stays.
FailureOr<Value> along(NodeImport &node, unsigned operand, int64_t rank,
                       int64_t dim, int64_t extent) {
  const OnnxTensor &numbers = node.operand(operand);
  if (isOne(numbers))
    return node.build.reshape(numbers.value, {});
  if (numbers.rank() != 1)
    return numbers.value;
  if (numbers.shape()[0] != extent || dim >= rank)
    return node.error() << "expected one number or " << extent
                        << " as operand #" << operand << ", got "
                        << NodeImport::describe(numbers);
  SmallVector<int64_t> shape(rank - dim, 1);
  shape[0] = extent;
  return node.build.reshape(numbers.value, shape);
}

/// Operand `operand` as 32-bit integers without its zero points, `zero`, which
/// may be null.
FailureOr<Value> centered(NodeImport &node, unsigned operand, Value zero,
                          unsigned zeroOperand) {
  const OnnxTensor &tensor = node.operand(operand);
  TensorBuilder typed(node.build.builder, node.loc, tensor.element);
  auto numbers = zero ? TensorBuilder::integersOf(
                            node.operand(zeroOperand).value, tensor.element)
                      : std::nullopt;
  bool isZero = numbers && llvm::all_of(*numbers, [](int64_t number) {
                  return number == 0;
                });
  if (!zero || isZero)
    return typed.convert(tensor.value, tensor.element, OnnxElement::Int32);
  if (node.operand(zeroOperand).element != tensor.element)
    return node.error() << "expected zero points of type "
                        << NodeImport::describe(tensor) << ", got "
                        << NodeImport::describe(node.operand(zeroOperand));
  return typed.map({tensor.value, zero}, node.build.builder.getI32Type(),
                   [](ScalarBuilder &s, ValueRange v) {
                     return s.sub(s.cast(v[0], OnnxElement::Int32),
                                  s.cast(v[1], OnnxElement::Int32));
                   });
}

/// The same where the zero points are operand `zeroOperand`, if it is there:
/// one, or one for each entry of dimension `dim`.
FailureOr<Value> centeredAlong(NodeImport &node, unsigned operand,
                               unsigned zeroOperand, int64_t dim) {
  const OnnxTensor &tensor = node.operand(operand);
  if (failed(checkIntegers(node, operand)))
    return failure();
  if (!node.has(zeroOperand))
    return centered(node, operand, {}, zeroOperand);
  dim = std::clamp<int64_t>(dim, 0, std::max<int64_t>(tensor.rank() - 1, 0));
  FailureOr<Value> zero = along(node, zeroOperand, tensor.rank(), dim,
                                tensor.rank() ? tensor.shape()[dim] : 1);
  if (failed(zero))
    return failure();
  FailureOr<Value> result = centered(node, operand, *zero, zeroOperand);
  if (succeeded(result) && !*result)
    return LogicalResult(node.setResult(0, Value()));
  return result;
}

//===----------------------------------------------------------------------===//
// To integers and back
//===----------------------------------------------------------------------===//

/// Numbers of float, which scaled ones are computed in.
Value asFloat(NodeImport &node, Value value, OnnxElement element) {
  return node.build.convert(value, element, OnnxElement::Float);
}

/// The integer nearest to a float, of two the even one, plus the zero point;
/// the type's smallest or largest where it does not fit.
Value quantized(ScalarBuilder &s, Value number, Value zero,
                OnnxElement element) {
  Value rounded = s.create<math::RoundEvenOp>(number);
  return s.cast(zero ? s.add(rounded, zero) : rounded, element);
}

/// The dimension that scales belong to, if they are several.
FailureOr<int64_t> scaledDim(NodeImport &node) {
  if (!isFloat(node.operand(1).element))
    return node.error() << "expected floats as scales, got "
                        << NodeImport::describe(node.operand(1));
  int64_t rank = node.operand(0).rank();
  if (node.integer("block_size", 0) != 0)
    return node.error() << "scales of blocks are not imported yet";
  if (isOne(node.operand(1)))
    return 0;
  return node.dimension(node.integer("axis", 1), rank);
}

LogicalResult buildQuantize(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &scale = node.operand(1);
  FailureOr<int64_t> dim = scaledDim(node);
  if (failed(dim))
    return failure();
  int64_t extent = x.rank() ? x.shape()[*dim] : 1;
  FailureOr<Value> scales = along(node, 1, x.rank(), *dim, extent);
  if (failed(scales))
    return failure();
  int64_t number = node.integer("output_dtype", 0);
  std::optional<OnnxElement> wanted =
      number ? onnxElement(number) : std::optional(OnnxElement::UInt8);
  SmallVector<Value> operands{asFloat(node, x.value, x.element),
                              asFloat(node, *scales, scale.element)};
  if (node.has(2)) {
    if (failed(checkIntegers(node, 2)))
      return failure();
    FailureOr<Value> zero = along(node, 2, x.rank(), *dim, extent);
    if (failed(zero))
      return failure();
    wanted = node.operand(2).element;
    operands.push_back(asFloat(node, *zero, *wanted));
  }
  if (!wanted || isFloat(*wanted) || *wanted == OnnxElement::Bool)
    return node.error() << "out of scope: quantized numbers of type "
                        << onnxElementName(number);
  Type type = elementType(*wanted, node.build.builder.getContext());
  Value result =
      node.build.map(operands, type, [&](ScalarBuilder &s, ValueRange v) {
        return quantized(s, s.div(v[0], v[1]), v.size() > 2 ? v[2] : Value(),
                         *wanted);
      });
  return node.setResult(0, result, *wanted);
}

LogicalResult buildDequantize(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &scale = node.operand(1);
  FailureOr<int64_t> dim = scaledDim(node);
  if (failed(dim))
    return failure();
  int64_t extent = x.rank() ? x.shape()[*dim] : 1;
  FailureOr<Value> scales = along(node, 1, x.rank(), *dim, extent);
  FailureOr<Value> integers = centeredAlong(node, 0, 2, *dim);
  if (failed(scales) || failed(integers))
    return failure();
  TensorBuilder typed(node.build.builder, node.loc, OnnxElement::Int32);
  return node.setResult(0,
                        typed.map({*integers, *scales}, scale.elementType(),
                                  [&](ScalarBuilder &s, ValueRange v) {
                                    return s.mul(s.cast(v[0], scale.element),
                                                 v[1]);
                                  }),
                        scale.element);
}

/// Bytes, whose scale and zero point are chosen so that they reach from the
/// smallest to the largest number, and 0. The standard divides by 0 where all
/// numbers are 0; the scale is 1 there, as in ONNX Runtime.
LogicalResult buildDynamicQuantize(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (x.element != OnnxElement::Float)
    return node.error() << "expected numbers of type float, got "
                        << NodeImport::describe(x);
  TensorBuilder &build = node.build;
  Type type = x.elementType(), bytes = build.builder.getI8Type();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  auto extreme = [&](bool isHigh) {
    Value found =
        build.reduce(x.value, dims, build.scalar(type, 0),
                     [&](ScalarBuilder &s, ValueRange v) {
                       return isHigh ? s.max(v[1], v[0]) : s.min(v[1], v[0]);
                     });
    return build.reshape(found, {});
  };
  Value low = extreme(/*isHigh=*/false), high = extreme(/*isHigh=*/true);
  Value scale =
      build.map({low, high}, type, [&](ScalarBuilder &s, ValueRange v) {
        Value range = s.sub(v[1], v[0]);
        Value isNone = s.compare(Comparison::Equal, range, s.constant(type, 0));
        return s.select(isNone, s.constant(type, 1),
                        s.div(range, s.constant(type, 255)));
      });
  Value zero =
      build.map({low, scale}, bytes, [&](ScalarBuilder &s, ValueRange v) {
        Value moved = s.neg(s.div(v[0], v[1]));
        return quantized(s, moved, Value(), OnnxElement::UInt8);
      });
  TensorBuilder ofBytes(build.builder, node.loc, OnnxElement::UInt8);
  Value offset = ofBytes.convert(zero, OnnxElement::UInt8, OnnxElement::Float);
  Value result = build.map(
      {x.value, scale, offset}, bytes, [&](ScalarBuilder &s, ValueRange v) {
        return quantized(s, s.div(v[0], v[1]), v[2], OnnxElement::UInt8);
      });
  if (failed(node.setResult(0, result, OnnxElement::UInt8)) ||
      failed(node.setResult(1, scale, OnnxElement::Float)))
    return failure();
  return node.setResult(2, zero, OnnxElement::UInt8);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Sums of integers as quantized numbers: `scales` are those of both factors
/// and of the result, the third of which divides.
LogicalResult setRequantized(NodeImport &node, Value sums,
                             ArrayRef<Value> scales, unsigned zeroOperand) {
  const OnnxTensor &zero = node.operand(zeroOperand);
  if (failed(checkIntegers(node, zeroOperand)))
    return failure();
  if (!isOne(zero))
    return node.error() << "expected one zero point, got "
                        << NodeImport::describe(zero);
  Type number = node.build.builder.getF32Type();
  Value factor =
      node.build.map(scales, number, [](ScalarBuilder &s, ValueRange v) {
        return s.div(s.mul(v[0], v[1]), v[2]);
      });
  if (!factor)
    return node.setResult(0, factor);
  Value offset =
      asFloat(node, node.build.reshape(zero.value, {}), zero.element);
  TensorBuilder typed(node.build.builder, node.loc, OnnxElement::Int32);
  Type type = elementType(zero.element, node.build.builder.getContext());
  Value result = typed.map(
      {sums, factor, offset}, type, [&](ScalarBuilder &s, ValueRange v) {
        Value real = s.mul(s.cast(v[0], OnnxElement::Float), v[1]);
        return quantized(s, real, v[2], zero.element);
      });
  return node.setResult(0, result, zero.element);
}

/// Scales as floats, for a result of rank `rank`.
FailureOr<Value> scalesAlong(NodeImport &node, unsigned operand, int64_t rank,
                             int64_t dim, int64_t extent) {
  FailureOr<Value> scales = along(node, operand, rank, dim, extent);
  if (failed(scales))
    return failure();
  return asFloat(node, *scales, node.operand(operand).element);
}

LogicalResult buildMatMulInteger(NodeImport &node) {
  const OnnxTensor &a = node.operand(0), &b = node.operand(1);
  FailureOr<Value> left = centeredAlong(node, 0, 2, a.rank() - 2);
  FailureOr<Value> right = centeredAlong(node, 1, 3, b.rank() - 1);
  if (failed(left) || failed(right))
    return failure();
  return node.setResult(0, node.build.matmul(*left, *right),
                        OnnxElement::Int32);
}

LogicalResult buildQLinearMatMul(NodeImport &node) {
  const OnnxTensor &a = node.operand(0), &b = node.operand(3);
  FailureOr<Value> left = centeredAlong(node, 0, 2, a.rank() - 2);
  FailureOr<Value> right = centeredAlong(node, 3, 5, b.rank() - 1);
  if (failed(left) || failed(right))
    return failure();
  Value sums = node.build.matmul(*left, *right);
  if (!sums)
    return node.setResult(0, sums);
  // Scales of rows belong to the last dimension but one, of columns to the
  // last.
  FailureOr<Value> rows =
      scalesAlong(node, 1, a.rank(), std::max<int64_t>(a.rank() - 2, 0),
                  a.rank() > 1 ? a.shape()[a.rank() - 2] : 1);
  FailureOr<Value> columns =
      scalesAlong(node, 4, b.rank(), b.rank() - 1, b.shape().back());
  FailureOr<Value> result = scalesAlong(node, 6, 0, 0, 1);
  if (failed(rows) || failed(columns) || failed(result))
    return failure();
  return setRequantized(node, sums, {*rows, *columns, *result}, 7);
}

/// A convolution of integers; the operands are image, zero point of the image,
/// weights, zero points of the weights, and bias.
FailureOr<Value> convolvedIntegers(NodeImport &node,
                                   const unsigned (&operands)[4],
                                   std::optional<unsigned> bias) {
  auto [image, imageZero, weights, weightsZero] = operands;
  if (node.has(imageZero) && !isOne(node.operand(imageZero)))
    return node.error() << "expected one zero point for the image, got "
                        << NodeImport::describe(node.operand(imageZero));
  FailureOr<Value> x = centeredAlong(node, image, imageZero, 0);
  FailureOr<Value> w = centeredAlong(node, weights, weightsZero, 0);
  if (failed(x) || failed(w))
    return failure();
  ConvolutionOperands given{
      {*x, OnnxElement::Int32}, {*w, OnnxElement::Int32}, {}};
  if (bias && node.has(*bias))
    given.bias = node.operand(*bias);
  return buildConvolution(node, given);
}

LogicalResult buildConvInteger(NodeImport &node) {
  FailureOr<Value> sums = convolvedIntegers(node, {0, 2, 1, 3}, {});
  if (failed(sums))
    return failure();
  return node.setResult(0, *sums, OnnxElement::Int32);
}

LogicalResult buildQLinearConv(NodeImport &node) {
  FailureOr<Value> sums = convolvedIntegers(node, {0, 2, 3, 5}, 8);
  if (failed(sums))
    return failure();
  auto type = cast<RankedTensorType>(sums->getType());
  FailureOr<Value> image = scalesAlong(node, 1, 0, 0, 1);
  FailureOr<Value> weights =
      scalesAlong(node, 4, type.getRank(), 1, type.getDimSize(1));
  FailureOr<Value> result = scalesAlong(node, 6, 0, 0, 1);
  if (failed(image) || failed(weights) || failed(result))
    return failure();
  return setRequantized(node, *sums, {*image, *weights, *result}, 7);
}

} // namespace

void addQuantization(OperatorTable &table) {
  table.add("QuantizeLinear", 2, buildQuantize);
  table.add("DequantizeLinear", 2, buildDequantize);
  table.add("DynamicQuantizeLinear", 1, buildDynamicQuantize);
  table.add("MatMulInteger", 2, buildMatMulInteger);
  table.add("QLinearMatMul", 8, buildQLinearMatMul);
  table.add("ConvInteger", 2, buildConvInteger);
  table.add("QLinearConv", 8, buildQLinearConv);
}

} // namespace npu
