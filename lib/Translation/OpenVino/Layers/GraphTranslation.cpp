// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates the layers of a graph, one after another, to nodes.

#include "GraphTranslation.h"

#include "LayerTable.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {

/// The newest operation set whose operations are known.
static constexpr int64_t kNewestSet = 16;

std::string TranslationSession::fresh(StringRef wanted) {
  std::string name = wanted.str();
  while (!usedNames.insert(name).second)
    name = (wanted + "." + llvm::Twine(++counts[wanted])).str();
  return name;
}

InFlightDiagnostic TranslationSession::errorAt(const IrLayer &layer) {
  auto loc = FileLineColLoc::get(file, layer.line, 0);
  auto name = StringAttr::get(file.getContext(), layer.name);
  return mlir::emitError(NameLoc::get(name, loc))
         << "layer '" << layer.name << "' (" << layer.type << "): ";
}

GraphTranslation::GraphTranslation(TranslationSession &session,
                                   const IrGraph &graph,
                                   onnx::GraphProto &proto, bool isBody)
    : session(session), graph(graph), proto(proto), isBody(isBody) {
  for (const IrLayer &layer : graph.layers)
    values.emplace_back(layer.outputs.size());
}

void GraphTranslation::bind(std::size_t layer, std::size_t port,
                            const NodeValue &value) {
  values[layer][port] = value;
}

const NodeValue &GraphTranslation::value(const IrSource &source) const {
  return values[source.layer][source.port];
}

const NodeValue &GraphTranslation::valueOf(const IrLayer &layer,
                                           unsigned operand) const {
  return value(layer.sources[operand]);
}

const IrPort &GraphTranslation::typeOf(const IrLayer &layer,
                                       unsigned operand) const {
  const IrSource &source = layer.sources[operand];
  return graph.layers[source.layer].outputs[source.port];
}

const IrLayer &GraphTranslation::producer(const IrLayer &layer,
                                          unsigned operand) const {
  return graph.layers[layer.sources[operand].layer];
}

std::optional<StringRef> bytesOfConstant(TranslationSession &session,
                                         const IrLayer &layer, int64_t &element,
                                         Integers &shape) {
  const std::string *type = layer.attribute("element_type"),
                    *extents = layer.attribute("shape"),
                    *offsetText = layer.attribute("offset"),
                    *sizeText = layer.attribute("size");
  if (!type || !extents || !offsetText || !sizeText) {
    session.errorAt(layer)
        << "expected attributes element_type, shape, offset and size";
    return std::nullopt;
  }
  auto known = elementOfIr(*type);
  if (!known) {
    session.errorAt(layer) << "elements of type '" << *type
                           << "' are not supported";
    return std::nullopt;
  }
  element = *known;
  auto numbers = parseIntegers(*extents);
  int64_t bits = bitsOfElement(element);
  bool isShape = numbers.has_value();
  for (int64_t extent : numbers.value_or(Integers()))
    isShape &= extent >= 0 && !llvm::MulOverflow(bits, extent, bits);
  uint64_t offset = 0, size = 0;
  if (!isShape || StringRef(*offsetText).getAsInteger(10, offset) ||
      StringRef(*sizeText).getAsInteger(10, size)) {
    session.errorAt(layer)
        << "expected extents as its shape, and whole numbers as its offset and "
           "size, got '"
        << *extents << "', '" << *offsetText << "' and '" << *sizeText << "'";
    return std::nullopt;
  }
  shape = *numbers;
  uint64_t expected = llvm::divideCeil(static_cast<uint64_t>(bits), 8);
  if (size != expected) {
    session.errorAt(layer) << "expected " << expected
                           << " bytes for its shape, got " << size;
    return std::nullopt;
  }
  if (size == 0)
    return StringRef();
  StringRef file;
  if (session.weights)
    file = session.weights->getBuffer();
  if (offset > file.size() || size > file.size() - offset) {
    InFlightDiagnostic diagnostic = session.errorAt(layer);
    diagnostic << "cannot read " << size << " bytes at " << offset << " of '"
               << session.weightsName << "'";
    if (session.weights)
      diagnostic << ", which has " << file.size();
    else
      diagnostic
          << ", which is not there; --openvino-weights=FILE names another file";
    return std::nullopt;
  }
  return file.substr(offset, size);
}

bool GraphTranslation::run() {
  bool isTranslated = true;
  for (std::size_t number = 0; number < graph.layers.size(); ++number) {
    const IrLayer &layer = graph.layers[number];
    if (layer.type == "Parameter" || layer.type == "Result")
      continue;
    // What follows has no operands after a failure.
    if (isTranslated)
      isTranslated = translate(number);
  }
  return isTranslated;
}

bool GraphTranslation::translate(std::size_t number) {
  const IrLayer &layer = graph.layers[number];
  const LayerType &type = *LayerTable::get().find(layer.type);
  int64_t set = 0;
  StringRef setName = layer.version;
  // Layers that runtimes add are of no operation set.
  if (type.isInternal && setName == "ie_internal_opset")
    set = type.versions.back();
  else if (!setName.consume_front("opset") || setName.getAsInteger(10, set) ||
           set < 1 || set > kNewestSet) {
    session.errorAt(layer) << "expected a version from opset1 to opset"
                           << kNewestSet << ", got '" << layer.version << "'";
    return false;
  }
  std::optional<int64_t> version = type.versionIn(set);
  if (!version) {
    session.errorAt(layer) << "operation set " << set
                           << " has no operation of that name";
    return false;
  }
  currentLayer = std::to_string(session.model.layers.size());
  session.model.layers.push_back({layer.type, layer.line});
  LayerTranslation translation(*this, layer, *version);
  unsigned count = translation.operandCount();
  if (count < type.leastOperands || count > type.mostOperands) {
    InFlightDiagnostic diagnostic = translation.error();
    diagnostic << "expected " << type.leastOperands;
    if (type.mostOperands != type.leastOperands)
      diagnostic << " to " << type.mostOperands;
    diagnostic << " operands, got " << count;
    return false;
  }
  type.translate(translation);
  if (!translation.hasFailed())
    translation.checkAttributes();
  if (translation.hasFailed())
    return false;
  for (auto [result, value] : llvm::enumerate(values[number]))
    if (value.empty()) {
      translation.error() << "it has no result #" << result;
      return false;
    }
  return true;
}

} // namespace npu
