// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes, operands and nodes of one layer.

#include "LayerTranslation.h"

#include "../../Onnx/Build/ElementType.h"

#include "GraphTranslation.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;

namespace npu {

//===----------------------------------------------------------------------===//
// Attributes of nodes
//===----------------------------------------------------------------------===//

onnx::AttributeProto &
NodeAttributes::add(StringRef name, onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto &attribute = list.emplace_back();
  attribute.set_name(name.str());
  attribute.set_type(type);
  return attribute;
}

NodeAttributes &NodeAttributes::set(StringRef name, int64_t number) {
  add(name, onnx::AttributeProto::INT).set_i(number);
  return *this;
}

NodeAttributes &NodeAttributes::set(StringRef name, double number) {
  add(name, onnx::AttributeProto::FLOAT).set_f(static_cast<float>(number));
  return *this;
}

NodeAttributes &NodeAttributes::set(StringRef name, StringRef text) {
  add(name, onnx::AttributeProto::STRING).set_s(text.str());
  return *this;
}

NodeAttributes &NodeAttributes::set(StringRef name, ArrayRef<int64_t> numbers) {
  onnx::AttributeProto &attribute = add(name, onnx::AttributeProto::INTS);
  for (int64_t number : numbers)
    attribute.add_ints(number);
  return *this;
}

NodeAttributes &NodeAttributes::set(StringRef name, ArrayRef<double> numbers) {
  onnx::AttributeProto &attribute = add(name, onnx::AttributeProto::FLOATS);
  for (double number : numbers)
    attribute.add_floats(static_cast<float>(number));
  return *this;
}

NodeAttributes &NodeAttributes::set(StringRef name,
                                    ArrayRef<std::string> texts) {
  onnx::AttributeProto &attribute = add(name, onnx::AttributeProto::STRINGS);
  for (const std::string &text : texts)
    attribute.add_strings(text);
  return *this;
}

NodeAttributes &NodeAttributes::set(StringRef name, onnx::GraphProto graph) {
  *add(name, onnx::AttributeProto::GRAPH).mutable_g() = std::move(graph);
  return *this;
}

//===----------------------------------------------------------------------===//
// Attributes of layers
//===----------------------------------------------------------------------===//

LayerTranslation::LayerTranslation(GraphTranslation &graph,
                                   const IrLayer &layer, int64_t version)
    : graph(graph), layer(layer), version(version) {}

InFlightDiagnostic LayerTranslation::error() {
  isFailed = true;
  return graph.session.errorAt(layer);
}

bool LayerTranslation::hasAttribute(StringRef name) const {
  return layer.attribute(name) != nullptr;
}

const std::string *LayerTranslation::ask(StringRef name, bool isRequired) {
  asked.insert(name.str());
  const std::string *text = layer.attribute(name);
  if (!text && isRequired)
    error() << "expected an attribute '" << name << "'";
  return text;
}

template <typename T>
T LayerTranslation::bad(StringRef name, const std::string &text,
                        StringRef expected, T otherwise) {
  error() << "attribute '" << name << "': expected " << expected << ", got '"
          << text << "'";
  return otherwise;
}

int64_t LayerTranslation::integer(StringRef name,
                                  std::optional<int64_t> otherwise) {
  const std::string *text = ask(name, !otherwise);
  int64_t number = otherwise.value_or(0);
  if (text && StringRef(*text).trim().getAsInteger(10, number))
    return bad(name, *text, "a whole number", otherwise.value_or(0));
  return number;
}

double LayerTranslation::real(StringRef name, std::optional<double> otherwise) {
  const std::string *text = ask(name, !otherwise);
  double number = otherwise.value_or(0);
  if (!text)
    return number;
  StringRef trimmed = StringRef(*text).trim();
  if (trimmed.getAsDouble(number))
    return bad(name, *text, "a number", otherwise.value_or(0));
  return number;
}

bool LayerTranslation::flag(StringRef name, std::optional<bool> otherwise) {
  const std::string *text = ask(name, !otherwise);
  if (!text)
    return otherwise.value_or(false);
  StringRef lower = StringRef(*text).trim();
  if (lower.equals_insensitive("true") || lower == "1")
    return true;
  if (lower.equals_insensitive("false") || lower == "0")
    return false;
  return bad(name, *text, "true or false", otherwise.value_or(false));
}

std::string LayerTranslation::word(StringRef name, ArrayRef<StringRef> words,
                                   std::optional<StringRef> otherwise) {
  const std::string *text = ask(name, !otherwise);
  StringRef given = otherwise.value_or(words.front());
  if (!text)
    return given.str();
  for (StringRef each : words)
    if (StringRef(*text).trim().equals_insensitive(each))
      return each.str();
  return bad(name, *text, "one of " + llvm::join(words, ", "), given.str());
}

std::string LayerTranslation::text(StringRef name,
                                   std::optional<StringRef> otherwise) {
  const std::string *given = ask(name, !otherwise);
  return given ? *given : otherwise.value_or("").str();
}

Integers LayerTranslation::integers(StringRef name,
                                    std::optional<Integers> otherwise) {
  const std::string *text = ask(name, !otherwise);
  if (!text)
    return otherwise.value_or(Integers());
  if (auto numbers = parseIntegers(*text))
    return *numbers;
  return bad(name, *text, "whole numbers separated by commas",
             otherwise.value_or(Integers()));
}

int64_t LayerTranslation::element(StringRef name,
                                  std::optional<int64_t> otherwise) {
  const std::string *text = ask(name, !otherwise);
  if (!text)
    return otherwise.value_or(onnx::TensorProto::FLOAT);
  if (auto element = elementOfIr(*text))
    return *element;
  error() << "elements of type '" << *text << "' are not supported";
  return onnx::TensorProto::FLOAT;
}

void LayerTranslation::checkAttributes() {
  for (const auto &[name, value] : layer.attributes)
    if (!asked.count(name))
      error() << "attribute '" << name << "' is not known";
}

void LayerTranslation::checkBroadcast(StringRef name) {
  if (text(name, "numpy") == "pdpd")
    error() << name << " 'pdpd' is not supported";
  else
    (void)word(name, {"numpy", "none"}, "numpy");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

NodeValue LayerTranslation::operand(unsigned number) {
  return graph.valueOf(layer, number);
}

const IrPort &LayerTranslation::type(unsigned operand) {
  return graph.typeOf(layer, operand);
}

bool LayerTranslation::isStatic(unsigned operand) {
  return !llvm::is_contained(type(operand).dims, -1);
}

template <typename Number>
static Integers decode(StringRef bytes) {
  Integers numbers;
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size();
       at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof(number));
    numbers.push_back(static_cast<int64_t>(number));
  }
  return numbers;
}

/// So many integers of 4 bits, the first one in the low bits of its byte.
static Integers decodeHalves(StringRef bytes, int64_t count, bool isSigned) {
  Integers numbers;
  for (int64_t at = 0; at < count; ++at) {
    int64_t bits = static_cast<uint8_t>(bytes[at / 2]) >> (at % 2 * 4) & 0xF;
    numbers.push_back(isSigned ? llvm::SignExtend64<4>(bits) : bits);
  }
  return numbers;
}

/// The `count` integers of a constant's bytes; nothing where they are no
/// integers.
static std::optional<Integers> decodeIntegers(StringRef bytes, int64_t element,
                                              int64_t count) {
  switch (element) {
  case static_cast<int64_t>(OnnxElement::Int4):
  case static_cast<int64_t>(OnnxElement::UInt4):
    return decodeHalves(bytes, count,
                        element == static_cast<int64_t>(OnnxElement::Int4));
  case onnx::TensorProto::INT64:
  case onnx::TensorProto::UINT64:
    return decode<int64_t>(bytes);
  case onnx::TensorProto::INT32:
    return decode<int32_t>(bytes);
  case onnx::TensorProto::UINT32:
    return decode<uint32_t>(bytes);
  case onnx::TensorProto::INT16:
    return decode<int16_t>(bytes);
  case onnx::TensorProto::UINT16:
    return decode<uint16_t>(bytes);
  case onnx::TensorProto::INT8:
    return decode<int8_t>(bytes);
  case onnx::TensorProto::UINT8:
  case onnx::TensorProto::BOOL:
    return decode<uint8_t>(bytes);
  default:
    return std::nullopt;
  }
}

/// The integer of another type that has the low bits of a number.
static int64_t converted(int64_t number, OnnxElement type) {
  auto unused = static_cast<int>(64 - bitsOf(type));
  auto high = static_cast<int64_t>(static_cast<uint64_t>(number) << unused);
  return isUnsigned(type)
             ? static_cast<int64_t>(static_cast<uint64_t>(high) >> unused)
             : high >> unused;
}

std::optional<Integers> LayerTranslation::constant(unsigned operand) {
  // Longer lists than this are data, and no axes or extents.
  constexpr std::size_t most = 4096;
  const IrLayer *from = &graph.producer(layer, operand);
  // The types that the numbers are converted to, the last one first.
  llvm::SmallVector<OnnxElement, 2> types;
  while (from->type == "Convert" && from->inputs.size() == 1) {
    const std::string *text = from->attribute("destination_type");
    std::optional<int64_t> to = text ? elementOfIr(*text) : std::nullopt;
    std::optional<OnnxElement> type = to ? onnxElement(*to) : std::nullopt;
    if (!type || isFloat(*type) || *type == OnnxElement::Bool)
      return std::nullopt;
    types.push_back(*type);
    from = &graph.producer(*from, 0);
  }
  if (from->type != "Const")
    return std::nullopt;
  int64_t element = 0;
  Integers shape;
  auto bytes = bytesOfConstant(graph.session, *from, element, shape);
  if (!bytes || shape.size() > 1 || bytes->size() > most)
    return std::nullopt;
  std::optional<Integers> numbers =
      decodeIntegers(*bytes, element, shape.empty() ? 1 : shape.front());
  if (numbers)
    for (OnnxElement type : llvm::reverse(types))
      for (int64_t &number : *numbers)
        number = converted(number, type);
  return numbers;
}

std::optional<Integers> LayerTranslation::constantOrError(unsigned operand,
                                                          StringRef what) {
  auto numbers = constant(operand);
  if (!numbers)
    error() << "expected a constant as " << what << " (operand #" << operand
            << "), got what layer '" << graph.producer(layer, operand).name
            << "' computes";
  return numbers;
}

std::optional<int64_t> LayerTranslation::axisIn(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  error() << "expected an axis in " << -rank << " .. " << rank - 1 << ", got "
          << axis;
  return std::nullopt;
}

std::optional<int64_t> LayerTranslation::axisOperand(unsigned operand) {
  auto numbers = constantOrError(operand, "the axis");
  if (!numbers)
    return std::nullopt;
  if (numbers->size() == 1)
    return axisIn(numbers->front(), rank(0));
  error() << "expected one axis, got " << numbers->size();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::vector<NodeValue> LayerTranslation::addNode(StringRef type,
                                                 ArrayRef<NodeValue> operands,
                                                 unsigned results,
                                                 NodeAttributes attributes,
                                                 StringRef domain) {
  onnx::NodeProto &node = *graph.proto.add_node();
  node.set_name(layer.name);
  node.set_doc_string(graph.currentLayer);
  node.set_op_type(type.str());
  node.set_domain(domain.str());
  for (const NodeValue &operand : operands)
    node.add_input(operand);
  for (onnx::AttributeProto &attribute : attributes.list)
    *node.add_attribute() = std::move(attribute);
  std::vector<NodeValue> values;
  for (unsigned result = 0; result < results; ++result) {
    values.push_back(graph.session.fresh(layer.name));
    node.add_output(values.back());
  }
  return values;
}

NodeValue LayerTranslation::add(StringRef type, ArrayRef<NodeValue> operands,
                                NodeAttributes attributes) {
  return addNode(type, operands, 1, std::move(attributes)).front();
}

NodeValue LayerTranslation::addOwn(StringRef type, ArrayRef<NodeValue> operands,
                                   NodeAttributes attributes) {
  return addNode(type, operands, 1, std::move(attributes), "npu.layer").front();
}

NodeValue LayerTranslation::cast(const NodeValue &value, int64_t element) {
  return add("Cast", {value}, NodeAttributes().set("to", element));
}

NodeValue LayerTranslation::asI64(unsigned operand) {
  NodeValue value = this->operand(operand);
  return type(operand).element == onnx::TensorProto::INT64
             ? value
             : cast(value, onnx::TensorProto::INT64);
}

NodeValue LayerTranslation::asList(unsigned operand) {
  NodeValue value = asI64(operand);
  return rank(operand) == 0 ? reshape(value, {1}) : value;
}

NodeValue LayerTranslation::list(ArrayRef<int64_t> numbers) {
  onnx::TensorProto &tensor = *graph.session.outermost().add_initializer();
  tensor.set_name(graph.session.fresh(layer.name));
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<int64_t>(numbers.size()));
  tensor.set_raw_data(numbers.data(), numbers.size() * sizeof(int64_t));
  return tensor.name();
}

/// The bits of a number in an element type, which is not narrower than a byte.
static uint64_t bitsOfNumber(double number, int64_t element) {
  const llvm::fltSemantics *semantics = nullptr;
  switch (element) {
  case onnx::TensorProto::FLOAT:
    semantics = &llvm::APFloat::IEEEsingle();
    break;
  case onnx::TensorProto::FLOAT16:
    semantics = &llvm::APFloat::IEEEhalf();
    break;
  case onnx::TensorProto::BFLOAT16:
    semantics = &llvm::APFloat::BFloat();
    break;
  case onnx::TensorProto::DOUBLE:
    semantics = &llvm::APFloat::IEEEdouble();
    break;
  default:
    return static_cast<uint64_t>(static_cast<int64_t>(number));
  }
  llvm::APFloat rounded(number);
  bool losesInfo = false;
  rounded.convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.bitcastToAPInt().getZExtValue();
}

NodeValue LayerTranslation::number(double number, int64_t element) {
  onnx::TensorProto &tensor = *graph.session.outermost().add_initializer();
  tensor.set_name(graph.session.fresh(layer.name));
  tensor.set_data_type(static_cast<int>(element));
  uint64_t bits = bitsOfNumber(number, element);
  tensor.set_raw_data(&bits,
                      static_cast<std::size_t>(bitsOfElement(element) + 7) / 8);
  return tensor.name();
}

NodeValue LayerTranslation::transpose(const NodeValue &value,
                                      ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(order.size())))
    return value;
  return add("Transpose", {value}, NodeAttributes().set("perm", order));
}

void LayerTranslation::set(unsigned result, const NodeValue &value) {
  if (!wants(result))
    return;
  const IrPort &port = layer.outputs[result];
  graph.bind(static_cast<std::size_t>(&layer - graph.graph.layers.data()),
             result, value);
  if (port.element == 0)
    return;
  onnx::ValueInfoProto &info = *graph.proto.add_value_info();
  info.set_name(value);
  auto &type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(port.element));
  // Ports of unknown rank look like those of scalars.
  if (port.dims.empty())
    return;
  for (int64_t extent : port.dims) {
    auto *dim = type.mutable_shape()->add_dim();
    if (extent >= 0)
      dim->set_dim_value(extent);
  }
}

} // namespace npu
