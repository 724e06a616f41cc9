// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX Runtime's operators on quantized numbers: each is the operator on floats
// between a dequantization and a quantization, with one scale and one zero
// point for each tensor.

#include "../Graph/OperatorTable.h"
#include "Activations.h"
#include "Moments.h"
#include "Poolings.h"
#include "Quantization.h"

using namespace mlir;

namespace npu {
namespace {

/// A quantized tensor is three operands: integers, their scale and their zero
/// point, which may be left out. An error unless scale and zero point are one
/// number each, of the right types.
LogicalResult checkParameters(NodeImport &node, unsigned scale, unsigned zero,
                              OnnxElement element) {
  if (!isOne(node.operand(scale)) ||
      node.operand(scale).element != OnnxElement::Float)
    return node.error() << "expected one float as operand #" << scale
                        << ", got "
                        << NodeImport::describe(node.operand(scale));
  if (node.has(zero) &&
      (!isOne(node.operand(zero)) || node.operand(zero).element != element))
    return node.error() << "expected one number of type "
                        << onnxElementName(static_cast<int64_t>(element))
                        << " as operand #" << zero << ", got "
                        << NodeImport::describe(node.operand(zero));
  return success();
}

/// The floats that operands `first` .. `first + 2` stand for.
FailureOr<OnnxTensor> dequantized(NodeImport &node, unsigned first) {
  const OnnxTensor &x = node.operand(first);
  if (x.element != OnnxElement::UInt8 && x.element != OnnxElement::Int8)
    return node.error() << "expected integers of 8 bits as operand #" << first
                        << ", got " << NodeImport::describe(x);
  if (failed(checkParameters(node, first + 1, first + 2, x.element)))
    return failure();
  SmallVector<Value> operands{
      x.value, node.build.reshape(node.operand(first + 1).value, {})};
  if (node.has(first + 2))
    operands.push_back(node.build.reshape(node.operand(first + 2).value, {}));
  TensorBuilder typed(node.build.builder, node.loc, x.element);
  Value numbers =
      typed.map(operands, typed.builder.getF32Type(),
                [&](ScalarBuilder &s, ValueRange v) {
                  Value number = s.cast(v[0], OnnxElement::Float);
                  if (v.size() > 2)
                    number = s.sub(number, s.cast(v[2], OnnxElement::Float));
                  return s.mul(number, v[1]);
                });
  return OnnxTensor{numbers, OnnxElement::Float};
}

/// Sets result 0 to floats as quantized numbers: `scale` and `zero` are
/// operands.
LogicalResult setQuantized(NodeImport &node, Value numbers, unsigned scale,
                           unsigned zero, OnnxElement element) {
  if (!numbers)
    return node.setResult(0, numbers);
  if (failed(checkParameters(node, scale, zero, element)))
    return failure();
  SmallVector<Value> operands{
      numbers, node.build.reshape(node.operand(scale).value, {})};
  if (node.has(zero))
    operands.push_back(
        node.build.convert(node.build.reshape(node.operand(zero).value, {}),
                           element, OnnxElement::Float));
  Type type = elementType(element, node.build.builder.getContext());
  return node.setResult(
      0,
      node.build.map(operands, type,
                     [&](ScalarBuilder &s, ValueRange v) {
                       return quantized(s, s.div(v[0], v[1]),
                                        v.size() > 2 ? v[2] : Value(), element);
                     }),
      element);
}

/// Operands 0 .. 2 and 3 .. 5 are the factors or terms, 6 and 7 are the scale
/// and the zero point of the result.
LogicalResult buildBinary(NodeImport &node,
                          Value (ScalarBuilder::*body)(Value, Value)) {
  FailureOr<OnnxTensor> a = dequantized(node, 0);
  if (failed(a))
    return failure();
  FailureOr<OnnxTensor> b = dequantized(node, 3);
  if (failed(b))
    return failure();
  Value result = node.build.map(
      {a->value, b->value}, a->elementType(),
      [&](ScalarBuilder &s, ValueRange v) { return (s.*body)(v[0], v[1]); });
  return setQuantized(node, result, 6, 7, node.operand(0).element);
}

LogicalResult buildQLinearAdd(NodeImport &node) {
  return buildBinary(node, &ScalarBuilder::add);
}

LogicalResult buildQLinearMul(NodeImport &node) {
  return buildBinary(node, &ScalarBuilder::mul);
}

/// Operands 0 .. 2 are the input, 3 and 4 are the scale and the zero point of
/// the result, which `body` computes from floats.
LogicalResult
buildUnary(NodeImport &node,
           llvm::function_ref<FailureOr<Value>(const OnnxTensor &)> body) {
  FailureOr<OnnxTensor> x = dequantized(node, 0);
  if (failed(x))
    return failure();
  FailureOr<Value> result = body(*x);
  if (failed(result))
    return failure();
  return setQuantized(node, *result, 3, 4, node.operand(0).element);
}

LogicalResult buildQLinearSigmoid(NodeImport &node) {
  return buildUnary(node, [&](const OnnxTensor &x) -> FailureOr<Value> {
    return node.build.map(
        x.value, x.elementType(),
        [](ScalarBuilder &s, ValueRange v) { return scalarSigmoid(s, v[0]); });
  });
}

LogicalResult buildQLinearLeakyRelu(NodeImport &node) {
  double alpha = node.real("alpha", 0.01);
  return buildUnary(node, [&](const OnnxTensor &x) -> FailureOr<Value> {
    return node.build.map(
        x.value, x.elementType(), [&](ScalarBuilder &s, ValueRange v) {
          return findActivation("LeakyRelu")->function(s, v[0], alpha, 0);
        });
  });
}

/// Means of an image whose channels may be its last dimension.
template <typename Pool>
LogicalResult buildPooling(NodeImport &node, Pool pool) {
  return buildUnary(node, [&](const OnnxTensor &x) -> FailureOr<Value> {
    if (node.integer("channels_last", 0) == 0 || x.rank() < 3)
      return pool(node, x);
    SmallVector<int64_t> toSecond{0, x.rank() - 1}, toLast{0};
    for (int64_t dim = 1; dim + 1 < x.rank(); ++dim) {
      toSecond.push_back(dim);
      toLast.push_back(dim + 1);
    }
    toLast.push_back(1);
    FailureOr<Value> means = pool(
        node, OnnxTensor{node.build.transpose(x.value, toSecond), x.element});
    if (failed(means))
      return failure();
    return node.build.transpose(*means, toLast);
  });
}

LogicalResult buildQLinearAveragePool(NodeImport &node) {
  return buildPooling(node, meansOfWindows);
}

LogicalResult buildQLinearGlobalAveragePool(NodeImport &node) {
  return buildPooling(node, meansOfImage);
}

/// Operands 0 and 1 are the scale and the zero point of the result; three and
/// three of the others are a tensor.
LogicalResult buildQLinearConcat(NodeImport &node) {
  if (node.operandCount() < 5 || node.operandCount() % 3 != 2)
    return node.error() << "expected a scale and a zero point, and tensors of "
                        << "three operands each, got " << node.operandCount()
                        << " operands";
  SmallVector<Value> parts;
  for (unsigned first = 2; first < node.operandCount(); first += 3) {
    for (unsigned operand = first; operand < first + 3; ++operand)
      if (!node.has(operand))
        return node.error() << "expected operand #" << operand;
    FailureOr<OnnxTensor> part = dequantized(node, first);
    if (failed(part))
      return failure();
    if (node.operand(first).element != node.operand(1).element)
      return node.error() << "expected elements as those of the result as "
                          << "operand #" << first << ", got "
                          << NodeImport::describe(node.operand(first));
    parts.push_back(part->value);
  }
  ArrayRef<int64_t> shape = node.operand(2).shape();
  FailureOr<int64_t> axis = node.dimension(node.integer("axis", 0),
                                           static_cast<int64_t>(shape.size()));
  if (failed(axis))
    return failure();
  for (unsigned first = 5; first < node.operandCount(); first += 3) {
    ArrayRef<int64_t> other = node.operand(first).shape();
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      if (other.size() != shape.size() ||
          (static_cast<int64_t>(dim) != *axis && other[dim] != shape[dim]))
        return node.setResult(0, Value());
  }
  return setQuantized(node, node.build.concat(parts, *axis), 0, 1,
                      node.operand(1).element);
}

} // namespace

void addQuantizedElementwise(OperatorTable &table) {
  table.addMicrosoft("QLinearAdd", 2, buildQLinearAdd);
  table.addMicrosoft("QLinearMul", 2, buildQLinearMul);
  table.addMicrosoft("QLinearSigmoid", 2, buildQLinearSigmoid);
  table.addMicrosoft("QLinearLeakyRelu", 2, buildQLinearLeakyRelu);
  table.addMicrosoft("QLinearAveragePool", 2, buildQLinearAveragePool);
  table.addMicrosoft("QLinearGlobalAveragePool", 5,
                     buildQLinearGlobalAveragePool);
  table.addMicrosoft("QLinearConcat", 2, buildQLinearConcat);
}

} // namespace npu
