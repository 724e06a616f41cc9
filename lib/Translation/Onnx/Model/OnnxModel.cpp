// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ONNX library's checks, conversion, inference and function bodies.

#include "OnnxModel.h"

#include "ChildProcess.h"
#include "LibraryCalls.h"
#include "ReadModel.h"
#include "StandardOperators.h"

#include <onnx/defs/function.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace npu {
namespace {

// The nodes that a call of a function stands for. The ONNX library has such a
// function as well, which crashes on functions of models.

class Expansion {
public:
  Expansion(const onnx::NodeProto &node, const onnx::FunctionProto &function,
            const std::string &prefix)
      : prefix(prefix) {
    for (int i = 0; i < function.input_size(); ++i)
      names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    for (int i = 0; i < function.output_size(); ++i)
      if (i < node.output_size() && !node.output(i).empty())
        names[function.output(i)] = node.output(i);
    for (const onnx::AttributeProto &attribute : node.attribute())
      attributes[attribute.name()] = &attribute;
  }

  onnx::NodeProto copy(const onnx::NodeProto &inner) const {
    onnx::NodeProto node = inner;
    node.set_name(prefix + inner.name());
    for (std::string &name : *node.mutable_input())
      name = renamed(name);
    for (std::string &name : *node.mutable_output())
      name = renamed(name);
    node.clear_attribute();
    for (const onnx::AttributeProto &attribute : inner.attribute())
      if (const onnx::AttributeProto *value = valueOf(attribute)) {
        onnx::AttributeProto *added = node.add_attribute();
        *added = *value;
        added->set_name(attribute.name());
        if (value == &attribute)
          renameGraphs(*added);
      }
    return node;
  }

private:
  std::string renamed(const std::string &name) const {
    if (name.empty())
      return name;
    auto found = names.find(name);
    return found != names.end() ? found->second : prefix + name;
  }

  /// The attribute itself, or what it refers to; null where that is absent.
  const onnx::AttributeProto *
  valueOf(const onnx::AttributeProto &attribute) const {
    if (attribute.ref_attr_name().empty())
      return &attribute;
    auto found = attributes.find(attribute.ref_attr_name());
    return found != attributes.end() ? found->second : nullptr;
  }

  void renameGraphs(onnx::AttributeProto &attribute) const {
    if (attribute.has_g())
      rename(*attribute.mutable_g());
    for (onnx::GraphProto &graph : *attribute.mutable_graphs())
      rename(graph);
  }

  void rename(onnx::GraphProto &graph) const {
    for (auto *values : {graph.mutable_input(), graph.mutable_output(),
                         graph.mutable_value_info()})
      for (onnx::ValueInfoProto &value : *values)
        value.set_name(renamed(value.name()));
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      tensor.set_name(renamed(tensor.name()));
    for (onnx::NodeProto &node : *graph.mutable_node())
      node = copy(node);
  }

  const std::string &prefix;
  std::unordered_map<std::string, std::string> names;
  std::unordered_map<std::string, const onnx::AttributeProto *> attributes;
};

/// Copies the nodes of `function`: formal operands and results become those of
/// `node`, all other names begin with `prefix`, also in graphs in attributes,
/// and attributes that refer to the function's become those of `node`, or are
/// left out where it has none. Operands that `node` leaves out have no name.
onnx::GraphProto expandFunction(const onnx::NodeProto &node,
                                const onnx::FunctionProto &function,
                                const std::string &prefix) {
  Expansion expansion(node, function, prefix);
  onnx::GraphProto graph;
  for (const onnx::NodeProto &inner : function.node())
    *graph.add_node() = expansion.copy(inner);
  return graph;
}

/// Processor time for reading and checking a model of 2 GiB, and far more.
constexpr unsigned kMostSeconds = 120;
/// And memory, times the model's own bytes, and as much in any case.
constexpr std::size_t kMostTimes = 16, kMostBytes = std::size_t(1) << 30;

/// Adds the attributes that a node leaves to their defaults: function bodies of
/// the ONNX library rely on some of them being there.
void addDefaults(onnx::NodeProto &node, const onnx::OpSchema &schema) {
  for (const auto &[name, attribute] : schema.attributes()) {
    auto isSame = [&](const onnx::AttributeProto &own) {
      return own.name() == name;
    };
    if (attribute.default_value.has_name() &&
        std::none_of(node.attribute().begin(), node.attribute().end(), isSame))
      *node.add_attribute() = attribute.default_value;
  }
}

/// The standard's operator of that name in a version; null where there is none.
const onnx::OpSchema *schemaOf(const std::string &name,
                               const std::string &domain, int64_t opset) {
  return standardOperators().GetSchema(name, static_cast<int>(opset), domain);
}

/// The standard's function of a node, or nothing.
std::optional<onnx::FunctionProto>
standardFunction(onnx::NodeProto &node, int64_t opset,
                 const std::vector<onnx::TypeProto> &operandTypes) {
  const onnx::OpSchema *schema = schemaOf(node.op_type(), node.domain(), opset);
  if (!schema)
    return std::nullopt;
  addDefaults(node, *schema);
  if (schema->HasFunction())
    return *schema->GetFunction();
  if (!schema->HasContextDependentFunction())
    return std::nullopt;
  onnx::FunctionProto function;
  onnx::FunctionBodyBuildContextImpl context(node, operandTypes);
  if (!schema->BuildContextDependentFunction(context, function))
    return std::nullopt;
  return function;
}

/// What `readHere` has found, for another process. Of ONNX's messages, that of
/// an attribute has room for texts, numbers and bytes: the error's message and
/// the remarks; the error's place and the operator set; the model, or nothing.
std::string serialize(const Result<OnnxModel, UnreadableModel> &read) {
  onnx::AttributeProto answer;
  if (read) {
    for (const std::string &remark : read->remarks)
      answer.add_strings(remark);
    answer.add_ints(read->opset);
    answer.set_s(read->proto.SerializeAsString());
  } else {
    answer.add_strings(read.error().message);
    answer.add_ints(read.error().line);
    answer.add_ints(read.error().column);
  }
  return answer.SerializeAsString();
}

Result<OnnxModel, UnreadableModel> deserialize(const std::string &bytes) {
  const UnreadableModel tooLarge{"the model has more than 2 GiB"};
  onnx::AttributeProto answer;
  // A message that would be larger is not written at all.
  if (!parseMessage(bytes, answer) || answer.ints().empty())
    return tooLarge;
  if (answer.ints_size() > 1)
    return UnreadableModel{answer.strings(0),
                           static_cast<unsigned>(answer.ints(0)),
                           static_cast<unsigned>(answer.ints(1))};
  OnnxModel model;
  model.opset = answer.ints(0);
  model.remarks.assign(answer.strings().begin(), answer.strings().end());
  if (!parseMessage(answer.s(), model.proto))
    return tooLarge;
  return model;
}

} // namespace

Result<OnnxModel, UnreadableModel> readOnnxModel(std::string_view bytes,
                                                 const OnnxShapes &shapes,
                                                 const std::string &directory) {
  Result<std::string> answer = runInChildProcess(
      [&] { return serialize(readHere(bytes, shapes, directory)); },
      kMostSeconds, kMostTimes * bytes.size() + kMostBytes);
  if (!answer)
    return UnreadableModel{"the ONNX library fails on this model: " +
                           answer.error().message};
  return deserialize(*answer);
}

std::optional<onnx::GraphProto>
expandOnnxFunction(const onnx::NodeProto &original, const OnnxModel &model,
                   const std::vector<onnx::TypeProto> &operandTypes,
                   const std::string &prefix) {
  for (const onnx::FunctionProto &own : model.proto.functions())
    if (own.name() == original.op_type() && own.domain() == original.domain())
      return expandFunction(original, own, prefix);
  onnx::NodeProto node = original;
  std::optional<onnx::FunctionProto> function;
  auto thrown = catching(
      [&] { function = standardFunction(node, model.opset, operandTypes); });
  if (thrown || !function)
    return std::nullopt;
  return expandFunction(node, *function, prefix);
}

bool isStandardOperator(const std::string &name, int64_t opset) {
  return schemaOf(name, "", opset) != nullptr;
}

std::optional<std::pair<int, int>>
differingOperands(const onnx::NodeProto &node, int64_t opset,
                  const std::vector<int64_t> &elements) {
  const onnx::OpSchema *schema = schemaOf(node.op_type(), node.domain(), opset);
  if (!schema || schema->inputs().empty())
    return std::nullopt;
  // The first operand of each type parameter.
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t operand = 0; operand < elements.size(); ++operand) {
    const auto &formal =
        schema->inputs()[std::min(operand, schema->inputs().size() - 1)];
    bool isListed = operand < schema->inputs().size() ||
                    formal.GetOption() == onnx::OpSchema::Variadic;
    if (!isListed || elements[operand] == 0 || !formal.GetIsHomogeneous())
      continue;
    auto [same, isFirst] = first.try_emplace(formal.GetTypeStr(), operand);
    if (!isFirst && elements[same->second] != elements[operand])
      return std::pair(static_cast<int>(same->second),
                       static_cast<int>(operand));
  }
  return std::nullopt;
}

std::optional<onnx::TensorProto> readOnnxTensor(std::string_view bytes) {
  onnx::TensorProto tensor;
  if (!parseMessage(bytes, tensor))
    return std::nullopt;
  return tensor;
}

} // namespace npu
