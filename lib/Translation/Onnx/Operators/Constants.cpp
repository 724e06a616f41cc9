// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that a node makes of nothing: constants, ranges, identity matrices.

#include "../Build/NumberBounds.h"
#include "../Graph/GraphImport.h"
#include "../Graph/OperatorTable.h"

#include "llvm/ADT/bit.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace npu {
namespace {

LogicalResult setTensor(NodeImport &node, const onnx::TensorProto &tensor) {
  Result<TensorData> data =
      readTensorData(tensor, node.graph.importSession().files);
  if (!data)
    return node.error() << data.error().message;
  return node.setResult(0, node.build.constant(*data, node.node.output(0)),
                        data->element);
}

LogicalResult buildConstant(NodeImport &node) {
  if (const onnx::AttributeProto *value = node.attribute("value"))
    return setTensor(node, value->t());
  if (node.hasAttribute("value_float"))
    return node.setResult(0,
                          node.build.splat(node.build.builder.getF32Type(),
                                           node.real("value_float", 0)),
                          OnnxElement::Float);
  if (node.hasAttribute("value_int")) {
    Value number = node.build.integers({node.integer("value_int", 0)});
    return node.setResult(0, node.build.reshape(number, {}),
                          OnnxElement::Int64);
  }
  if (auto numbers = node.integers("value_ints"))
    return node.setResult(0, node.build.integers(*numbers), OnnxElement::Int64);
  if (auto numbers = node.reals("value_floats")) {
    TensorData data{
        OnnxElement::Float, {static_cast<int64_t>(numbers->size())}, {}};
    for (double number : *numbers) {
      auto bits =
          llvm::bit_cast<std::array<char, 4>>(static_cast<float>(number));
      data.bytes.insert(data.bytes.end(), bits.begin(), bits.end());
    }
    return node.setResult(0, node.build.constant(data, node.node.output(0)),
                          OnnxElement::Float);
  }
  return node.error() << "out of scope: a constant of strings or of a sparse "
                         "tensor";
}

/// The shape that an operand says, as far as it follows from shapes; where it
/// depends on data, the one that the model declares for the result.
FailureOr<SmallVector<Number>> shapeOperand(NodeImport &node) {
  auto known = node.knownIntegers(0);
  if (known && !llvm::is_contained(*known, Number()))
    return *known;
  if (auto declared = node.declaredShape(0)) {
    node.remark() << "the shape, a value of run time, is taken to be the "
                     "declared one";
    return node.build.sizes(*declared);
  }
  return node.integersOfShapes(0, "the shape");
}

LogicalResult buildConstantOfShape(NodeImport &node) {
  FailureOr<SmallVector<Number>> shape = shapeOperand(node);
  if (failed(shape))
    return failure();
  SmallVector<int64_t> extents = Numbers::inType(*shape);
  bool isStatic = !llvm::is_contained(extents, ShapedType::kDynamic);
  if (isStatic && !elementCount(extents))
    return node.error() << "its result's extents are negative or too large";
  for (auto [dim, extent] : llvm::enumerate(*shape))
    if (!node.build.numbersHere().ensureAtLeast(extent, 0))
      return node.error() << "extent #" << dim << " of its result is "
                          << describeBelow(extent, 0);
  TensorData one{OnnxElement::Float, {1}, std::vector<char>(4, 0)};
  if (const onnx::AttributeProto *value = node.attribute("value")) {
    Result<TensorData> given =
        readTensorData(value->t(), node.graph.importSession().files);
    if (!given)
      return node.error() << "expected one element as its value: "
                          << given.error().message;
    if (elementCount(given->shape) != 1)
      return node.error() << "expected one element as its value";
    one = *given;
  }
  one.shape = {1};
  auto element = cast<DenseElementsAttr>(
      toElements(one, "value", node.build.builder.getContext()));
  Attribute each = *element.getValues<Attribute>().begin();
  if (!isStatic) {
    Value scalar = arith::ConstantOp::create(node.build.builder, node.loc,
                                             cast<TypedAttr>(each));
    return node.setResult(0, node.build.filled(*shape, scalar), one.element);
  }
  auto type = RankedTensorType::get(extents, element.getElementType());
  return node.setResult(
      0,
      arith::ConstantOp::create(node.build.builder, node.loc,
                                DenseElementsAttr::get(type, each)),
      one.element);
}

/// How many elements a range of whole numbers has that follow from shapes; null
/// where one of its bounds does not, or where its step may be negative or 0.
Number countInRange(NodeImport &node) {
  SmallVector<Number> bounds;
  for (unsigned operand : {0u, 1u, 2u}) {
    auto known = node.knownWholeNumbers(operand);
    if (!known || known->size() != 1)
      return {};
    bounds.push_back(known->front());
  }
  Numbers numbers = node.build.numbersHere();
  Number zero = numbers.constant(0);
  bool isForward = numbers.ensureAtLeast(bounds[2], 1);
  Number entries = isForward ? numbers.sub(bounds[1], bounds[0])
                             : numbers.sub(bounds[0], bounds[1]);
  Number step = isForward ? bounds[2] : numbers.sub(zero, bounds[2]);
  return entries ? numbers.ceilDiv(numbers.max(entries, zero), step) : Number();
}

/// An operand of one element as a value: an expression of prompts, or what is
/// read.
Value readOne(ScalarBuilder &s, NodeImport &node, unsigned operand,
              Value tensor) {
  Type type = node.operand(operand).elementType();
  auto known = node.knownWholeNumbers(operand);
  if (known && known->front() && isa<Value>(known->front()))
    return s.fromIndex(cast<Value>(known->front()), type);
  return TensorBuilder::read(s, tensor, {});
}

LogicalResult buildRange(NodeImport &node) {
  const OnnxTensor &start = node.operand(0), &delta = node.operand(2);
  for (unsigned operand : {0u, 1u, 2u})
    if (node.operand(operand).rank() > 1)
      return node.error() << "expected scalars";
  auto countOf = [&]() -> FailureOr<Number> {
    double numbers[3];
    for (unsigned operand : {0u, 1u, 2u}) {
      const OnnxTensor &tensor = node.operand(operand);
      auto integers = TensorBuilder::integersOf(tensor.value, tensor.element);
      auto reals = TensorBuilder::numbersOf(tensor.value);
      if ((!integers || integers->size() != 1) &&
          (!reals || reals->size() != 1)) {
        if (Number known = countInRange(node))
          return known;
        if (auto declared = node.declaredShape(0);
            declared && declared->size() == 1) {
          node.remark() << "the number of elements, a value of run time, is "
                           "taken to be the declared one";
          return node.build.numbersHere().constant(declared->front());
        }
        for (unsigned bound : {0u, 1u, 2u}) {
          auto numbers = node.knownWholeNumbers(bound);
          if (numbers && !llvm::is_contained(*numbers, Number()))
            continue;
          node.graph.errorNotConstant(node, bound, "a bound of the range");
          return failure();
        }
        return node.error()
               << "expected a range with so many elements that the lengths of "
                  "prompts say how many, as those of a constant step have";
      }
      numbers[operand] =
          integers ? static_cast<double>((*integers)[0]) : (*reals)[0];
    }
    if (!(numbers[2] != 0))
      return node.error() << "expected a step other than 0";
    double count = std::ceil((numbers[1] - numbers[0]) / numbers[2]);
    if (!(count <= static_cast<double>(kMostElements)))
      return node.error() << "its result has too many elements";
    return node.build.numbersHere().constant(
        static_cast<int64_t>(std::max(count, 0.0)));
  };
  FailureOr<Number> count = countOf();
  if (failed(count))
    return failure();
  Type type = start.elementType();
  Value first = node.build.reshape(start.value, {});
  Value step = node.build.reshape(delta.value, {});
  return node.setResult(
      0,
      node.build.generate({*count}, type, [&](ScalarBuilder &s, ValueRange at) {
        Value number = s.fromIndex(at[0], type);
        return s.add(readOne(s, node, 0, first),
                     s.mul(number, readOne(s, node, 2, step)));
      }));
}

LogicalResult buildEyeLike(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  if (operand.rank() != 2)
    return node.error() << "expected a matrix, got "
                        << NodeImport::describe(operand);
  int64_t number = node.integer("dtype", static_cast<int64_t>(operand.element));
  std::optional<OnnxElement> element = onnxElement(number);
  if (!element)
    return node.error() << "out of scope: elements of type "
                        << onnxElementName(number);
  int64_t diagonal = node.integer("k", 0);
  Type type = elementType(*element, node.build.builder.getContext());
  return node.setResult(
      0,
      node.build.generate(
          node.build.sizes(operand.value), type,
          [&](ScalarBuilder &s, ValueRange at) {
            Value moved =
                s.add(at[0], s.integer(s.builder.getIndexType(), diagonal));
            Value isOne =
                s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, at[1], moved);
            return s.select(isOne, s.constant(type, 1), s.constant(type, 0));
          }),
      *element);
}

} // namespace

void addConstants(OperatorTable &table) {
  table.add("Constant", 0, buildConstant);
  table.add("ConstantOfShape", 1, buildConstantOfShape);
  table.add("Range", 3, buildRange);
  table.add("EyeLike", 1, buildEyeLike);
}

} // namespace npu
