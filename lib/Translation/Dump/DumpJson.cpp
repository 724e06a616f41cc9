// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpText.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Support/Naming.h"

#include "llvm/Support/JSON.h"

using namespace mlir;

namespace npu {

std::string spellLayout(const DumpType &type, MLIRContext *context) {
  if (!type.distribution)
    return "";
  Layout layout{type.distribution, type.order};
  std::string text;
  llvm::raw_string_ostream os(text);
  Attribute(makeLayout(context, std::move(layout))).print(os);
  return text;
}

namespace {

class JsonWriter {
public:
  JsonWriter(llvm::raw_ostream &output, std::string_view text,
             const std::optional<DumpDevice> &device, MLIRContext *context)
      : json(output, /*IndentSize=*/1), lines(text), device(device),
        context(context) {}

  int64_t write(std::string_view text) {
    json.objectBegin();
    json.attributeBegin("functions");
    json.arrayBegin();
    auto received = [&](DumpFunction &function) { write(function); };
    DumpAnalysis analysis(received, device);
    analysis.run(text);
    json.arrayEnd();
    json.attributeEnd();
    json.attribute("types", analysis.types);
    json.attribute("types_read", analysis.typesRead);
    json.attributeArray("skipped", [&] {
      for (const DumpSkip &skip : analysis.skipped)
        json.object([&] {
          json.attribute("line", line(skip.at));
          json.attribute("what", plain(skip.what));
          json.attribute("why", plain(skip.why));
        });
    });
    json.attributeArray("unknown", [&] {
      for (const UnknownEdges::Kind &kind : unknown.kinds())
        json.object([&] {
          json.attribute("op", plain(kind.op));
          json.attribute("edges", kind.edges);
          json.attribute("to_know", llvm::StringRef(toKnow(kind.missing)));
        });
    });
    json.attributeArray("devices", [&] {
      for (const DumpDevice &each : analysis.devices)
        json.object([&] {
          json.attribute("name", each.name);
          json.attribute("assumed", each.source == DumpDevice::Source::Assumed);
        });
    });
    json.objectEnd();
    json.flush();
    return bad;
  }

private:
  int64_t line(std::size_t at) const { return lines.position(at).line; }

  /// A dump may have any bytes, and JSON has only UTF-8.
  static std::string plain(llvm::StringRef text) {
    return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
  }

  void write(const DumpFunction &function) {
    json.objectBegin();
    json.attribute("name", plain(function.name));
    json.attribute("line", line(function.at));
    json.attributeArray("values", [&] {
      for (const DumpValue &value : function.values)
        if (isListed(value))
          write(value);
    });
    json.attributeArray("edges", [&] {
      for (const DumpEdge &edge : function.edges)
        write(edge, function.values);
    });
    json.objectEnd();
  }

  void write(const DumpValue &value) {
    const DumpType &type = *value.type;
    json.objectBegin();
    json.attribute("name", plain(value.name));
    json.attribute("line", line(value.at));
    json.attribute("op", plain(value.op));
    json.attribute("shape", llvm::json::Array(type.shape));
    json.attribute("element", plain(type.element));
    Permutation order = type.order.empty()
                            ? identityPermutation(type.shape.size())
                            : type.order;
    json.attribute("order", llvm::json::Array(order));
    std::string layout = spellLayout(type, context);
    if (layout.empty())
      json.attribute("layout", nullptr);
    else
      json.attribute("layout", layout);
    json.attributeArray("tiles", [&] {
      for (auto [number, tile] : llvm::enumerate(type.boxes.tiles))
        json.object([&, number = number, &tile = tile] {
          json.attribute("tile", static_cast<int64_t>(number));
          write("compute", tile.compute);
          write("memory", tile.memory);
        });
    });
    json.objectEnd();
  }

  void write(llvm::StringRef name, const Box &box) {
    json.attributeObject(name, [&] {
      json.attribute("offset", llvm::json::Array(box.offsets()));
      json.attribute("size", llvm::json::Array(box.sizes()));
    });
  }

  void write(const DumpEdge &edge, const std::vector<DumpValue> &values) {
    const EdgeFinding &finding = *edge.finding;
    bad += finding.bad;
    unknown.count(edge);
    json.object([&] {
      json.attribute("line", line(edge.at));
      json.attribute("op", plain(edge.op));
      json.attribute("from", plain(values[edge.from].name));
      json.attribute("to", plain(values[edge.to].name));
      json.attribute("verdict", llvm::StringRef(toString(finding.verdict)));
      json.attribute("bytes", finding.bytes);
      json.attribute("bytes_bound", finding.bound);
      json.attribute("bytes_received", finding.received);
      json.attribute("max_tile_received", finding.maxTileReceived);
      json.attribute("reason", plain(finding.reason));
      json.attribute("bad", finding.bad);
    });
  }

  llvm::json::OStream json;
  LogLines lines;
  std::optional<DumpDevice> device;
  MLIRContext *context;
  int64_t bad = 0;
  UnknownEdges unknown;
};

} // namespace

int64_t writeDumpJson(std::string_view text,
                      const std::optional<DumpDevice> &device,
                      llvm::raw_ostream &output, MLIRContext *context) {
  int64_t bad = JsonWriter(output, text, device, context).write(text);
  output << '\n';
  return bad;
}

} // namespace npu
