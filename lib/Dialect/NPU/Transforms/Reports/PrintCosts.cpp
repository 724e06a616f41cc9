// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-costs: prints what every operation and every movement costs on a
// target, and the sums.

#include "npu/Analysis/Costs/EngineOrders.h"
#include "npu/Analysis/Costs/FunctionCosts.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/Support/Naming.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTCOSTS
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h.inc"

namespace {

std::string kindOf(const CostRow &row) {
  return row.isMovement ? "movement" : "operation";
}

std::string nameOf(const CostRow &row) {
  return row.op->getName().getStringRef().str();
}

/// A table of the rows that cost something, in columns as wide as they have to
/// be, and the sums below.
std::string textOf(const FunctionCosts &costs, const Target &target) {
  size_t cycles = std::to_string(costs.total).size();
  size_t name = 0, tile = 4, bytes = 5;
  cycles = std::max(cycles, std::string_view("cycles").size());
  size_t free = 0;
  for (const CostRow &row : costs.rows) {
    free += row.cost.cycles == 0;
    name = std::max(name, nameOf(row).size());
    tile = std::max(tile, std::to_string(row.cost.tile).size());
    bytes = std::max(bytes, std::to_string(row.cost.bytes).size());
  }
  name = std::max(name, std::string_view("name").size());
  std::string text =
      fmt::format("function @{} on {}\n",
                  FunctionOpInterface(costs.function).getName().str(),
                  target.name) +
      fmt::format("  {:>{}}  {:<9}  {:<{}}  {:>{}}  {:>{}}  at\n", "cycles",
                  cycles, "kind", "name", name, "tile", tile, "bytes", bytes);
  for (const CostRow &row : costs.rows)
    if (row.cost.cycles != 0)
      text += fmt::format("  {:>{}}  {:<9}  {:<{}}  {:>{}}  {:>{}}  {}\n",
                          row.cost.cycles, cycles, kindOf(row), nameOf(row),
                          name, row.cost.tile, tile, row.cost.bytes, bytes,
                          nameOfLocation(row.op->getLoc()));
  auto sum = [&](int64_t value, std::string_view of) {
    text += fmt::format("  {:>{}}  {}\n", value, cycles, of);
  };
  sum(costs.ofOperations, "operations");
  sum(costs.ofMovements, "movements");
  sum(costs.total, "total");
  text += fmt::format("  {} bytes from and to DDR", costs.ddrBytes);
  if (costs.ddrBytesBound > 0)
    text +=
        fmt::format(", at least {} (arguments, constants and results once): "
                    "{:.2f} times",
                    costs.ddrBytesBound,
                    static_cast<double>(costs.ddrBytes) /
                        static_cast<double>(costs.ddrBytesBound));
  text += "\n";
  if (free != 0)
    text += fmt::format("  {} more of 0 cycles\n", free);
  return text;
}

void writeJson(llvm::json::OStream &json, const FunctionCosts &costs,
               const Target &target) {
  json.attribute("name", FunctionOpInterface(costs.function).getName());
  json.attribute("target", target.name);
  json.attribute("unit", "cycles");
  json.attribute("total", costs.total);
  json.attribute("ddr_bytes", costs.ddrBytes);
  json.attribute("ddr_bytes_bound", costs.ddrBytesBound);
  json.attributeArray("rows", [&] {
    for (const CostRow &row : costs.rows)
      json.object([&] {
        json.attribute("kind", kindOf(row));
        json.attribute("op", nameOf(row));
        json.attribute("location", nameOfLocation(row.op->getLoc()));
        json.attribute("cycles", row.cost.cycles);
        json.attribute("tile", row.cost.tile);
        json.attribute("bytes", row.cost.bytes);
        json.attribute("ddr_bytes", row.cost.ddrBytes);
      });
  });
}

/// Largest first, and equal ones in program order.
void sortByCycles(std::vector<CostRow> &rows) {
  std::vector<std::pair<int64_t, size_t>> places;
  for (auto [number, row] : llvm::enumerate(rows))
    places.emplace_back(-row.cost.cycles, number);
  llvm::sort(places);
  std::vector<CostRow> sorted;
  sorted.reserve(rows.size());
  for (auto [cycles, number] : places)
    sorted.push_back(rows[number]);
  rows = std::move(sorted);
}

/// Says which figures count for products of two types: a device has figures of
/// one.
void remarkWidened(const FunctionCosts &costs, const Target &target) {
  llvm::MapVector<std::pair<Type, Type>, SmallVector<Operation *>> found;
  FunctionOpInterface function = costs.function;
  function.walk([&](linalg::LinalgOp op) {
    if (auto factors = widenedFactorsOf(op))
      found[*factors].push_back(op);
  });
  for (auto &[factors, ops] : found)
    mlir::emitRemark(ops.front()->getLoc())
        << "a product of " << factors.first << " and " << factors.second
        << ", the first of " << ops.size() << ", costs as one of "
        << factors.first << ": " << target.name
        << " has no figures of both types, and widening is taken to be its "
           "engine's";
}

/// Says what the figures leave out.
void remarkAssumptions(const FunctionCosts &costs, const Target &target) {
  remarkWidened(costs, target);
  for (Operation *loop : costs.unknownLoops)
    mlir::emitRemark(loop->getLoc())
        << "nobody knows how often '" << loop->getName()
        << "' runs: its costs are those of one round";
  if (costs.ofDynamicShape.empty())
    return;
  mlir::emitRemark(costs.ofDynamicShape.front()->getLoc())
      << "'" << costs.ofDynamicShape.front()->getName()
      << "' has a result of dynamic shape, the first of "
      << costs.ofDynamicShape.size()
      << " such operations: a dynamic extent counts as 1";
}

struct PrintCostsPass : impl::PrintCostsBase<PrintCostsPass> {
  using PrintCostsBase::PrintCostsBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(PrintCostsBase::initializeOptions(text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  LogicalResult initialize(MLIRContext *context) override {
    return verifyFormat(UnknownLoc::get(context), getArgument(), format);
  }

  void runOnOperation() override {
    FailureOr<Target> device = findTarget();
    if (failed(device) || failed(verifyIsLegal()))
      return signalPassFailure();
    std::vector<FunctionCosts> functions;
    getOperation()->walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        functions.push_back(costsOf(function, *device));
    });
    for (FunctionCosts &costs : functions) {
      remarkAssumptions(costs, *device);
      if (largestFirst)
        sortByCycles(costs.rows);
    }
    if (failed(writeReport(getOperation(), getArgument(), outputFile,
                           reportOf(functions, *device))))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  FailureOr<Target> findTarget() {
    auto found = targetWithCosts(getOperation(), target);
    if (failed(found))
      return failure();
    if (!*found)
      return getOperation()->emitError()
             << "expected a target whose figures count (target=, or in the "
                "module), got none";
    return std::move(**found);
  }

  /// What verification accepts, and tile programs no longer are.
  LogicalResult verifyIsLegal() {
    WalkResult walked = getOperation()->walk([&](TransferOp transfer) {
      transfer.emitError() << "expected functions with layouts to print costs "
                              "of, got a tile program";
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return failure();
    OpPassManager verify(getOperation().getOperationName());
    VerifyDistributionsOptions options;
    options.gather = HostFallbackPolicy::Allow;
    verify.addPass(createVerifyDistributions(options));
    return runPipeline(verify, getOperation());
  }

  std::string reportOf(const std::vector<FunctionCosts> &functions,
                       const Target &device) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (format != "json") {
      for (const FunctionCosts &costs : functions)
        os << textOf(costs, device);
      return text;
    }
    llvm::json::OStream json(os, /*IndentSize=*/2);
    json.object([&] {
      json.attributeArray("functions", [&] {
        for (const FunctionCosts &costs : functions)
          json.object([&] { writeJson(json, costs, device); });
      });
    });
    os << "\n";
    return text;
  }
};

} // namespace
} // namespace npu
