// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains a log for programs.

#include "../Log/LogFields.h"
#include "EqualFailures.h"
#include "FieldRepair.h"

#include "npu/Analysis/Choices/Movement.h"

#include "llvm/Support/JSON.h"

using namespace mlir;

namespace npu {
namespace {

StringRef wordOf(Relation relation) {
  static constexpr llvm::StringLiteral words[] = {"spelling", "label", "narrow",
                                                  "moves"};
  return words[static_cast<std::size_t>(relation)];
}

std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// A log may have any bytes, and JSON has only UTF-8.
std::string plain(StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

class JsonWriter {
public:
  JsonWriter(const NpuLog &log, const std::vector<OtherLengths> &lengths,
             llvm::raw_ostream &output)
      : log(log), lengths(lengths), json(output, /*IndentSize=*/1) {}

  void write(const std::vector<EqualFailures> &kinds) {
    json.object([&] {
      json.attribute("file", plain(log.fileName.getValue()));
      json.attribute("errors", static_cast<int64_t>(log.errors.size()));
      json.attributeArray("failures", [&] {
        for (const EqualFailures &kind : kinds)
          json.object([&] {
            write(kind);
            if (!lengths.empty())
              write(lengths[&kind - kinds.data()]);
          });
      });
    });
    json.flush();
  }

private:
  void write(const EqualFailures &kind) {
    const LoggedError &error = log.errors[kind.front()];
    const LoggedCast &cast = log.casts[kind.front()];
    json.attribute("op", plain(error.op));
    json.attribute("count", static_cast<int64_t>(kind.size()));
    json.attributeArray("places", [&] {
      for (std::size_t number : kind)
        json.object([&] { writePlace(log.errors[number]); });
    });
    json.attribute("verdict", wordOf(relate(cast.expected, cast.out)));
    // The log's own `expected` is another one than that of the assumed cast:
    // the verdict is that of the assumed one, and may be wrong.
    json.attribute("contradiction", bool(cast.contradicting));
    json.attribute("in", spell(cast.in));
    json.attribute("expected", spell(cast.expected));
    json.attribute("out", spell(cast.out));
    if (cast.contradicting)
      json.attribute("logged_expected", spell(cast.contradicting));
    writeTiles(cast);
    json.attributeArray("fields", [&] { writeFields(error, cast); });
    writeCost(cast);
    json.attribute("repaired", spellRepaired(log, kind.front()));
    json.attributeArray("repaired_in_the_field", [&] {
      for (const std::string &line : spellFieldRepair(error, cast))
        json.value(plain(line));
    });
    json.attributeArray("next_dump", [&] {
      for (std::string_view variable : kDumpVariables)
        json.value(StringRef(variable));
    });
    json.attributeArray("remarks", [&] {
      for (const LogMessage &message : error.messages)
        json.object([&] {
          writePosition(message.at);
          json.attribute("text", plain(message.text));
        });
    });
  }

  void write(const OtherLengths &asked) {
    json.attribute("prompt_dimension",
                   asked.dim
                       ? llvm::json::Value(static_cast<int64_t>(*asked.dim))
                       : llvm::json::Value(nullptr));
    json.attribute("failing_lengths", llvm::json::Array(asked.failing()));
    json.attributeArray("lengths", [&] {
      for (const LengthAnswer &answer : asked.answers)
        json.object([&] {
          json.attribute("length", answer.length);
          json.attribute("fails", answer.fails());
          if (!answer.problem.empty()) {
            json.attribute("problem", plain(answer.problem));
            return;
          }
          json.attribute("verdict", wordOf(answer.relation));
          json.attributeArray("fields", [&] {
            for (std::string_view field : answer.fields)
              json.value(StringRef(field));
          });
          json.attribute("bytes_bound", answer.bytes);
          json.attribute("bytes_through_ddr", answer.bytesThroughDdr);
        });
    });
  }

  void writePosition(std::size_t at) {
    LogLines::Position place = log.lines.position(at);
    json.attribute("line", static_cast<int64_t>(place.line));
    json.attribute("column", static_cast<int64_t>(place.column));
  }

  void writePlace(const LoggedError &error) {
    FileLineColLoc place = log.location(error.at);
    json.attribute("line", static_cast<int64_t>(place.getLine()));
    json.attribute("column", static_cast<int64_t>(place.getColumn()));
    json.attributeArray("names", [&] {
      for (const std::string &name : error.location.names)
        json.value(plain(name));
    });
  }

  void writeBox(StringRef name, const Placement &placement, std::size_t tile) {
    Box box = placement.memoryOf(tile);
    Extents offsets = box.offsets(), sizes = box.sizes();
    json.attributeObject(name, [&] {
      json.attribute("offset", llvm::json::Array(offsets));
      json.attribute("size", llvm::json::Array(sizes));
    });
  }

  void writeTiles(const LoggedCast &cast) {
    const Placement &in = *getPlacement(cast.in);
    const Placement &expected = *getPlacement(cast.expected);
    const Placement &out = *getPlacement(cast.out);
    json.attributeArray("tiles", [&] {
      for (std::size_t tile = 0;
           tile < std::max(expected.tiles.size(), out.tiles.size()); ++tile)
        json.object([&] {
          json.attribute("tile", static_cast<int64_t>(tile));
          writeBox("in", in, tile);
          writeBox("expected", expected, tile);
          writeBox("out", out, tile);
          json.attribute("same", expected.memoryOf(tile) == out.memoryOf(tile));
        });
    });
  }

  void writeFields(const LoggedError &error, const LoggedCast &cast) {
    for (const FieldDefinition &definition : fieldDefinitions()) {
      const LoggedField *a = cast.expectedFields.find(definition.name);
      const LoggedField *b = error.out.find(definition.name);
      if (sameValue(a, b))
        continue;
      json.object([&] {
        json.attribute("name", StringRef(definition.name));
        json.attribute("expected", plain(npu::spell(a)));
        json.attribute("out", plain(npu::spell(b)));
      });
    }
  }

  void writeCost(const LoggedCast &cast) {
    int64_t bits = elementBits(cast.in.getElementType()).value_or(64);
    Result<RedistributionPlan> plan = planBetween(cast.expected, cast.out);
    // Without a plan, what is missing is known all the same.
    int64_t missing =
        elementsMissing(*getPlacement(cast.expected), *getPlacement(cast.out));
    json.attribute("bytes",
                   plan ? llvm::json::Value(toBytes(plan->received.value, bits))
                        : llvm::json::Value(nullptr));
    json.attribute("bytes_bound",
                   toBytes(plan ? plan->received.bound : missing, bits));
    json.attribute(
        "max_tile_received",
        plan ? llvm::json::Value(toBytes(plan->maxTileReceived.value, bits))
             : llvm::json::Value(nullptr));
    json.attribute("bytes_through_ddr",
                   2 * toBytes(cast.in.getNumElements(), bits));
  }

  const NpuLog &log;
  const std::vector<OtherLengths> &lengths;
  llvm::json::OStream json;
};

} // namespace

std::string explainAsJson(const NpuLog &log,
                          const std::vector<EqualFailures> &kinds,
                          const std::vector<OtherLengths> &lengths) {
  std::string text;
  llvm::raw_string_ostream os(text);
  JsonWriter(log, lengths, os).write(kinds);
  return text + "\n";
}

} // namespace npu
