// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks in front of the ONNX library's inference of types, and hints for it.

#include "GuardInference.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace npu {
namespace {

using Shape = std::vector<int64_t>;
using Shapes = std::unordered_map<std::string, Shape>;

[[noreturn]] void refuse(const onnx::NodeProto &node, const std::string &what,
                         int64_t least, int64_t got) {
  throw std::runtime_error(
      "node '" + node.name() + "' (" + node.op_type() + "): expected " + what +
      " of at least " + std::to_string(least) + ", got " + std::to_string(got));
}

/// Which operand the weights are; nothing for nodes without any.
std::optional<int> weightsOf(const onnx::NodeProto &node) {
  const std::string &type = node.op_type();
  if (type == "Conv" || type == "ConvTranspose" || type == "ConvInteger")
    return 1;
  if (type == "QLinearConv")
    return 3;
  return std::nullopt;
}

Shape shapeOf(const onnx::TensorProto &tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

void addShape(const onnx::ValueInfoProto &value, Shapes &shapes) {
  if (!value.type().has_tensor_type() ||
      !value.type().tensor_type().has_shape())
    return;
  Shape shape;
  for (const auto &dim : value.type().tensor_type().shape().dim()) {
    if (!dim.has_dim_value())
      return;
    shape.push_back(dim.dim_value());
  }
  shapes[value.name()] = std::move(shape);
}

/// The shapes of a graph's inputs and constants.
Shapes knownShapes(const onnx::GraphProto &graph) {
  Shapes shapes;
  for (const onnx::ValueInfoProto &input : graph.input())
    addShape(input, shapes);
  for (const onnx::TensorProto &tensor : graph.initializer())
    shapes[tensor.name()] = shapeOf(tensor);
  for (const onnx::NodeProto &node : graph.node())
    if (node.op_type() == "Constant" && node.output_size() == 1)
      for (const onnx::AttributeProto &attribute : node.attribute())
        if (attribute.name() == "value" && attribute.has_t())
          shapes[node.output(0)] = shapeOf(attribute.t());
  return shapes;
}

bool isKernelShape(const onnx::AttributeProto &attribute) {
  return attribute.name() == "kernel_shape";
}

void addKernelShape(onnx::NodeProto &node, const Shapes &shapes) {
  std::optional<int> weights = weightsOf(node);
  if (!weights || *weights >= node.input_size() ||
      std::any_of(node.attribute().begin(), node.attribute().end(),
                  isKernelShape))
    return;
  onnx::AttributeProto *attribute = node.add_attribute();
  attribute->set_name("kernel_shape");
  attribute->set_type(onnx::AttributeProto::INTS);
  auto found = shapes.find(node.input(*weights));
  if (found == shapes.end())
    return;
  for (std::size_t dim = 2; dim < found->second.size(); ++dim)
    attribute->add_ints(found->second[dim]);
}

} // namespace

void checkAttributesOfInference(const onnx::GraphProto &graph) {
  for (const onnx::NodeProto &node : graph.node())
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (node.op_type() == "GatherND" && attribute.name() == "batch_dims" &&
          attribute.i() < 0)
        refuse(node, "batch_dims", 0, attribute.i());
      if (attribute.name() == "strides")
        for (int64_t stride : attribute.ints())
          if (stride < 1)
            refuse(node, "strides", 1, stride);
      if (attribute.has_g())
        checkAttributesOfInference(attribute.g());
    }
}

void addKernelShapes(onnx::GraphProto &graph) {
  Shapes shapes = knownShapes(graph);
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    addKernelShape(node, shapes);
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        addKernelShapes(*attribute.mutable_g());
  }
}

void removeUnknownKernelShapes(onnx::GraphProto &graph) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    auto *attributes = node.mutable_attribute();
    if (weightsOf(node))
      for (int number = attributes->size() - 1; number >= 0; --number)
        if (isKernelShape(attributes->Get(number)) &&
            attributes->Get(number).ints().empty())
          attributes->DeleteSubrange(number, 1);
    for (onnx::AttributeProto &attribute : *attributes)
      if (attribute.has_g())
        removeUnknownKernelShapes(*attribute.mutable_g());
  }
}

} // namespace npu
