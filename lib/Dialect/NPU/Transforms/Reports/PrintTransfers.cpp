// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-transfers: every redistribution's transfers, and its figures beside
// the least they can be.

#include "npu/Analysis/Choices/Movement.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/Support/Naming.h"
#include "npu/Support/Report.h"

#include "llvm/Support/JSON.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTTRANSFERS
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h.inc"

namespace {

/// One redistribution or cast, its plan in elements.
struct Row {
  Operation *op;
  RankedTensorType type;
  int64_t bits = 0;
  RedistributionPlan plan;
  int64_t relaid = 0;

  int64_t bytes(int64_t elements) const { return toBytes(elements, bits); }
  int64_t bytes(const Box &box) const { return bytes(box.volume()); }
};

struct FunctionRows {
  FunctionOpInterface function;
  std::vector<Row> rows;
};

std::string endpoint(int tile) {
  return tile == kDdr ? "ddr" : std::to_string(tile);
}

struct PrintTransfersPass : impl::PrintTransfersBase<PrintTransfersPass> {
  using PrintTransfersBase::PrintTransfersBase;

  LogicalResult initialize(MLIRContext *context) override {
    return verifyFormat(UnknownLoc::get(context), getArgument(), format);
  }

  void runOnOperation() override {
    std::vector<FunctionRows> functions;
    if (failed(verifyLayoutsFit(getOperation())) || failed(collect(functions)))
      return signalPassFailure();
    std::string text;
    llvm::raw_string_ostream os(text);
    if (format == "json")
      printJson(os, functions);
    else
      printText(os, functions);
    if (failed(writeReport(getOperation(), outputFile, text)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult collect(std::vector<FunctionRows> &functions) {
    bool planned = true;
    getOperation()->walk([&](FunctionOpInterface function) {
      FunctionRows &rows = functions.emplace_back(function);
      function->walk<WalkOrder::PreOrder>(
          [&](Operation *op) { planned &= succeeded(addRow(op, rows.rows)); });
    });
    return success(planned);
  }

  static LogicalResult addRow(Operation *op, std::vector<Row> &rows) {
    bool cast = isa<PermuteCastOp, DistributionCastOp>(op);
    if (!cast && !isa<RedistributeOp, tensor::CastOp>(op))
      return success();
    auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (isa<tensor::CastOp>(op) &&
        (!from || !to || (!getLayout(from) && !getLayout(to)) ||
         from.getEncoding() == to.getEncoding()))
      return success();
    std::optional<int64_t> bits = elementBits(to.getElementType());
    if (!bits)
      return op->emitOpError() << "expected elements of a known size, got "
                               << to.getElementType();
    Row row{op, to, *bits, {}, 0};
    if (!cast) {
      Result<RedistributionPlan> plan =
          planBetween(from, to, paddingOf(op->getResult(0)));
      if (!plan)
        return op->emitOpError() << plan.error();
      row.plan = std::move(*plan);
      row.relaid = elementsRelaid(from, to);
    }
    rows.push_back(std::move(row));
    return success();
  }

  static void printText(raw_ostream &os,
                        const std::vector<FunctionRows> &functions) {
    for (const FunctionRows &rows : functions) {
      os << "function @" << FunctionOpInterface(rows.function).getName()
         << "\n";
      for (const Row &row : rows.rows)
        printText(os, row);
    }
  }

  static void printText(raw_ostream &os, const Row &row) {
    const RedistributionPlan &plan = row.plan;
    auto figure = [&](StringRef name, const Bounded &bounded) {
      os << fmt::format("    {:<18} {:>12}  (at least {})\n", name.str(),
                        row.bytes(bounded.value), row.bytes(bounded.bound));
    };
    os << "  " << row.op->getName() << " at "
       << nameOfLocation(row.op->getLoc()) << "\n";
    if (plan.transfers.empty() && row.relaid == 0) {
      os << "    moves nothing\n";
      return;
    }
    figure("received", plan.received);
    figure("max tile received", plan.maxTileReceived);
    figure("injected", plan.injected);
    figure("max tile sent", plan.maxTileSent);
    os << fmt::format("    {:<18} {:>12}\n", "ddr", row.bytes(plan.ddr));
    os << fmt::format("    {:<18} {:>12}\n", "relaid", row.bytes(row.relaid));
    for (const Transfer &transfer : plan.transfers) {
      os << "      " << endpoint(transfer.from) << " -> ";
      llvm::interleaveComma(transfer.to, os,
                            [&](int tile) { os << endpoint(tile); });
      os << " : " << toString(transfer.box) << ", "
         << nameOfBytes(row.bytes(transfer.box)) << "\n";
    }
  }

  static void printJson(raw_ostream &os,
                        const std::vector<FunctionRows> &functions) {
    llvm::json::OStream json(os, /*IndentSize=*/2);
    json.object([&] {
      json.attributeArray("functions", [&] {
        for (const FunctionRows &rows : functions)
          json.object([&] {
            json.attribute("name",
                           FunctionOpInterface(rows.function).getName());
            json.attributeArray("redistributions", [&] {
              for (const Row &row : rows.rows)
                printJson(json, row);
            });
          });
      });
    });
    os << "\n";
  }

  static void printJson(llvm::json::OStream &json, const Row &row) {
    const RedistributionPlan &plan = row.plan;
    auto figure = [&](StringRef name, const Bounded &bounded) {
      json.attribute(name, row.bytes(bounded.value));
      json.attribute((name + "_bound").str(), row.bytes(bounded.bound));
    };
    json.object([&] {
      json.attribute("location", nameOfLocation(row.op->getLoc()));
      json.attribute("op", row.op->getName().getStringRef());
      shapeArray(json, row.type.getShape());
      json.attribute("element_bits", row.bits);
      figure("bytes_received", plan.received);
      figure("max_tile_received", plan.maxTileReceived);
      figure("bytes_injected", plan.injected);
      json.attribute("bytes_relaid", row.bytes(row.relaid));
      figure("max_tile_sent", plan.maxTileSent);
      json.attribute("ddr_bytes", row.bytes(plan.ddr));
      json.attributeArray("transfers", [&] {
        for (const Transfer &transfer : plan.transfers)
          json.object([&] {
            if (transfer.from == kDdr)
              json.attribute("from", "ddr");
            else
              json.attribute("from", transfer.from);
            if (transfer.to == std::vector<int>{kDdr})
              json.attributeArray("to", [&] { json.value("ddr"); });
            else
              numberArray(
                  json, "to",
                  SmallVector<int64_t>(transfer.to.begin(), transfer.to.end()));
            Extents offsets = transfer.box.offsets();
            Extents sizes = transfer.box.sizes();
            numberArray(json, "offset", {offsets.begin(), offsets.size()});
            numberArray(json, "size", {sizes.begin(), sizes.size()});
            json.attribute("bytes", row.bytes(transfer.box));
          });
      });
    });
  }
};

} // namespace
} // namespace npu
