// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a graph's values come from and go to: constants, states, results.

#include "GraphTranslation.h"
#include "LayerTable.h"

namespace npu {
namespace {

/// Constants of at most so many bytes are part of the graph, larger ones stay
/// in the file.
constexpr std::size_t kMostBytesInGraph = 64;

void translateConst(LayerTranslation &layer) {
  int64_t element = 0;
  Integers shape;
  for (const char *name : {"element_type", "shape", "offset", "size"})
    layer.ignore(name);
  TranslationSession &session = layer.graph.session;
  auto bytes = bytesOfConstant(session, layer.layer, element, shape);
  if (!bytes)
    return layer.fail();
  if (element != layer.layer.outputs.front().element)
    return (void)(layer.error()
                  << "expected elements of one type in its attributes and at "
                     "its port");
  onnx::TensorProto &tensor = *session.outermost().add_initializer();
  tensor.set_name(session.fresh(layer.layer.name));
  tensor.set_data_type(static_cast<int>(element));
  for (int64_t extent : shape)
    tensor.add_dims(extent);
  if (bytes->size() <= kMostBytesInGraph) {
    tensor.set_raw_data(bytes->data(), bytes->size());
  } else {
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    auto say = [&](const char *key, const std::string &value) {
      onnx::StringStringEntryProto &entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    say("location", session.weightsName);
    say("offset",
        std::to_string(bytes->data() - session.weights->getBufferStart()));
    say("length", std::to_string(bytes->size()));
  }
  layer.set(0, tensor.name());
}

/// The state as the caller passes it. The operand is what it is at first where
/// nobody has given it a value, which is the caller's to do.
void translateReadValue(LayerTranslation &layer) {
  for (const char *name : {"variable_shape", "variable_type"})
    layer.ignore(name);
  std::string variable = layer.text("variable_id");
  if (layer.graph.isBody)
    return (void)(layer.error() << "states inside of a body are not supported");
  layer.set(0, layer.graph.session.states[variable].name);
}

/// Its operand is what the model's result for the state will be.
void translateAssign(LayerTranslation &layer) {
  layer.ignore("variable_shape");
  std::string variable = layer.text("variable_id");
  if (layer.graph.isBody)
    return (void)(layer.error() << "states inside of a body are not supported");
  int64_t element = layer.graph.session.states[variable].element;
  std::string type = layer.text("variable_type", "dynamic");
  bool saysType = type != "dynamic" && type != "undefined";
  if ((saysType && elementOfIr(type) != element) ||
      layer.type(0).element != element)
    return (void)(layer.error()
                  << "expected elements of the type that variable '" << variable
                  << "' is read with");
  for (unsigned result = 0; layer.wants(result); ++result)
    layer.set(result, layer.operand(0));
}

void translateIdentity(LayerTranslation &layer) {
  layer.set(0, layer.operand(0));
}

} // namespace

void addGraphLayers(LayerTable &table) {
  const char *elements = "element types u1, nf4, f8e4m3, f8e5m2 and string";
  table.add("Parameter", {1}, 0, 0, nullptr, elements);
  table.add("Result", {1}, 1, 1, nullptr);
  table.add("Const", {1}, 0, 0, translateConst, elements);
  table.add("ReadValue", {3, 6}, 0, 1, translateReadValue,
            "states inside of a body; two layers that read one variable");
  table.add("Assign", {3, 6}, 1, 1, translateAssign,
            "states inside of a body; two layers that assign one variable");
  table.add("Identity", {15}, 1, 1, translateIdentity);
}

} // namespace npu
