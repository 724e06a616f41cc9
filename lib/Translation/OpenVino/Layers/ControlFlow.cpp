// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If and Loop: layers with graphs inside.

#include "GraphTranslation.h"
#include "LayerTable.h"

namespace npu {
namespace {

using Proto = onnx::TensorProto;

/// A body while it is translated.
class BodyTranslation {
public:
  BodyTranslation(LayerTranslation &layer, const IrBody &body)
      : layer(layer), body(body),
        graph(layer.graph.session, body.graph, proto, /*isBody=*/true) {
    proto.set_name(layer.layer.name);
    isBound.resize(body.graph.layers.size());
  }

  /// Gives a Parameter its value, which belongs to the graph around or to an
  /// input of this one.
  bool bind(std::size_t parameter, const NodeValue &value) {
    if (isBound[parameter] ||
        body.graph.layers[parameter].outputs.size() != 1) {
      layer.error() << "Parameter '" << body.graph.layers[parameter].name
                    << "' of its body has two values, or no output";
      return false;
    }
    isBound[parameter] = true;
    graph.bind(parameter, 0, value);
    return true;
  }

  bool run() {
    for (auto [number, inner] : llvm::enumerate(body.graph.layers))
      if (inner.type == "Parameter" && !isBound[number]) {
        layer.error() << "Parameter '" << inner.name
                      << "' of its body has no value";
        return false;
      } else if (inner.type == "Result" && inner.inputs.size() != 1) {
        layer.error() << "Result '" << inner.name
                      << "' of its body has no operand";
        return false;
      }
    if (graph.run())
      return true;
    layer.fail();
    return false;
  }

  NodeValue resultOf(std::size_t result) const {
    return graph.valueOf(body.graph.layers[result], 0);
  }

  const IrPort &typeOf(std::size_t result) const {
    return graph.typeOf(body.graph.layers[result], 0);
  }

  /// A node in the body.
  NodeValue add(llvm::StringRef type, std::vector<NodeValue> operands,
                NodeAttributes attributes = {}) {
    graph.currentLayer = layer.graph.currentLayer;
    LayerTranslation inside(graph, layer.layer, layer.version);
    return inside.add(type, operands, std::move(attributes));
  }

  NodeValue addInput(int64_t element) {
    NodeValue name = layer.graph.session.fresh(layer.layer.name);
    onnx::ValueInfoProto &input = *proto.add_input();
    input.set_name(name);
    input.mutable_type()->mutable_tensor_type()->set_elem_type(
        static_cast<int>(element));
    return name;
  }

  void addOutput(const NodeValue &value, const IrPort *type = nullptr) {
    onnx::ValueInfoProto &output = *proto.add_output();
    output.set_name(value);
    if (!type || type->element == 0)
      return;
    auto &tensor = *output.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(static_cast<int>(type->element));
    auto *shape = tensor.mutable_shape();
    for (int64_t extent : type->dims) {
      auto *dim = shape->add_dim();
      if (extent >= 0)
        dim->set_dim_value(extent);
    }
  }

  LayerTranslation &layer;
  const IrBody &body;
  onnx::GraphProto proto;
  GraphTranslation graph;

private:
  std::vector<bool> isBound;
};

void translateIf(LayerTranslation &layer) {
  if (layer.layer.bodies.size() != 2)
    return (void)(layer.error() << "expected a then_body and an else_body");
  NodeAttributes attributes;
  std::size_t count = layer.layer.outputs.size();
  for (auto [number, name] :
       {std::pair(0, "then_branch"), std::pair(1, "else_branch")}) {
    BodyTranslation inner(layer, layer.layer.bodies[number]);
    for (const IrPortMapping &mapping : inner.body.inputs)
      if (!mapping.outer)
        return (void)(layer.error()
                      << "expected ports of the layer in the port "
                         "map of a branch");
      else if (!inner.bind(mapping.inner, layer.operand(static_cast<unsigned>(
                                              *mapping.outer))))
        return;
    if (!inner.run())
      return;
    std::vector<NodeValue> results(count);
    for (const IrPortMapping &mapping : inner.body.outputs)
      if (mapping.outer)
        results[*mapping.outer] = inner.resultOf(mapping.inner);
    for (const NodeValue &result : results) {
      if (result.empty())
        return (void)(layer.error()
                      << "a branch has no value for a result of the layer");
      // Values from outside are results of a node all the same.
      inner.addOutput(inner.add("Identity", {result}));
    }
    attributes.set(name, std::move(inner.proto));
  }
  NodeValue condition = layer.operand(0);
  if (layer.rank(0) != 0)
    condition = layer.reshape(condition, {});
  std::vector<NodeValue> results = layer.addNode(
      "If", {condition}, static_cast<unsigned>(count), attributes);
  for (auto [number, result] : llvm::enumerate(results))
    layer.set(static_cast<unsigned>(number), result);
}

/// A Loop: what is carried from an iteration to the next one, and what is
/// stacked.
class LoopTranslation {
public:
  explicit LoopTranslation(LayerTranslation &layer)
      : layer(layer), inner(layer, layer.layer.bodies.front()),
        body(inner.body) {}

  void run() {
    iteration = inner.addInput(Proto::INT64);
    condition = inner.addInput(Proto::BOOL);
    if (!bindCarried() || !bindOthers() || !inner.run())
      return;
    NodeValue goesOn;
    for (const IrPortMapping &mapping : body.outputs)
      if (mapping.purpose == "execution_condition") {
        goesOn = inner.resultOf(mapping.inner);
        if (inner.typeOf(mapping.inner).dims.size() == 1)
          goesOn = inner.add("Squeeze", {goesOn});
      }
    if (goesOn.empty())
      return (void)(layer.error() << "expected a result of the purpose "
                                     "execution_condition in its port map");
    inner.addOutput(inner.add("Identity", {goesOn}));
    if (!addLastValues())
      return;
    for (std::size_t result : carriedResults)
      inner.addOutput(inner.add("Identity", {inner.resultOf(result)}),
                      &inner.typeOf(result));
    for (const IrPortMapping &mapping : body.outputs)
      if (mapping.outer && mapping.axis)
        inner.addOutput(inner.add("Identity", {inner.resultOf(mapping.inner)}),
                        &inner.typeOf(mapping.inner));
    finish();
  }

private:
  /// Parameters that have a Result's value in the next iteration.
  bool bindCarried() {
    for (auto [result, parameter] : body.backEdges) {
      auto mapping = llvm::find_if(body.inputs, [&](const auto &each) {
        return each.inner == parameter;
      });
      if (mapping == body.inputs.end() || !mapping->outer || mapping->axis) {
        layer.error() << "expected a first value for Parameter '"
                      << body.graph.layers[parameter].name << "' of its body";
        return false;
      }
      auto operand = static_cast<unsigned>(*mapping->outer);
      carriedResults.push_back(result);
      firstValues.push_back(layer.operand(operand));
      if (!inner.bind(parameter, inner.addInput(layer.type(operand).element)))
        return false;
      carriedParameters.push_back(parameter);
    }
    return true;
  }

  bool bindOthers() {
    for (const IrPortMapping &mapping : body.inputs) {
      if (llvm::is_contained(carriedParameters, mapping.inner))
        continue;
      NodeValue value;
      if (mapping.purpose == "current_iteration") {
        const IrPort &port = body.graph.layers[mapping.inner].outputs.front();
        value = inner.add(
            "Cast", {iteration},
            NodeAttributes().set("to", port.element ? port.element
                                                    : int64_t(Proto::INT64)));
        if (port.dims.size() == 1)
          value = inner.add("Unsqueeze", {value, layer.list({0})});
      } else if (!mapping.outer) {
        layer.error() << "expected a port of the layer, or the purpose "
                         "current_iteration, in its port map";
        return false;
      } else if (mapping.axis) {
        value = slicedPart(mapping);
      } else {
        value = layer.operand(static_cast<unsigned>(*mapping.outer));
      }
      if (value.empty() || !inner.bind(mapping.inner, value))
        return false;
    }
    return true;
  }

  /// Whether parts are of one entry each, in order or from the last one on.
  bool isPlain(const IrPortMapping &mapping) {
    bool isForward =
        mapping.stride == 1 && mapping.start == 0 && mapping.end == -1;
    bool isBackward =
        mapping.stride == -1 && mapping.start == -1 && mapping.end == 0;
    if (mapping.partSize == 1 && (isForward || isBackward))
      return true;
    layer.error() << "expected parts of one entry, from the first or from the "
                     "last one on, in its port map";
    return false;
  }

  NodeValue slicedPart(const IrPortMapping &mapping) {
    if (!isPlain(mapping))
      return {};
    auto operand = static_cast<unsigned>(*mapping.outer);
    auto axis = layer.axisIn(*mapping.axis, layer.rank(operand));
    if (!axis)
      return {};
    NodeValue at = iteration;
    if (mapping.stride < 0)
      at = inner.add("Sub", {layer.number(-1, Proto::INT64), iteration});
    at = inner.add("Unsqueeze", {at, layer.list({0})});
    return inner.add("Gather", {layer.operand(operand), at},
                     NodeAttributes().set("axis", *axis));
  }

  /// Results of which the last iteration's value counts are carried as well.
  bool addLastValues() {
    for (const IrPortMapping &mapping : body.outputs) {
      if (!mapping.outer || mapping.axis ||
          llvm::is_contained(carriedResults, mapping.inner))
        continue;
      const IrPort &type = inner.typeOf(mapping.inner);
      if (llvm::is_contained(type.dims, -1)) {
        layer.error() << "expected a result of the last iteration whose "
                         "extents are known";
        return false;
      }
      carriedResults.push_back(mapping.inner);
      firstValues.push_back(layer.add(
          "Expand", {layer.number(0, type.element), layer.list(type.dims)}));
      (void)inner.addInput(type.element);
    }
    return true;
  }

  void finish() {
    NodeValue count =
        layer.cast(layer.reshape(layer.operand(0), {}), Proto::INT64);
    if (auto known = layer.constant(0);
        known && known->size() == 1 && known->front() < 0)
      count = NodeValue();
    std::vector<NodeValue> operands{count, layer.reshape(layer.operand(1), {})};
    llvm::append_range(operands, firstValues);
    std::size_t stacks = llvm::count_if(
        body.outputs, [](const auto &each) { return each.outer && each.axis; });
    std::vector<NodeValue> results = layer.addNode(
        "Loop", operands, static_cast<unsigned>(carriedResults.size() + stacks),
        NodeAttributes().set("body", std::move(inner.proto)));
    std::size_t stack = carriedResults.size();
    for (const IrPortMapping &mapping : body.outputs) {
      if (!mapping.outer)
        continue;
      NodeValue value;
      if (mapping.axis) {
        value = joined(mapping, results[stack++]);
      } else {
        auto at = llvm::find(carriedResults, mapping.inner);
        value = results[at - carriedResults.begin()];
      }
      if (value.empty())
        return;
      layer.set(static_cast<unsigned>(*mapping.outer), value);
    }
  }

  /// ONNX stacks along a dimension of its own; here parts are joined along one
  /// that they have.
  NodeValue joined(const IrPortMapping &mapping, NodeValue stack) {
    int64_t rank =
        static_cast<int64_t>(inner.typeOf(mapping.inner).dims.size());
    auto axis = layer.axisIn(*mapping.axis, rank);
    if (!axis || !isPlain(mapping))
      return {};
    if (mapping.stride < 0)
      stack =
          layer.add("Slice", {stack, layer.list({-1}),
                              layer.list({std::numeric_limits<int64_t>::min()}),
                              layer.list({0}), layer.list({-1})});
    Integers order;
    for (int64_t dim = 0; dim < *axis; ++dim)
      order.push_back(dim + 1);
    order.push_back(0);
    for (int64_t dim = *axis; dim < rank; ++dim)
      order.push_back(dim + 1);
    return layer.add("Squeeze",
                     {layer.transpose(stack, order), layer.list({*axis + 1})});
  }

  LayerTranslation &layer;
  BodyTranslation inner;
  const IrBody &body;
  NodeValue iteration, condition;
  llvm::SmallVector<std::size_t> carriedResults, carriedParameters;
  std::vector<NodeValue> firstValues;
};

void translateLoop(LayerTranslation &layer) {
  if (layer.layer.bodies.size() != 1)
    return (void)(layer.error() << "expected a body");
  LoopTranslation(layer).run();
}

} // namespace

void addControlFlowLayers(LayerTable &table) {
  table.add("If", {8}, 1, 1u << 20, translateIf);
  table.add("Loop", {5}, 2, 1u << 20, translateLoop,
            "parts of several entries; results of the last iteration of open "
            "extents");
}

} // namespace npu
