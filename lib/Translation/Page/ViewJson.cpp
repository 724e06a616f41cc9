// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The view as the JSON that the page reads.

#include "ProgramView.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace npu {
namespace {

/// What a page has room for of a schedule: the longest rows and uses are kept,
/// and the page says how many are not.
constexpr size_t kMostRows = 20000;
/// Operations whose times are listed.
constexpr size_t kMostPlaces = 50;

/// The numbers, in order, of the items that are kept: all of them, or those
/// that `size` says are largest.
template <typename Items, typename Size>
std::vector<size_t> largest(const Items &items, Size size) {
  std::vector<size_t> kept(items.size());
  std::iota(kept.begin(), kept.end(), size_t(0));
  if (kept.size() <= kMostRows)
    return kept;
  llvm::sort(kept, [&](size_t a, size_t b) {
    return std::pair(size(items[a]), b) > std::pair(size(items[b]), a);
  });
  kept.resize(kMostRows);
  llvm::sort(kept);
  return kept;
}

class Writer {
public:
  explicit Writer(llvm::raw_ostream &os) : json(os) {}

  void write(const ProgramView &view) {
    json.object([&] {
      text("file", view.file);
      text("kind", view.kind);
      if (!view.words.empty())
        text("words", view.words);
      json.attributeArray("stages", [&] {
        for (const ViewStage &stage : view.stages)
          json.object([&] { write(stage); });
      });
    });
  }

private:
  void text(StringRef name, StringRef value) {
    json.attribute(name, plainText(value));
  }

  template <typename Numbers>
  void numbers(StringRef name, const Numbers &all) {
    json.attributeArray(name, [&] {
      for (auto number : all)
        json.value(static_cast<int64_t>(number));
    });
  }

  template <typename Items>
  void objects(StringRef name, const Items &items) {
    json.attributeArray(name, [&] {
      for (const auto &item : items)
        json.object([&] { write(item); });
    });
  }

  void strings(StringRef name, const std::vector<std::string> &all) {
    json.attributeArray(name, [&] {
      for (const std::string &each : all)
        json.value(plainText(each));
    });
  }

  void write(const ViewPlace &place) {
    strings("names", place.names);
    text("place", place.place);
  }

  void write(const ViewStage &stage) {
    text("title", stage.title);
    text("explanation", stage.explanation);
    objects("functions", stage.functions);
    objects("problems", stage.problems);
    objects("decisions", stage.decisions);
    strings("missing", stage.missing);
  }

  void write(const ViewProblem &problem) {
    text("severity", problem.severity);
    text("text", problem.text);
    write(problem.place);
    strings("notes", problem.notes);
  }

  void write(const ViewDecision &decision) {
    text("name", decision.name);
    text("function", decision.function);
    text("reason", decision.reason);
    write(decision.place);
    json.attributeObject("figures", [&] {
      for (const auto &[name, value] : decision.figures)
        text(name, value);
    });
  }

  void write(const ViewFunction &function) {
    text("name", function.name);
    write(function.place);
    json.attributeArray("types", [&] {
      for (Type type : function.types)
        json.object([&] { write(type); });
    });
    objects("values", function.values);
    objects("operations", function.operations);
    strings("layers", function.layers);
    if (function.operationsLeftOut > 0) {
      json.attribute("operationsLeftOut", function.operationsLeftOut);
      text("whyLeftOut", function.whyLeftOut);
    }
    if (function.run)
      json.attributeObject("run", [&] { writeRun(function); });
  }

  void write(Type type) {
    text("text", spellType(type));
    text("short", shortType(type));
    text("layout", shortLayout(type));
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    numbers("shape", tensor.getShape());
    if (auto bits = elementBits(tensor.getElementType()))
      json.attribute("bits", *bits);
    if (LayoutAttr layout = getLayout(tensor)) {
      std::string spelled;
      llvm::raw_string_ostream(spelled) << Attribute(layout);
      text("attribute", spelled);
      if (layout.isDistributed())
        text("mode", toString(layout.getDistribution().mode));
      if (!layout.getOrder().empty())
        numbers("order", layout.getOrder());
      if (layout.getStorage() != Storage::Linear)
        text("storage", toString(layout.getStorage()));
    }
    const Placement *placement = getPlacement(tensor);
    if (!placement)
      return;
    // Compute and memory box of each tile: [offset, size] each.
    json.attributeArray("tiles", [&] {
      for (const TileBoxes &tile : placement->tiles)
        json.array([&] {
          write(tile.compute);
          if (tile.memory != tile.compute)
            write(tile.memory);
        });
    });
  }

  void write(const Box &box) {
    json.array([&] {
      json.array([&] {
        for (int64_t offset : box.offsets())
          json.value(offset);
      });
      json.array([&] {
        for (int64_t size : box.sizes())
          json.value(size);
      });
    });
  }

  void write(const ViewValue &value) {
    text("name", value.name);
    json.attribute("type", static_cast<int64_t>(value.type));
    if (value.producer)
      json.attribute("producer", static_cast<int64_t>(*value.producer));
    if (value.tile)
      json.attribute("tile", *value.tile);
    if (value.padding.empty())
      return;
    json.attributeArray("padding", [&] {
      for (const PaddedRange &padding : value.padding)
        json.object([&] {
          json.attribute("dim", static_cast<int64_t>(padding.dim));
          json.attribute("begin", padding.range.begin);
          json.attribute("end", padding.range.end);
        });
    });
  }

  void write(const ViewOperation &op) {
    text("kind", op.kind);
    if (!op.body.empty())
      text("body", op.body);
    write(op.place);
    numbers("operands", op.operands);
    numbers("results", op.results);
    if (op.isSource)
      json.attribute("isSource", true);
    if (op.cycles)
      json.attribute("cycles", *op.cycles);
    if (op.tile)
      json.attribute("tile", *op.tile);
    if (op.layer)
      json.attribute("layer", static_cast<int64_t>(*op.layer));
    if (op.movement)
      json.attributeObject("movement", [&] { write(*op.movement); });
    if (!op.wrong.empty())
      objects("wrong", op.wrong);
  }

  void write(const ViewWrongOperand &wrong) {
    json.attribute("value", static_cast<int64_t>(wrong.value));
    text("reason", wrong.reason);
    json.attribute("bytes", wrong.bytes);
  }

  void write(const ViewMovement &movement) {
    json.attribute("have", static_cast<int64_t>(movement.have));
    json.attribute("want", static_cast<int64_t>(movement.want));
    json.attribute("relation", wordOf(movement.relation));
    json.attribute("moves", movement.moves);
    json.attribute("renames", movement.renames);
    json.attribute("bytesThroughDdr", movement.bytesThroughDdr);
    if (!movement.hasPlan)
      return;
    auto bounded = [&](StringRef name, const Bounded &figure) {
      json.attributeArray(name, [&] {
        json.value(figure.value);
        json.value(figure.bound);
      });
    };
    bounded("received", movement.received);
    bounded("maxTileReceived", movement.maxTileReceived);
    bounded("maxTileSent", movement.maxTileSent);
    json.attribute("ddrBytes", movement.ddrBytes);
    json.attribute("relaidBytes", movement.relaidBytes);
    objects("transfers", movement.transfers);
    if (movement.transfersLeftOut > 0)
      json.attribute("transfersLeftOut", movement.transfersLeftOut);
  }

  void write(const ViewMovement::Row &row) {
    json.attribute("from", row.from);
    numbers("to", row.to);
    json.attributeBegin("box");
    write(row.box);
    json.attributeEnd();
    json.attribute("bytes", row.bytes);
  }

  /// Rows and uses are arrays of numbers: the names that they share are listed
  /// once.
  void writeRun(const ViewFunction &function) {
    const RowsOfRun &run = *function.run;
    text("target", function.target);
    json.attribute("scratchpadBytes", function.scratchpadBytes);
    json.attribute("total", run.summary.total);
    json.attribute("seconds", run.summary.seconds);
    json.attribute("computeBound", run.summary.computeBound);
    json.attribute("ddrBound", run.summary.ddrBound);
    json.attribute("ddrBytes", run.summary.ddrBytes);
    json.attribute("ddrBytesBound", run.summary.ddrBytesBound);
    json.attribute("computeWaiting", run.summary.computeWaiting);
    json.attribute("transferWaiting", run.summary.transferWaiting);
    std::vector<size_t> rows = largest(run.rows, [](const ModelledRow &row) {
      return std::max(row.end - row.begin, row.waited);
    });
    std::vector<size_t> uses = largest(run.uses, [](const ScratchpadUse &use) {
      return static_cast<double>(use.end - use.begin) *
             static_cast<double>(use.endByte - use.firstByte);
    });
    json.attribute("rowsLeftOut",
                   static_cast<int64_t>(run.rows.size() - rows.size()));
    json.attribute("usesLeftOut",
                   static_cast<int64_t>(run.uses.size() - uses.size()));
    Names engines, works;
    std::vector<Location> places;
    llvm::DenseMap<Location, size_t> placeNumbers;
    auto placeNumber = [&](Operation *op) {
      auto [found, isNew] =
          placeNumbers.try_emplace(op->getLoc(), places.size());
      if (isNew)
        places.push_back(op->getLoc());
      return static_cast<int64_t>(found->second);
    };
    json.attributeArray("rows", [&] {
      for (size_t number : rows) {
        const ModelledRow &row = run.rows[number];
        values({engines.number(row.engine), row.begin, row.end,
                works.number(row.what), placeNumber(row.op), row.ddrBytes,
                row.isCompute, row.waited});
      }
    });
    json.attributeArray("uses", [&] {
      for (size_t number : uses) {
        const ScratchpadUse &use = run.uses[number];
        values({use.tile, use.firstByte, use.endByte, use.begin, use.end,
                placeNumber(use.writer)});
      }
    });
    json.attributeArray("times", [&] {
      for (const TimesOfPlace &times :
           llvm::ArrayRef(run.places).take_front(kMostPlaces))
        values({placeNumber(times.op),
                works.number(times.op->getName().getStringRef()), times.work,
                times.transfers, times.waiting});
    });
    json.attribute("placesLeftOut",
                   static_cast<int64_t>(
                       llvm::ArrayRef(run.places)
                           .drop_front(std::min(run.places.size(), kMostPlaces))
                           .size()));
    strings("engines", engines.all);
    strings("works", works.all);
    json.attributeArray("places", [&] {
      for (Location place : places)
        json.object([&] { write(placeOf(place)); });
    });
  }

  void values(std::initializer_list<int64_t> all) {
    json.array([&] {
      for (int64_t each : all)
        json.value(each);
    });
  }

  struct Names {
    std::vector<std::string> all;
    llvm::StringMap<int64_t> numbers;
    int64_t number(StringRef name) {
      auto [found, isNew] =
          numbers.try_emplace(name, static_cast<int64_t>(all.size()));
      if (isNew)
        all.push_back(name.str());
      return found->second;
    }
  };

  llvm::json::OStream json;
};

} // namespace

std::string toJson(const ProgramView &view) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Writer(os).write(view);
  return text;
}

} // namespace npu
