// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-tile-program: prints a line for every tile, and one tile's steps.

#include "LoweredCopy.h"
#include "TileView.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/LowerToTiles/TileSteps.h"
#include "npu/Support/Naming.h"
#include "npu/Support/Report.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTTILEPROGRAM
#include "npu/Conversion/LowerToTiles/Passes.h.inc"

namespace {

struct FunctionViews {
  FunctionOpInterface function;
  std::vector<TileView> tiles;
};

bool isTransfer(const TileStep &step) { return isa<TransferOp>(step.op); }

std::string textOf(const TileStep &step) {
  std::string place = nameOfLocation(step.op->getLoc());
  std::string name = step.op->getName().getStringRef().str();
  if (!isTransfer(step))
    return fmt::format("{}{} at {}",
                       step.kind == TileStep::Kind::Enters ? "in " : "", name,
                       place);
  std::string text = fmt::format("{} {}, {}", nameOf(step.kind).str(),
                                 toString(cast<TransferOp>(step.op).getBox()),
                                 nameOfBytes(step.bytes));
  if (step.kind == TileStep::Kind::Sends)
    text += fmt::format(", to tile {}", fmt::join(step.peers, ", tile "));
  else if (step.kind == TileStep::Kind::Receives)
    text += fmt::format(", from tile {}", step.peers.front());
  return text + ", at " + place;
}

void printText(const FunctionViews &views, int64_t chosen, raw_ostream &os) {
  StringRef name = FunctionOpInterface(views.function).getName();
  size_t count = views.tiles.size();
  os << fmt::format("function @{}, {} tile{}\n", name.str(), count,
                    count == 1 ? "" : "s");
  for (auto [tile, view] : llvm::enumerate(views.tiles))
    os << fmt::format("  tile {}: {} operation{}, holds at most {}, sends {}, "
                      "receives {}, loads {}, stores {}\n",
                      tile, view.operations, view.operations == 1 ? "" : "s",
                      nameOfBytes(view.heldMost), view.sent, view.received,
                      view.loaded, view.stored);
  if (chosen < 0 || chosen >= static_cast<int64_t>(count))
    return;
  os << fmt::format("tile {} of @{}, step by step\n", chosen, name.str());
  size_t number = 0;
  for (const TileStep &step : views.tiles[chosen].steps)
    os << fmt::format("{:>5}  {:{}}{}; holds {}\n", ++number, "",
                      2 * step.depth, textOf(step), nameOfBytes(step.held));
}

/// Instead of the number of a tile: the steps of every tile are printed.
constexpr int64_t allTiles = -2;

class JsonPrinter {
public:
  JsonPrinter(raw_ostream &os, int64_t chosen)
      : os(os), json(os, /*IndentSize=*/2), chosen(chosen) {}

  void print(ArrayRef<FunctionViews> functions) {
    json.object([&] {
      json.attributeArray("functions", [&] {
        for (const FunctionViews &views : functions)
          json.object([&] { print(views); });
      });
    });
    json.flush();
    os << '\n';
  }

private:
  void print(const FunctionViews &views) {
    json.attribute("name", FunctionOpInterface(views.function).getName());
    json.attributeArray("tiles", [&] {
      for (auto [tile, view] : llvm::enumerate(views.tiles))
        json.object([&, tile = tile, &view = view] {
          print(static_cast<int64_t>(tile), view);
        });
    });
  }

  void print(int64_t tile, const TileView &view) {
    json.attribute("tile", tile);
    json.attribute("operations", view.operations);
    json.attribute("bytes_held", view.heldMost);
    json.attribute("bytes_sent", view.sent);
    json.attribute("bytes_received", view.received);
    json.attribute("bytes_loaded", view.loaded);
    json.attribute("bytes_stored", view.stored);
    if (chosen != allTiles && tile != chosen)
      return;
    json.attributeArray("steps", [&] {
      for (const TileStep &step : view.steps)
        json.object([&] { print(step); });
    });
  }

  void print(const TileStep &step) {
    json.attribute("step", nameOf(step.kind));
    json.attribute("op", step.op->getName().getStringRef());
    json.attribute("location", nameOfLocation(step.op->getLoc()));
    json.attribute("depth", step.depth);
    if (isTransfer(step)) {
      Box box = cast<TransferOp>(step.op).getBox();
      Extents offsets = box.offsets(), sizes = box.sizes();
      numberArray(json, "offset", {offsets.begin(), offsets.size()});
      numberArray(json, "size", {sizes.begin(), sizes.size()});
      json.attribute("bytes", step.bytes);
    }
    if (step.kind == TileStep::Kind::Sends ||
        step.kind == TileStep::Kind::Receives)
      numberArray(json, "tiles", step.peers);
    json.attribute("bytes_held", step.held);
  }

  raw_ostream &os;
  llvm::json::OStream json;
  int64_t chosen;
};

/// Lists the functions of a tile program that have a body.
LogicalResult viewsOfFunctions(ModuleOp program,
                               std::vector<FunctionViews> &functions) {
  for (auto function : program.getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    FailureOr<std::vector<TileView>> tiles = viewsOfTiles(function);
    if (failed(tiles))
      return failure();
    functions.push_back({function, std::move(*tiles)});
  }
  return success();
}

struct PrintTileProgramPass : impl::PrintTileProgramBase<PrintTileProgramPass> {
  using PrintTileProgramBase::PrintTileProgramBase;

  LogicalResult initialize(MLIRContext *context) override {
    Location loc = UnknownLoc::get(context);
    if (int64_t chosen = tile; chosen < -1)
      return mlir::emitError(loc)
             << getArgument() << ": expected a tile of at least 0, got "
             << chosen;
    return verifyFormat(loc, getArgument(), format);
  }

  void runOnOperation() override {
    auto lowered = loweredCopyOf(getOperation());
    if (failed(lowered))
      return signalPassFailure();
    ModuleOp program = *lowered ? **lowered : getOperation();
    std::vector<FunctionViews> functions;
    if (failed(collect(program, functions)))
      return signalPassFailure();
    std::string text;
    llvm::raw_string_ostream os(text);
    if (format == "json") {
      JsonPrinter(os, tile).print(functions);
      os << "\n";
    } else {
      for (const FunctionViews &views : functions)
        printText(views, tile, os);
    }
    if (failed(writeReport(getOperation(), getArgument(), outputFile, text)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult collect(ModuleOp program,
                        std::vector<FunctionViews> &functions) {
    if (failed(viewsOfFunctions(program, functions)))
      return failure();
    size_t most = 0;
    for (const FunctionViews &views : functions)
      most = std::max(most, views.tiles.size());
    int64_t chosen = tile;
    if (chosen < static_cast<int64_t>(std::max<size_t>(most, 1)))
      return success();
    return mlir::emitError(getOperation().getLoc())
           << getArgument() << ": expected a tile below " << most
           << ", the number of tiles, got " << chosen;
  }
};

} // namespace

FailureOr<std::string> tileStepsAsJson(ModuleOp program) {
  std::vector<FunctionViews> functions;
  if (failed(viewsOfFunctions(program, functions)))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  JsonPrinter(os, allTiles).print(functions);
  return text;
}

} // namespace npu
