// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes that a call of a function stands for.

#include "ExpandFunction.h"

#include <unordered_map>

namespace npu {
namespace {

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

} // namespace

onnx::GraphProto expandFunction(const onnx::NodeProto &node,
                                const onnx::FunctionProto &function,
                                const std::string &prefix) {
  Expansion expansion(node, function, prefix);
  onnx::GraphProto graph;
  for (const onnx::NodeProto &inner : function.node())
    *graph.add_node() = expansion.copy(inner);
  return graph;
}

} // namespace npu
