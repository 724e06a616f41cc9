// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-transfers: prints the transfers of every redistribution, its
// figures beside their bounds, the operations that fall back to the host, and
// the totals.

#include "FunctionTraffic.h"
#include "PictureOptions.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/Placement/Pictures/Lines.h"
#include "npu/Placement/Pictures/TrafficPicture.h"
#include "npu/Support/Naming.h"
#include "npu/Support/OptionReaders.h"
#include "npu/Support/Report.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTTRANSFERS
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h.inc"

namespace {

std::string numberOfEndpoint(int tile) {
  return tile == kDdr ? "ddr" : std::to_string(tile);
}

std::string textOf(const Transfer &transfer, int64_t bytes) {
  std::string to;
  for (int tile : transfer.to)
    to += (to.empty() ? "" : ", ") + numberOfEndpoint(tile);
  return fmt::format("      {} -> {} : {}, {}\n",
                     numberOfEndpoint(transfer.from), to,
                     toString(transfer.box), nameOfBytes(bytes));
}

Transfer transferOf(TransferOp op) {
  return {static_cast<int>(op.getFrom()),
          std::vector<int>(op.getTo().begin(), op.getTo().end()), op.getBox()};
}

int64_t bytesOfBits(int64_t bits) { return toBytes(bits, 1); }

/// Writes the report as text, or with pictures of at most so many tiles.
class TextPrinter {
public:
  TextPrinter(raw_ostream &os, std::optional<size_t> tilesOfPicture)
      : os(os), tilesOfPicture(tilesOfPicture) {}

  void print(const FunctionTraffic &traffic) {
    line(
        ("function @" + FunctionOpInterface(traffic.function).getName()).str());
    for (const MoveRow &row : traffic.moves)
      print(row, traffic.machines);
    for (const HostFallbackRow &row : traffic.fallbacks)
      print(row);
    print(traffic.transfers);
    if (!traffic.isEmpty())
      print(traffic.totals, traffic.isTileProgram());
  }

private:
  void print(const MoveRow &row, Machines machines) {
    const RedistributionPlan &plan = row.plan;
    line(header(row.op));
    if (plan.transfers.empty() && row.relaid == 0) {
      os << "    moves nothing\n";
      return;
    }
    if (row.ofNothing)
      os << "    nobody has written it: made where it goes, in no total\n";
    auto bounded = [&](StringRef name, const Bounded &figure) {
      os << boundedLine(name, row.bytes(figure.value), row.bytes(figure.bound));
    };
    bounded("received", plan.received);
    bounded("max tile received", plan.maxTileReceived);
    bounded("injected", plan.injected);
    bounded("max tile sent", plan.maxTileSent);
    if (machines.areSeveral())
      bounded("between machines", plan.betweenMachines);
    figure("ddr", row.bytes(plan.ddr));
    figure("relaid", row.bytes(row.relaid));
    if (!plan.transfers.areListed()) {
      os << fmt::format("      {} transfers, too many to list\n",
                        plan.transfers.size());
      return;
    }
    std::vector<std::pair<Transfer, int64_t>> transfers;
    for (const Transfer &transfer : plan.transfers)
      transfers.emplace_back(transfer, row.bytes(transfer.box));
    print(transfers);
  }

  void print(const HostFallbackRow &row) {
    line(header(row.op) + ", host fallback: " + row.fallback.reason);
    figure("stored", bytesOfBits(row.fallback.storedBits));
    figure("loaded", bytesOfBits(row.fallback.loadedBits));
  }

  /// Prints the transfers of each location below a line of its own. In the
  /// program they are apart, because it goes tile by tile.
  void print(const std::vector<TransferOp> &transfers) {
    llvm::MapVector<StringAttr, SmallVector<TransferOp>> places;
    for (TransferOp transfer : transfers)
      places[StringAttr::get(transfer.getContext(),
                             nameOfLocation(transfer.getLoc()))]
          .push_back(transfer);
    for (const auto &[place, there] : places) {
      line(header(there.front()));
      std::vector<std::pair<Transfer, int64_t>> rows;
      for (TransferOp transfer : there)
        rows.emplace_back(
            transferOf(transfer),
            static_cast<int64_t>(TransferOp(transfer).getBytes()));
      print(rows);
    }
  }

  void print(const std::vector<std::pair<Transfer, int64_t>> &transfers) {
    std::vector<Traffic> all;
    for (const auto &[transfer, bytes] : transfers)
      if (tilesOfPicture)
        all.push_back({transfer.from, transfer.to, bytes});
      else
        os << textOf(transfer, bytes);
    os << trafficPicture(all, tilesOfPicture.value_or(0), /*indent=*/4);
  }

  /// Prints totals. In those of a tile program, figures that it does not have
  /// are 0.
  void print(const TrafficTotals &totals, bool isTileProgram) {
    os << "  total\n";
    bool moves = false;
    auto sum = [&](StringRef name, int64_t bits) {
      if (bits != 0)
        figure(name, bytesOfBits(bits));
      moves |= bits != 0;
    };
    sum("received", totals.received);
    sum("injected", totals.injected);
    if (const Bounded &between = totals.betweenMachines;
        between.value != 0 && !isTileProgram)
      os << boundedLine("between machines", bytesOfBits(between.value),
                        bytesOfBits(between.bound));
    else
      sum("between machines", between.value);
    sum("ddr", totals.ddr);
    sum("  host fallback", totals.fallbacks);
    sum("  boundary", totals.boundary);
    sum("relaid", totals.relaid);
    if (!moves)
      os << "    moves nothing\n";
  }

  static std::string header(Operation *op) {
    return ("  " + op->getName().getStringRef() + " at ").str() +
           nameOfLocation(op->getLoc());
  }

  void line(const std::string &text) {
    if (tilesOfPicture)
      os << wrapped(text, /*indent=*/6);
    else
      os << text << "\n";
  }

  static std::string boundedLine(StringRef name, int64_t bytes, int64_t bound) {
    return fmt::format("    {:<18} {:>12}  (at least {})\n", name.str(), bytes,
                       bound);
  }

  void figure(StringRef name, int64_t bytes) {
    os << fmt::format("    {:<18} {:>12}\n", name.str(), bytes);
  }

  raw_ostream &os;
  std::optional<size_t> tilesOfPicture;
};

/// Writes the report as JSON.
class JsonPrinter {
public:
  explicit JsonPrinter(raw_ostream &os) : json(os, /*IndentSize=*/2) {}

  void print(const std::vector<FunctionTraffic> &functions) {
    json.object([&] { array("functions", functions); });
  }

private:
  template <typename Rows>
  void array(StringRef name, const Rows &rows) {
    json.attributeArray(name, [&] {
      for (const auto &row : rows)
        json.object([&] { print(row); });
    });
  }

  void print(const FunctionTraffic &traffic) {
    json.attribute("name", FunctionOpInterface(traffic.function).getName());
    machines = traffic.machines;
    array("redistributions", traffic.moves);
    array("gathered", traffic.fallbacks);
    if (traffic.isTileProgram())
      array("transfers", traffic.transfers);
    json.attributeObject(
        "totals", [&] { print(traffic.totals, traffic.isTileProgram()); });
  }

  void print(const MoveRow &row) {
    const RedistributionPlan &plan = row.plan;
    auto bounded = [&](StringRef name, const Bounded &figure) {
      json.attribute(name, row.bytes(figure.value));
      json.attribute((name + "_bound").str(), row.bytes(figure.bound));
    };
    header(row.op);
    shapeArray(json, row.type.getShape());
    json.attribute("element_bits", row.elementBits);
    bounded("bytes_received", plan.received);
    bounded("max_tile_received", plan.maxTileReceived);
    bounded("bytes_injected", plan.injected);
    json.attribute("bytes_relaid", row.bytes(row.relaid));
    bounded("max_tile_sent", plan.maxTileSent);
    if (machines.areSeveral())
      bounded("bytes_between_machines", plan.betweenMachines);
    json.attribute("ddr_bytes", row.bytes(plan.ddr));
    bool areListed = plan.transfers.areListed();
    json.attributeArray("transfers", [&] {
      if (areListed)
        for (const Transfer &transfer : plan.transfers)
          json.object([&] { print(transfer, row.bytes(transfer.box)); });
    });
    if (!areListed)
      json.attribute("transfers_left_out",
                     static_cast<int64_t>(plan.transfers.size()));
  }

  void print(const HostFallbackRow &row) {
    header(row.op);
    json.attribute("reason", row.fallback.reason);
    json.attribute("bytes_stored", bytesOfBits(row.fallback.storedBits));
    json.attribute("bytes_loaded", bytesOfBits(row.fallback.loadedBits));
    json.attribute("ddr_bytes", row.fallback.bytes());
  }

  void print(TransferOp op) {
    json.attribute("location", nameOfLocation(op.getLoc()));
    print(transferOf(op), static_cast<int64_t>(op.getBytes()));
  }

  void print(const Transfer &transfer, int64_t bytes) {
    if (transfer.from == kDdr)
      json.attribute("from", "ddr");
    else
      json.attribute("from", transfer.from);
    if (transfer.to == std::vector<int>{kDdr})
      json.attributeArray("to", [&] { json.value("ddr"); });
    else
      numberArray(json, "to",
                  SmallVector<int64_t>(transfer.to.begin(), transfer.to.end()));
    Extents offsets = transfer.box.offsets();
    Extents sizes = transfer.box.sizes();
    numberArray(json, "offset", {offsets.begin(), offsets.size()});
    numberArray(json, "size", {sizes.begin(), sizes.size()});
    json.attribute("bytes", bytes);
  }

  void print(const TrafficTotals &totals, bool tileProgram) {
    json.attribute("bytes_received", bytesOfBits(totals.received));
    json.attribute("bytes_injected", bytesOfBits(totals.injected));
    if (machines.areSeveral())
      json.attribute("bytes_between_machines",
                     bytesOfBits(totals.betweenMachines.value));
    if (machines.areSeveral() && !tileProgram)
      json.attribute("bytes_between_machines_bound",
                     bytesOfBits(totals.betweenMachines.bound));
    if (!tileProgram)
      json.attribute("bytes_relaid", bytesOfBits(totals.relaid));
    json.attribute("ddr_bytes", bytesOfBits(totals.ddr));
    if (tileProgram)
      return;
    json.attribute("gathered_bytes", bytesOfBits(totals.fallbacks));
    json.attribute("boundary_bytes", bytesOfBits(totals.boundary));
  }

  void header(Operation *op) {
    json.attribute("location", nameOfLocation(op->getLoc()));
    json.attribute("op", op->getName().getStringRef());
  }

  llvm::json::OStream json;
  /// Those of the function that is printed.
  Machines machines;
};

struct PrintTransfersPass : impl::PrintTransfersBase<PrintTransfersPass> {
  using PrintTransfersBase::PrintTransfersBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(PrintTransfersBase::initializeOptions(text, fail)))
      return failure();
    return verifyOptionReaders(
        getArgument(), {{"tiles", {"format=picture"}, {}, "16"}}, text, fail);
  }

  LogicalResult initialize(MLIRContext *context) override {
    return verifyPictureOptions(context, getArgument(), format, tiles);
  }

  void runOnOperation() override {
    std::vector<FunctionTraffic> functions;
    // What is wrong with the machines is said once, and not for each function.
    if (failed(verifyLayoutsFit(getOperation())) ||
        failed(machinesOf(getOperation())) || failed(collect(functions)))
      return signalPassFailure();
    bool isPicture = format == "picture";
    std::string text;
    llvm::raw_string_ostream os(text);
    if (format == "json") {
      JsonPrinter(os).print(functions);
      os << "\n";
    } else {
      TextPrinter printer(os, isPicture ? std::optional<size_t>(tiles)
                                        : std::nullopt);
      for (const FunctionTraffic &traffic : functions)
        printer.print(traffic);
    }
    if (failed(writeReport(getOperation(), getArgument(), outputFile, text,
                           isPicture)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult collect(std::vector<FunctionTraffic> &functions) {
    bool planned = true;
    getOperation()->walk([&](FunctionOpInterface function) {
      FailureOr<FunctionTraffic> traffic = trafficOf(function);
      if (succeeded(traffic))
        functions.push_back(std::move(*traffic));
      else
        planned = false;
    });
    return success(planned);
  }
};

} // namespace
} // namespace npu
