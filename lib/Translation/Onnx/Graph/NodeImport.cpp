// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes, operands and results of one node.

#include "NodeImport.h"

#include "../Build/Positions.h"
#include "GraphImport.h"
#include "OperatorTable.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace npu {

NodeImport::NodeImport(GraphImport &graph, const onnx::NodeProto &node,
                       Location loc, OpBuilder &builder)
    : graph(graph), node(node), loc(loc),
      build(builder, loc, OnnxElement::Float) {
  for (const std::string &name : node.input())
    operands.push_back(name.empty() ? std::nullopt : graph.lookUp(name));
  if (has(0))
    build.element = operand(0).element;
}

InFlightDiagnostic NodeImport::error() const {
  return mlir::emitError(loc) << graph.describe(node) << ": ";
}

InFlightDiagnostic NodeImport::remark() const {
  return mlir::emitRemark(loc) << graph.describe(node) << ": ";
}

int64_t NodeImport::opset() const { return graph.model().opset; }

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const onnx::AttributeProto *NodeImport::attribute(StringRef name) const {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

bool NodeImport::hasAttribute(StringRef name) const {
  return attribute(name) != nullptr;
}

int64_t NodeImport::integer(StringRef name, int64_t otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  return found && found->has_i() ? found->i() : otherwise;
}

double NodeImport::real(StringRef name, double otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  return found && found->has_f() ? found->f() : otherwise;
}

std::string NodeImport::text(StringRef name, StringRef otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  return found && found->has_s() ? found->s() : otherwise.str();
}

std::optional<SmallVector<int64_t>> NodeImport::integers(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found || found->type() != onnx::AttributeProto::INTS)
    return std::nullopt;
  return SmallVector<int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<SmallVector<double>> NodeImport::reals(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found || found->type() != onnx::AttributeProto::FLOATS)
    return std::nullopt;
  return SmallVector<double>(found->floats().begin(), found->floats().end());
}

std::vector<std::string> NodeImport::texts(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return {};
  return {found->strings().begin(), found->strings().end()};
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

unsigned NodeImport::operandCount() const { return operands.size(); }

bool NodeImport::has(unsigned operand) const {
  return operand < operands.size() && operands[operand].has_value();
}

const OnnxTensor &NodeImport::operand(unsigned operand) const {
  return *operands[operand];
}

FailureOr<SmallVector<int64_t>> NodeImport::constantIntegers(unsigned operand,
                                                             StringRef what) {
  const OnnxTensor &tensor = this->operand(operand);
  if (auto numbers = TensorBuilder::integersOf(tensor.value, tensor.element))
    return *numbers;
  graph.errorNotConstant(*this, operand, what);
  return failure();
}

FailureOr<SmallVector<double>> NodeImport::constantNumbers(unsigned operand,
                                                           StringRef what) {
  if (auto numbers = TensorBuilder::numbersOf(this->operand(operand).value))
    return *numbers;
  graph.errorNotConstant(*this, operand, what);
  return failure();
}

void NodeImport::assertInside(unsigned number, Value data, int64_t first,
                              int64_t count) {
  auto positions = constantPositions(operand(number));
  if (!positions || positions->empty())
    return;
  TensorBuilder::Sizes extents = build.sizes(data);
  Numbers numbers = build.numbersHere();
  for (int64_t dim = 0; dim < count; ++dim) {
    int64_t needed = 1;
    for (std::size_t at = dim; at < positions->size(); at += count) {
      int64_t position = (*positions)[at];
      needed = std::max(needed, position < 0 ? -position : position + 1);
    }
    if (Number extent = extents[first + dim]; !getConstantIntValue(extent))
      numbers.assertAtLeast(extent, needed);
  }
}

void NodeImport::assertEqualExtents(unsigned number, int64_t first,
                                    unsigned other, int64_t otherFirst,
                                    int64_t count) {
  TensorBuilder::Sizes some = build.sizes(operand(number).value),
                       others = build.sizes(operand(other).value);
  for (int64_t dim = 0; dim < count; ++dim)
    build.numbersHere().assertEqual(some[first + dim],
                                    others[otherFirst + dim]);
}

FailureOr<SmallVector<Number>> NodeImport::integersOfShapes(unsigned operand,
                                                            StringRef what) {
  auto known = knownIntegers(operand);
  if (known && !llvm::is_contained(*known, Number()))
    return *known;
  graph.errorNotConstant(*this, operand, what);
  return failure();
}

FailureOr<std::optional<SmallVector<Number>>>
NodeImport::numbersOf(StringRef attribute, unsigned operand) {
  if (auto given = integers(attribute))
    return std::optional(
        llvm::map_to_vector(*given, [&](int64_t each) -> Number {
          return build.builder.getIndexAttr(each);
        }));
  if (!has(operand))
    return std::optional<SmallVector<Number>>();
  FailureOr<SmallVector<Number>> known = integersOfShapes(operand, attribute);
  if (failed(known))
    return failure();
  return std::optional(*known);
}

FailureOr<std::optional<SmallVector<int64_t>>>
NodeImport::integersOf(StringRef attribute, unsigned operand) {
  if (auto numbers = integers(attribute))
    return std::optional(*numbers);
  if (!has(operand))
    return std::optional<SmallVector<int64_t>>();
  FailureOr<SmallVector<int64_t>> numbers =
      constantIntegers(operand, attribute);
  if (failed(numbers))
    return failure();
  return std::optional(*numbers);
}

FailureOr<int64_t> NodeImport::dimension(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return error() << "expected an axis in " << -rank << " .. " << rank - 1
                 << ", got " << axis;
}

FailureOr<SmallVector<int64_t>> NodeImport::dimensions(ArrayRef<int64_t> axes,
                                                       int64_t rank) {
  SmallVector<int64_t> found;
  for (int64_t axis : axes) {
    FailureOr<int64_t> dim = dimension(axis, rank);
    if (failed(dim))
      return failure();
    if (llvm::is_contained(found, *dim))
      return error() << "axis " << axis << " is listed twice";
    found.push_back(*dim);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

unsigned NodeImport::resultCount() const { return node.output_size(); }

bool NodeImport::wants(unsigned result) const {
  return result < resultCount() &&
         !node.output(static_cast<int>(result)).empty();
}

std::optional<SmallVector<int64_t>> NodeImport::declaredShape(unsigned result) {
  if (!wants(result))
    return std::nullopt;
  return graph.declaredShape(node.output(static_cast<int>(result)));
}

LogicalResult NodeImport::setResult(unsigned result, Value value,
                                    std::optional<OnnxElement> element) {
  if (!value) {
    InFlightDiagnostic diagnostic = error();
    diagnostic << "shapes of operands do not agree:";
    for (const std::optional<OnnxTensor> &operand : operands)
      diagnostic << " " << (operand ? describe(*operand) : "none");
    return diagnostic;
  }
  if (!wants(result))
    return success();
  OnnxElement known = element ? *element : build.element;
  return graph.define(*this, node.output(static_cast<int>(result)),
                      {value, known});
}

LogicalResult NodeImport::setMapped(TensorBuilder::Body body,
                                    std::optional<OnnxElement> element) {
  unsigned count = OperatorTable::get().find(node)->leastOperands;
  SmallVector<Value> values;
  for (unsigned number = 0; number < count; ++number)
    values.push_back(operand(number).value);
  Type type = element ? elementType(*element, build.builder.getContext())
                      : operand(0).elementType();
  return setResult(0, build.map(values, type, body), element);
}

std::string NodeImport::describe(const OnnxTensor &tensor) {
  std::string text = onnxElementName(static_cast<int64_t>(tensor.element));
  llvm::raw_string_ostream stream(text);
  stream << ' ';
  if (tensor.rank() == 0)
    stream << "scalar";
  llvm::interleave(
      tensor.shape(),
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          stream << '?';
        else
          stream << extent;
      },
      [&] { stream << 'x'; });
  return text;
}

} // namespace npu
