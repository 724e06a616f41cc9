// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The view as the input graphs, node data and edge overlays of Model Explorer
// (github.com/google-ai-edge/model-explorer), which are a file each.

#include "ProgramView.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

std::string nodeOf(size_t operation) { return fmt::format("op{}", operation); }
std::string nodeOfArgument(size_t value) { return fmt::format("arg{}", value); }

/// What Model Explorer folds: "model/layers.3/attn" of
/// "/model/layers.3/attn/MatMul". Names with dots only are taken apart at
/// these, and an operation without a name is in its layer.
std::string namespaceOf(const ViewFunction &function, const ViewOperation &op) {
  for (StringRef name : op.place.names) {
    char separator = name.trim('/').contains('/') ? '/' : '.';
    SmallVector<StringRef> parts;
    name.split(parts, separator, /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (parts.size() > 1)
      return plainText(llvm::join(ArrayRef(parts).drop_back(), "/"));
  }
  return op.layer ? plainText(function.layers[*op.layer]) : "";
}

class Writer {
public:
  Writer(llvm::raw_ostream &os, const ProgramView &view)
      : json(os, /*IndentSize=*/1), view(view) {}

  void write(ModelExplorerPart part) {
    switch (part) {
    case ModelExplorerPart::Graph:
      return writeGraphs();
    case ModelExplorerPart::Cycles:
      return writeData([](const ViewOperation &op) { return op.cycles; });
    case ModelExplorerPart::Bytes:
      return writeData([](const ViewOperation &op) -> std::optional<int64_t> {
        if (!op.movement || !op.movement->hasPlan)
          return std::nullopt;
        return movedBytes(*op.movement);
      });
    case ModelExplorerPart::Overlays:
      return writeOverlays();
    }
  }

private:
  static int64_t movedBytes(const ViewMovement &movement) {
    return movement.received.value + movement.ddrBytes;
  }

  /// Calls `see` with every function and the name of its graph.
  void forEachGraph(
      llvm::function_ref<void(const ViewFunction &, const std::string &)> see) {
    for (auto [number, stage] : llvm::enumerate(view.stages))
      for (const ViewFunction &function : stage.functions)
        see(function, plainText(fmt::format("{} {}: {}", number + 1,
                                            stage.title, function.name)));
  }

  void writeGraphs() {
    json.object([&] {
      json.attribute("label", plainText(view.file));
      json.attributeArray("graphs", [&] {
        forEachGraph([&](const ViewFunction &function, const std::string &id) {
          json.object([&] {
            json.attribute("id", id);
            json.attributeArray("nodes", [&] { writeNodes(function); });
          });
        });
      });
    });
  }

  void writeNodes(const ViewFunction &function) {
    for (auto [number, value] : llvm::enumerate(function.values)) {
      if (value.producer)
        continue;
      json.object([&, number = number, &value = value] {
        json.attribute("id", nodeOfArgument(number));
        json.attribute("label", plainText(value.name));
        json.attribute("namespace", "");
        json.attributeArray("outputsMetadata",
                            [&] { writeOutput(function, number, 0); });
        json.attributeObject("config",
                             [&] { json.attribute("pinToGroupTop", true); });
      });
    }
    for (auto [number, op] : llvm::enumerate(function.operations))
      json.object(
          [&, number = number, &op = op] { writeNode(function, number, op); });
  }

  void writeNode(const ViewFunction &function, size_t number,
                 const ViewOperation &op) {
    json.attribute("id", nodeOf(number));
    json.attribute("label", op.kind);
    json.attribute("namespace", namespaceOf(function, op));
    json.attributeArray("attrs", [&] {
      if (!op.place.names.empty())
        pair("name", llvm::join(op.place.names, ", "));
      if (!op.place.place.empty())
        pair("location", op.place.place);
      if (!op.body.empty())
        pair("computes", op.body);
      if (op.tile)
        pair("tile", std::to_string(*op.tile));
      if (op.cycles)
        pair("cycles", std::to_string(*op.cycles));
      if (op.movement)
        writeMovement(*op.movement);
      for (const ViewWrongOperand &wrong : op.wrong)
        pair("wrong: " + function.values[wrong.value].name, wrong.reason);
    });
    json.attributeArray("incomingEdges", [&] {
      for (auto [place, value] : llvm::enumerate(op.operands))
        json.object([&, place = place, value = value] {
          auto [source, output] = sourceOf(function, value);
          json.attribute("sourceNodeId", source);
          json.attribute("sourceNodeOutputId", std::to_string(output));
          json.attribute("targetNodeInputId", std::to_string(place));
        });
    });
    json.attributeArray("outputsMetadata", [&] {
      for (auto [place, value] : llvm::enumerate(op.results))
        writeOutput(function, value, place);
    });
    if (isWrong(op))
      json.attributeObject("style", [&] {
        json.attribute("borderColor", "#b3261e");
        json.attribute("backgroundColor", "#fdf0ee");
      });
  }

  void writeMovement(const ViewMovement &movement) {
    pair("sides", wordOf(movement.relation));
    if (!movement.hasPlan)
      return;
    pair("bytes received", std::to_string(movement.received.value));
    pair("bytes received, at least", std::to_string(movement.received.bound));
    pair("bytes through DDR", std::to_string(movement.ddrBytes));
  }

  /// The node that makes a value, and which of its outputs the value is.
  static std::pair<std::string, size_t> sourceOf(const ViewFunction &function,
                                                 size_t value) {
    std::optional<size_t> producer = function.values[value].producer;
    if (!producer)
      return {nodeOfArgument(value), 0};
    const std::vector<size_t> &results = function.operations[*producer].results;
    auto found = llvm::find(results, value);
    // What the body of a loop is given comes out of the loop's node.
    size_t output = found == results.end() ? 0 : found - results.begin();
    return {nodeOf(*producer), output};
  }

  void writeOutput(const ViewFunction &function, size_t value, size_t output) {
    const ViewValue &seen = function.values[value];
    Type type = function.types[seen.type];
    json.object([&] {
      json.attribute("id", std::to_string(output));
      json.attributeArray("attrs", [&] {
        pair("__tensor_tag", seen.name);
        pair("tensor_shape", shortType(type));
        if (LayoutAttr layout = getLayout(type)) {
          std::string text;
          llvm::raw_string_ostream(text) << Attribute(layout);
          pair("layout", text);
        }
        auto tensor = dyn_cast<RankedTensorType>(type);
        const Placement *placement = tensor ? getPlacement(tensor) : nullptr;
        if (!placement)
          return;
        for (auto [number, tile] : llvm::enumerate(placement->tiles))
          pair(fmt::format("tile {}", number),
               tile.memory == tile.compute
                   ? toString(tile.compute)
                   : fmt::format("computes {}, holds {}",
                                 toString(tile.compute),
                                 toString(tile.memory)));
      });
    });
  }

  void pair(StringRef key, StringRef value) {
    json.object([&] {
      json.attribute("key", key);
      json.attribute("value", plainText(value));
    });
  }

  /// Values by graph and node, coloured from the least to the most.
  void
  writeData(llvm::function_ref<std::optional<int64_t>(const ViewOperation &)>
                valueOf) {
    json.object([&] {
      forEachGraph([&](const ViewFunction &function, const std::string &id) {
        json.attributeObject(id, [&] {
          json.attributeObject("results", [&] {
            for (auto [number, op] : llvm::enumerate(function.operations))
              if (std::optional<int64_t> value = valueOf(op))
                json.attributeObject(nodeOf(number),
                                     [&] { json.attribute("value", *value); });
          });
          json.attributeArray("gradient", [&] {
            stop(0, "#ffffff");
            stop(1, "#c77800");
          });
        });
      });
    });
  }

  void stop(int64_t at, StringRef color) {
    json.object([&] {
      json.attribute("stop", at);
      json.attribute("bgColor", color);
    });
  }

  /// The edges along which data moves, and those into casts whose sides differ.
  /// Model Explorer shows overlays in the graph that has their nodes: those of
  /// the last stage.
  void writeOverlays() {
    /// A value that an operation reads, and the bytes that move for it.
    using Edges = llvm::SmallVector<std::pair<size_t, int64_t>, 2>;
    auto overlay = [&](const ViewFunction &function, StringRef name,
                       StringRef color,
                       llvm::function_ref<Edges(const ViewOperation &)> find) {
      json.object([&] {
        json.attribute("name", plainText(function.name) + ": " + name.str());
        json.attribute("edgeColor", color);
        json.attribute("edgeWidth", 3);
        json.attributeArray("edges", [&] {
          for (auto [number, op] : llvm::enumerate(function.operations))
            for (auto [value, bytes] : find(op))
              json.object([&, number = number, value = value, bytes = bytes] {
                json.attribute("sourceNodeId", sourceOf(function, value).first);
                json.attribute("targetNodeId", nodeOf(number));
                json.attribute("label", fmt::format("{} bytes", bytes));
              });
        });
      });
    };
    auto edgeOf = [](const ViewOperation &op) {
      return Edges{{op.operands.front(), movedBytes(*op.movement)}};
    };
    auto moving = [&](const ViewOperation &op) {
      bool moves = op.movement && op.movement->moves && !op.operands.empty();
      return moves ? edgeOf(op) : Edges();
    };
    auto differing = [&](const ViewOperation &op) {
      bool differs =
          op.movement && sidesDiffer(*op.movement) && !op.operands.empty();
      Edges edges = differs ? edgeOf(op) : Edges();
      for (const ViewWrongOperand &each : op.wrong)
        edges.emplace_back(each.value, each.bytes);
      return edges;
    };
    json.object([&] {
      json.attribute("type", "edge_overlays");
      json.attribute("name", "redistributions of " + plainText(view.file));
      json.attributeArray("overlays", [&] {
        if (view.stages.empty())
          return;
        for (const ViewFunction &function : view.stages.back().functions) {
          overlay(function, "data moves", "#8a5200", moving);
          overlay(function, "sides differ", "#b3261e", differing);
        }
      });
    });
  }

  llvm::json::OStream json;
  const ProgramView &view;
};

} // namespace

std::string toModelExplorer(const ProgramView &view, ModelExplorerPart part) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Writer(os, view).write(part);
  return text + "\n";
}

} // namespace npu
