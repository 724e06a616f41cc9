// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IrModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <pugixml.hpp>

#include <map>
#include <set>

using llvm::StringRef;

namespace npu {
namespace {

/// Types that files spell in two ways.
StringRef usualName(StringRef type) {
  return llvm::StringSwitch<StringRef>(type)
      .Case("Constant", "Const")
      .Case("PReLU", "PRelu")
      .Case("Relu", "ReLU")
      .Case("SoftMax", "Softmax")
      .Default(type);
}

/// Graphs inside of graphs: more levels than this are no model.
constexpr unsigned kMostDepth = 32;

/// Reads elements of XML. A member function that fails has noted a problem.
class IrReader {
public:
  explicit IrReader(StringRef text) : text(text) {
    for (std::size_t at = text.find('\n'); at != StringRef::npos;
         at = text.find('\n', at + 1))
      lineEnds.push_back(at);
  }

  Result<IrModel, UnreadableModel> read() {
    IrModel model;
    if (!readModel(model))
      return *problem;
    return model;
  }

private:
  unsigned lineAt(std::ptrdiff_t offset) const {
    auto before = llvm::lower_bound(lineEnds, static_cast<std::size_t>(offset));
    return static_cast<unsigned>(before - lineEnds.begin()) + 1;
  }

  bool fail(unsigned line, const std::string &message) {
    problem = UnreadableModel{message, line, 0};
    return false;
  }

  bool fail(pugi::xml_node at, const std::string &message) {
    return fail(lineAt(std::max<std::ptrdiff_t>(at.offset_debug(), 0)),
                message);
  }

  bool failAt(const IrLayer &layer, const std::string &message) {
    return fail(layer.line,
                "layer '" + layer.name + "' (" + layer.type + "): " + message);
  }

  bool readModel(IrModel &model) {
    if (text.contains('\0'))
      return fail(1, "expected text in UTF-8, got a zero byte");
    pugi::xml_document document;
    pugi::xml_parse_result parsed = document.load_buffer(
        text.data(), text.size(), pugi::parse_default | pugi::parse_doctype,
        pugi::encoding_utf8);
    if (!parsed)
      return fail(lineAt(parsed.offset),
                  std::string("expected XML: ") + parsed.description());
    for (pugi::xml_node node : document)
      if (node.type() == pugi::node_doctype)
        return fail(node, "a document type is not read: its entities could "
                          "stand for anything");
    pugi::xml_node net = document.child("net");
    if (!net)
      return fail(1, "expected a model of OpenVINO IR, whose outermost element "
                     "is <net>");
    int64_t version = 0;
    if (!readInteger(net, "version", version))
      return false;
    if (version != 10 && version != 11)
      return fail(net, "expected version 10 or 11 of IR, got " +
                           std::to_string(version));
    model.name = net.attribute("name").value();
    if (!knowsAttributes(net, {"name", "version"}) ||
        !readGraph(net, model.graph, 0))
      return false;
    if (llvm::none_of(model.graph.layers, [](const IrLayer &layer) {
          return layer.type == "Result";
        }))
      return fail(net, "expected a layer of type Result");
    return true;
  }

  /// Calls `read` for each element inside of another; false once it fails.
  template <typename Read>
  bool forEachElement(pugi::xml_node parent, Read read) {
    for (pugi::xml_node child : parent) {
      if (child.type() == pugi::node_pcdata)
        return fail(parent,
                    "expected no text in <" + std::string(parent.name()) + ">");
      if (child.type() == pugi::node_element && !read(child))
        return false;
    }
    return true;
  }

  bool unknownElement(pugi::xml_node node, StringRef where) {
    return fail(node, "element <" + std::string(node.name()) + "> of " +
                          where.str() + " is not known");
  }

  bool knowsAttributes(pugi::xml_node node,
                       std::initializer_list<StringRef> names) {
    for (pugi::xml_attribute attribute : node.attributes())
      if (!llvm::is_contained(names, StringRef(attribute.name())))
        return fail(node, "attribute '" + std::string(attribute.name()) +
                              "' of <" + node.name() + "> is not known");
    return true;
  }

  bool readInteger(pugi::xml_node node, const char *name, int64_t &number) {
    StringRef value = node.attribute(name).value();
    if (!value.getAsInteger(10, number))
      return true;
    return fail(node, "expected a whole number as '" + std::string(name) +
                          "' of <" + node.name() + ">, got '" + value.str() +
                          "'");
  }

  bool readGraph(pugi::xml_node net, IrGraph &graph, unsigned depth) {
    if (depth > kMostDepth)
      return fail(net, "expected at most " + std::to_string(kMostDepth) +
                           " graphs in one another");
    pugi::xml_node layers, edges;
    bool isRead = forEachElement(net, [&](pugi::xml_node child) {
      StringRef name = child.name();
      // What runtimes and converters note of their own.
      if (name == "rt_info" || name == "meta_data" ||
          name == "quantization_parameters" || name == "statistics")
        return true;
      pugi::xml_node &list = name == "layers" ? layers : edges;
      if (name != "layers" && name != "edges")
        return unknownElement(child, "a graph");
      if (list)
        return fail(child, "expected one <" + name.str() + "> in a graph");
      list = child;
      return true;
    });
    if (!isRead)
      return false;
    if (!layers)
      return fail(net,
                  "expected <layers> in <" + std::string(net.name()) + ">");
    std::map<int64_t, std::size_t> numbers;
    isRead = forEachElement(layers, [&](pugi::xml_node child) {
      if (StringRef(child.name()) != "layer")
        return unknownElement(child, "<layers>");
      IrLayer layer;
      if (!readLayer(child, layer, depth))
        return false;
      if (!numbers.try_emplace(layer.id, graph.layers.size()).second)
        return failAt(layer, "another layer has id " +
                                 std::to_string(layer.id) + " as well");
      layer.place = graph.layers.size();
      graph.layers.push_back(std::move(layer));
      return true;
    });
    return isRead && readEdges(edges, graph, numbers) && sort(graph);
  }

  bool readLayer(pugi::xml_node node, IrLayer &layer, unsigned depth) {
    layer.line = lineAt(node.offset_debug());
    if (!readInteger(node, "id", layer.id))
      return false;
    layer.name = node.attribute("name").value();
    layer.type = usualName(node.attribute("type").value());
    layer.version = node.attribute("version").value();
    for (pugi::xml_attribute attribute : node.attributes())
      if (StringRef name = attribute.name();
          name == "output_names" && layer.type == "Result")
        layer.outputName = firstName(attribute.value());
      else if (name != "id" && name != "name" && name != "type" &&
               name != "version")
        return failAt(layer,
                      "attribute '" + name.str() + "' of <layer> is not known");
    if (layer.type.empty())
      return fail(node, "layer '" + layer.name + "' has no type");
    if (layer.name.empty())
      layer.name = std::to_string(layer.id);
    std::set<int64_t> ids;
    std::set<std::string> seen;
    bool isRead = forEachElement(node, [&](pugi::xml_node child) {
      StringRef name = child.name();
      if (name == "rt_info")
        return true;
      if (!seen.insert(name.str()).second)
        return failAt(layer, "expected one <" + name.str() + ">");
      if (name == "data") {
        std::set<std::string> names;
        for (pugi::xml_attribute attribute : child.attributes()) {
          if (!names.insert(attribute.name()).second)
            return failAt(layer, "attribute '" + std::string(attribute.name()) +
                                     "' is there twice");
          layer.attributes.emplace_back(attribute.name(), attribute.value());
        }
        return true;
      }
      if (name == "input" || name == "output")
        return readPorts(child, layer,
                         name == "input" ? layer.inputs : layer.outputs, ids);
      bool isOfBody = name == "port_map" || name == "back_edges" ||
                      name == "body" || name == "then_port_map" ||
                      name == "else_port_map" || name == "then_body" ||
                      name == "else_body";
      if (!isOfBody)
        return unknownElement(child, "layer '" + layer.name + "'");
      return true;
    });
    if (!isRead)
      return false;
    layer.sources.resize(layer.inputs.size());
    for (auto [body, map] : {std::pair("body", "port_map"),
                             std::pair("then_body", "then_port_map"),
                             std::pair("else_body", "else_port_map")})
      if (pugi::xml_node inner = node.child(body);
          inner && !readBody(inner, node.child(map), node.child("back_edges"),
                             layer, depth))
        return false;
    return true;
  }

  bool readBody(pugi::xml_node node, pugi::xml_node map,
                pugi::xml_node backEdges, IrLayer &layer, unsigned depth) {
    IrBody &body = layer.bodies.emplace_back();
    if (!readGraph(node, body.graph, depth + 1))
      return false;
    std::map<int64_t, std::size_t> numbers;
    for (auto [number, inner] : llvm::enumerate(body.graph.layers))
      numbers[inner.id] = number;
    auto innerLayer = [&](pugi::xml_node at, const char *name, StringRef type,
                          std::size_t &number) {
      int64_t id = 0;
      if (!readInteger(at, name, id))
        return false;
      auto found = numbers.find(id);
      if (found == numbers.end() ||
          body.graph.layers[found->second].type != type)
        return fail(at, "expected the id of a " + type.str() +
                            " of the body of layer '" + layer.name + "', got " +
                            std::to_string(id));
      number = found->second;
      return true;
    };
    bool isRead = forEachElement(map, [&](pugi::xml_node child) {
      StringRef name = child.name();
      if (name != "input" && name != "output")
        return unknownElement(child, "a port map");
      bool isInput = name == "input";
      IrPortMapping mapping;
      return innerLayer(child, "internal_layer_id",
                        isInput ? "Parameter" : "Result", mapping.inner) &&
             readMapping(child, layer, isInput ? layer.inputs : layer.outputs,
                         mapping) &&
             ((isInput ? body.inputs : body.outputs).push_back(mapping), true);
    });
    return isRead && forEachElement(backEdges, [&](pugi::xml_node child) {
             if (StringRef(child.name()) != "edge")
               return unknownElement(child, "<back_edges>");
             if (!knowsAttributes(
                     child, {"from-layer", "from-port", "to-layer", "to-port"}))
               return false;
             std::pair<std::size_t, std::size_t> edge;
             if (!innerLayer(child, "from-layer", "Result", edge.first) ||
                 !innerLayer(child, "to-layer", "Parameter", edge.second))
               return false;
             body.backEdges.push_back(edge);
             return true;
           });
  }

  bool readMapping(pugi::xml_node node, const IrLayer &layer,
                   const std::vector<IrPort> &ports, IrPortMapping &mapping) {
    int64_t outer = -1, axis = 0;
    if (!readInteger(node, "external_port_id", outer))
      return false;
    if (outer != -1) {
      mapping.outer = portOf(ports, outer);
      // Some files count the results of an If from 0.
      if (!mapping.outer && layer.type == "If" && &ports == &layer.outputs &&
          outer >= 0 && outer < static_cast<int64_t>(ports.size()))
        mapping.outer = static_cast<std::size_t>(outer);
      if (!mapping.outer)
        return failAt(layer, "its port map has a port " +
                                 std::to_string(outer) +
                                 " that the layer has not");
    }
    for (pugi::xml_attribute attribute : node.attributes()) {
      StringRef name = attribute.name();
      int64_t *number = llvm::StringSwitch<int64_t *>(name)
                            .Case("axis", &axis)
                            .Case("start", &mapping.start)
                            .Case("end", &mapping.end)
                            .Case("stride", &mapping.stride)
                            .Case("part_size", &mapping.partSize)
                            .Default(nullptr);
      if (number && !readInteger(node, attribute.name(), *number))
        return false;
      if (name == "axis")
        mapping.axis = axis;
      else if (name == "purpose")
        mapping.purpose = attribute.value();
      else if (!number && name != "external_port_id" &&
               name != "internal_layer_id")
        return failAt(layer, "attribute '" + name.str() +
                                 "' of its port map is not known");
    }
    bool isKnown = mapping.purpose.empty() ||
                   mapping.purpose == "current_iteration" ||
                   mapping.purpose == "execution_condition";
    return isKnown || failAt(layer, "purpose '" + mapping.purpose +
                                        "' of its port map is not known");
  }

  bool readPorts(pugi::xml_node list, const IrLayer &layer,
                 std::vector<IrPort> &ports, std::set<int64_t> &ids) {
    return forEachElement(list, [&](pugi::xml_node node) {
      IrPort port;
      if (StringRef(node.name()) != "port")
        return unknownElement(node, "the ports of layer '" + layer.name + "'");
      if (!readInteger(node, "id", port.id))
        return false;
      if (!ids.insert(port.id).second)
        return failAt(layer, "two ports have id " + std::to_string(port.id));
      for (pugi::xml_attribute attribute : node.attributes()) {
        StringRef name = attribute.name(), value = attribute.value();
        if (name == "names") {
          port.name = firstName(value);
        } else if (name == "precision") {
          std::optional<int64_t> element = elementOfIr(value);
          if (!element)
            return failAt(layer, "elements of type '" + value.str() +
                                     "' are not supported");
          port.element = *element;
        } else if (name != "id") {
          return failAt(layer, "attribute '" + name.str() +
                                   "' of a port is not known");
        }
      }
      bool isRead = forEachElement(node, [&](pugi::xml_node child) {
        if (StringRef(child.name()) == "rt_info")
          return true;
        if (StringRef(child.name()) != "dim")
          return unknownElement(child, "a port of layer '" + layer.name + "'");
        int64_t extent = 0;
        StringRef value = child.child_value();
        if (value.trim().getAsInteger(10, extent) || extent < -1)
          return failAt(layer, "expected an extent in <dim>, got '" +
                                   value.str() + "'");
        port.dims.push_back(extent);
        return true;
      });
      ports.push_back(std::move(port));
      return isRead;
    });
  }

  /// The first of the names of a tensor, which are separated by commas; a comma
  /// in a name has a backslash in front of it.
  static std::string firstName(StringRef names) {
    std::string name;
    for (std::size_t at = 0; at < names.size() && names[at] != ','; ++at) {
      if (names[at] == '\\' && at + 1 < names.size())
        ++at;
      name += names[at];
    }
    return name;
  }

  static std::optional<std::size_t> portOf(const std::vector<IrPort> &ports,
                                           int64_t id) {
    auto found =
        llvm::find_if(ports, [&](const IrPort &port) { return port.id == id; });
    if (found == ports.end())
      return std::nullopt;
    return found - ports.begin();
  }

  bool readEdges(pugi::xml_node edges, IrGraph &graph,
                 const std::map<int64_t, std::size_t> &numbers) {
    // Positions of ports by their layer and id.
    std::map<std::pair<std::size_t, int64_t>, std::size_t> inputs, outputs;
    for (auto [number, layer] : llvm::enumerate(graph.layers)) {
      for (auto [at, port] : llvm::enumerate(layer.inputs))
        inputs[{number, port.id}] = at;
      for (auto [at, port] : llvm::enumerate(layer.outputs))
        outputs[{number, port.id}] = at;
    }
    std::set<std::pair<std::size_t, std::size_t>> connected;
    bool isRead = forEachElement(edges, [&](pugi::xml_node edge) {
      if (StringRef(edge.name()) != "edge")
        return unknownElement(edge, "<edges>");
      if (!knowsAttributes(edge,
                           {"from-layer", "from-port", "to-layer", "to-port"}))
        return false;
      int64_t fromLayer = 0, fromPort = 0, toLayer = 0, toPort = 0;
      if (!readInteger(edge, "from-layer", fromLayer) ||
          !readInteger(edge, "from-port", fromPort) ||
          !readInteger(edge, "to-layer", toLayer) ||
          !readInteger(edge, "to-port", toPort))
        return false;
      auto from = numbers.find(fromLayer), to = numbers.find(toLayer);
      if (from == numbers.end() || to == numbers.end())
        return fail(edge, "the edge from layer " + std::to_string(fromLayer) +
                              " to layer " + std::to_string(toLayer) +
                              " connects a layer that there is not");
      const IrLayer &producer = graph.layers[from->second];
      IrLayer &user = graph.layers[to->second];
      auto output = outputs.find({from->second, fromPort});
      auto input = inputs.find({to->second, toPort});
      if (output == outputs.end())
        return fail(edge, "layer '" + producer.name + "' has no output port " +
                              std::to_string(fromPort));
      if (input == inputs.end())
        return fail(edge, "layer '" + user.name + "' has no input port " +
                              std::to_string(toPort));
      if (!connected.insert({to->second, input->second}).second)
        return fail(edge, "two edges lead to port " + std::to_string(toPort) +
                              " of layer '" + user.name + "'");
      user.sources[input->second] = {from->second, output->second};
      return true;
    });
    if (!isRead)
      return false;
    for (auto [number, layer] : llvm::enumerate(graph.layers))
      for (auto [input, port] : llvm::enumerate(layer.inputs))
        if (!connected.contains({number, input}))
          return failAt(layer, "no edge leads to its input port " +
                                   std::to_string(port.id));
    return true;
  }

  /// Puts layers after those that they read; those that may come next stay in
  /// the order of the file.
  bool sort(IrGraph &graph) {
    std::size_t count = graph.layers.size();
    std::vector<std::size_t> open(count, 0), order;
    std::vector<std::vector<std::size_t>> users(count);
    std::set<std::size_t> ready;
    for (auto [number, layer] : llvm::enumerate(graph.layers)) {
      open[number] = layer.sources.size();
      for (const IrSource &source : layer.sources)
        users[source.layer].push_back(number);
      if (layer.sources.empty())
        ready.insert(number);
    }
    std::vector<std::size_t> places(count);
    while (!ready.empty()) {
      std::size_t next = *ready.begin();
      ready.erase(ready.begin());
      places[next] = order.size();
      order.push_back(next);
      for (std::size_t user : users[next])
        if (--open[user] == 0)
          ready.insert(user);
    }
    if (order.size() != count) {
      auto stuck = llvm::find_if(open, [](std::size_t left) { return left; });
      return failAt(graph.layers[stuck - open.begin()],
                    "it lies on, or after, a cycle of layers");
    }
    IrGraph sorted;
    for (std::size_t number : order) {
      sorted.layers.push_back(std::move(graph.layers[number]));
      for (IrSource &source : sorted.layers.back().sources)
        source.layer = places[source.layer];
    }
    graph = std::move(sorted);
    return true;
  }

  StringRef text;
  std::vector<std::size_t> lineEnds;
  std::optional<UnreadableModel> problem;
};

} // namespace

const std::string *IrLayer::attribute(StringRef name) const {
  for (const auto &[known, value] : attributes)
    if (known == name)
      return &value;
  return nullptr;
}

/// Numbers of ONNX's types that the installed library does not know.
static constexpr int64_t uint4 = 21, int4 = 22;

int64_t bitsOfElement(int64_t element) {
  switch (element) {
  case uint4:
  case int4:
    return 4;
  case onnx::TensorProto::BOOL:
  case onnx::TensorProto::INT8:
  case onnx::TensorProto::UINT8:
    return 8;
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
  case onnx::TensorProto::INT16:
  case onnx::TensorProto::UINT16:
    return 16;
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::INT32:
  case onnx::TensorProto::UINT32:
    return 32;
  default:
    return 64;
  }
}

std::optional<int64_t> elementOfIr(StringRef name) {
  using Proto = onnx::TensorProto;
  int64_t element = llvm::StringSwitch<int64_t>(name.lower())
                        .Cases({"f32", "fp32"}, Proto::FLOAT)
                        .Cases({"f16", "fp16"}, Proto::FLOAT16)
                        .Case("bf16", Proto::BFLOAT16)
                        .Cases({"f64", "fp64"}, Proto::DOUBLE)
                        .Case("i64", Proto::INT64)
                        .Case("i32", Proto::INT32)
                        .Case("i16", Proto::INT16)
                        .Case("i8", Proto::INT8)
                        .Case("i4", int4)
                        .Case("u64", Proto::UINT64)
                        .Case("u32", Proto::UINT32)
                        .Case("u16", Proto::UINT16)
                        .Case("u8", Proto::UINT8)
                        .Case("u4", uint4)
                        .Cases({"boolean", "bool"}, Proto::BOOL)
                        .Default(0);
  return element ? std::optional(element) : std::nullopt;
}

std::optional<llvm::SmallVector<int64_t>> parseIntegers(StringRef text) {
  llvm::SmallVector<int64_t> numbers;
  if (text.trim().empty())
    return numbers;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts)
    if (part.trim().getAsInteger(10, numbers.emplace_back()))
      return std::nullopt;
  return numbers;
}

Result<IrModel, UnreadableModel> readIr(StringRef text) {
  text.consume_front("ï»¿");
  return IrReader(text).read();
}

} // namespace npu
