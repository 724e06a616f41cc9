// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-distributions: prints the placement of every value.

#include "PictureOptions.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/Placement/Pictures/Lines.h"
#include "npu/Placement/Pictures/PlacementPicture.h"
#include "npu/Support/Naming.h"
#include "npu/Support/OptionReaders.h"
#include "npu/Support/Report.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTDISTRIBUTIONS
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h.inc"

namespace {

std::string nameIn(const AsmState &state, Value value) {
  std::string name;
  llvm::raw_string_ostream os(name);
  value.printAsOperand(os, const_cast<AsmState &>(state));
  return name;
}

std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

struct PrintDistributionsPass
    : impl::PrintDistributionsBase<PrintDistributionsPass> {
  using PrintDistributionsBase::PrintDistributionsBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(PrintDistributionsBase::initializeOptions(text, fail)))
      return failure();
    return verifyOptionReaders(
        getArgument(), {{"tiles", {"format=picture"}, {}, "16"}}, text, fail);
  }

  LogicalResult initialize(MLIRContext *context) override {
    return verifyPictureOptions(context, getArgument(), format, tiles);
  }

  void runOnOperation() override {
    if (failed(verifyLayoutsFit(getOperation())))
      return signalPassFailure();
    std::string text;
    llvm::raw_string_ostream os(text);
    if (format == "json")
      printJson(os);
    else
      printText(os);
    if (failed(writeReport(getOperation(), getArgument(), outputFile, text,
                           isPicture())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  bool isPicture() const { return format == "picture"; }

  void printText(raw_ostream &os) {
    if (isPicture())
      os << placementLegend << "\n";
    getOperation()->walk([&](FunctionOpInterface function) {
      AsmState state(function, OpPrintingFlags().useLocalScope());
      printLine(os, ("function @" + function.getName()).str());
      for (Value value : tensorValues(function)) {
        auto type = cast<RankedTensorType>(value.getType());
        printLine(os, "  " + nameIn(state, value) + " : " + spell(type));
        Padding padding = paddingOf(value);
        for (const auto &[dim, range] : padding)
          os << fmt::format("    padding: {}:{} of dimension {}\n", range.begin,
                            range.end, dim);
        const Placement *placement = getPlacement(type);
        if (!placement)
          continue;
        if (isPicture()) {
          os << pictureOf(*placement, getOrder(type), padding, tiles,
                          /*indent=*/4);
          continue;
        }
        for (auto [tile, boxes] : llvm::enumerate(placement->tiles)) {
          os << "    " << nameOfTile(tile) << ": compute "
             << nameOfHeld(boxes.compute);
          if (boxes.memory != boxes.compute)
            os << ", memory " << nameOfHeld(boxes.memory);
          printRealPart(os, boxes.memory, padding);
          os << "\n";
        }
        if (auto bits = elementBits(type.getElementType()))
          os << "    fullest tile: "
             << nameOfBytes(toBytes(mostStored(type), *bits)) << "\n";
      }
    });
  }

  /// A line, or several with pictures. Lists of boxes are left out beyond the
  /// fourth: pictures show them.
  void printLine(raw_ostream &os, const std::string &line) const {
    if (isPicture())
      os << wrapped(line, /*indent=*/6, /*mostLines=*/4);
    else
      os << line << "\n";
  }

  /// The elements that the fullest tile stores.
  static int64_t mostStored(RankedTensorType type) {
    int64_t most = 0;
    for (const TileBoxes &tile : getPlacement(type)->tiles)
      most = std::max(most, storedVolume(tile.memory, getStorage(type)));
    return most;
  }

  /// Prints the real part of a tile's memory box, where that is not the whole
  /// box.
  static void printRealPart(raw_ostream &os, const Box &memory,
                            const Padding &padding) {
    if (paddingIn(memory, padding).empty())
      return;
    Box real = npu::realPart(memory, padding);
    if (real.isEmpty()) {
      os << ", all padding";
      return;
    }
    os << ", real ";
    llvm::interleave(
        amongPadding(real, padding), os,
        [&](const Box &box) { os << nameOfHeld(box); }, " and ");
  }

  void printJson(raw_ostream &os) {
    llvm::json::OStream json(os, /*IndentSize=*/2);
    json.object([&] {
      json.attributeArray("functions", [&] {
        getOperation()->walk([&](FunctionOpInterface function) {
          AsmState state(function, OpPrintingFlags().useLocalScope());
          json.object([&] {
            json.attribute("name", function.getName());
            json.attributeArray("values", [&] {
              for (Value value : tensorValues(function))
                printValue(json, nameIn(state, value), value);
            });
          });
        });
      });
    });
    os << "\n";
  }

  static void printValue(llvm::json::OStream &json, StringRef name,
                         Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    json.object([&] {
      json.attribute("name", name);
      json.attribute("type", spell(type));
      shapeArray(json, type.getShape());
      json.attribute("element_bits", elementBits(type.getElementType()));
      if (getStorage(type) != Storage::Linear)
        json.attribute("storage", llvm::StringRef(toString(getStorage(type))));
      printPadding(json, paddingOf(value));
      json.attributeArray("tiles", [&] {
        const Placement *placement = getPlacement(type);
        if (!placement)
          return;
        for (auto [tile, boxes] : llvm::enumerate(placement->tiles))
          json.object([&, tile = tile, &boxes = boxes] {
            json.attribute("tile", static_cast<int64_t>(tile));
            printBox(json, "compute", boxes.compute);
            printBox(json, "memory", boxes.memory);
          });
      });
    });
  }

  static void printPadding(llvm::json::OStream &json, const Padding &padding) {
    if (padding.empty())
      return;
    json.attributeArray("padding", [&] {
      for (const auto &[dim, range] : padding)
        json.object([&, dim = dim, range = range] {
          json.attribute("dim", static_cast<int64_t>(dim));
          json.attribute("begin", range.begin);
          json.attribute("end", range.end);
        });
    });
  }

  static void printBox(llvm::json::OStream &json, StringRef name,
                       const Box &box) {
    json.attributeObject(name, [&] {
      Extents offsets = box.offsets(), sizes = box.sizes();
      numberArray(json, "offset", {offsets.begin(), offsets.size()});
      numberArray(json, "size", {sizes.begin(), sizes.size()});
    });
  }
};

} // namespace
} // namespace npu
