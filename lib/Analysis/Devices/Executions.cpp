// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

constexpr Executions anyNumber{0, std::nullopt};
/// Calls deeper than this are not followed: nothing is said of recursion.
constexpr int kDeepest = 16;

std::optional<int64_t> product(std::optional<int64_t> a,
                               std::optional<int64_t> b) {
  int64_t result = 0;
  if (!a || !b || llvm::MulOverflow(*a, *b, result))
    return std::nullopt;
  return result;
}

Executions times(Executions a, Executions b) {
  return {product(a.least, b.least).value_or(0), product(a.most, b.most)};
}

Executions plus(Executions a, Executions b) {
  Executions sum{0, 0};
  if (llvm::AddOverflow(a.least, b.least, sum.least))
    sum.least = 0;
  int64_t most = 0;
  if (!a.most || !b.most || llvm::AddOverflow(*a.most, *b.most, most))
    sum.most = std::nullopt;
  else
    sum.most = most;
  return sum;
}

/// How often a block runs while the operation around it runs once.
Executions ofBlock(Block *block, Operation *around) {
  // Blocks behind branches may run in loops, or not at all.
  if (!block->isEntryBlock())
    return anyNumber;
  if (isa<FunctionOpInterface>(around))
    return {};
  if (auto loop = dyn_cast<scf::ForOp>(around)) {
    std::optional<llvm::APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->getActiveBits() > 62)
      return anyNumber;
    auto count = static_cast<int64_t>(trips->getZExtValue());
    return {count, count};
  }
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(around))
    return {0, 1};
  return anyNumber;
}

Executions ofFunction(FunctionOpInterface function, StringRef entry, int depth);

Executions upTo(Operation *op, StringRef entry, int depth) {
  Executions executions;
  while (Operation *around = op->getParentOp()) {
    executions = times(executions, ofBlock(op->getBlock(), around));
    if (auto function = dyn_cast<FunctionOpInterface>(around))
      return times(executions, ofFunction(function, entry, depth));
    op = around;
  }
  return executions;
}

Executions ofFunction(FunctionOpInterface function, StringRef entry,
                      int depth) {
  if (entry.empty() && function.isPublic())
    return {};
  auto module = function->getParentOfType<ModuleOp>();
  if (depth > kDeepest || !module)
    return anyNumber;
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(function, module);
  if (!uses)
    return anyNumber;
  // A recursive entry runs any number of times.
  if (function.getName() == entry)
    return uses->empty() ? Executions{} : Executions{1, std::nullopt};
  Executions sum{0, 0};
  for (SymbolTable::SymbolUse use : *uses) {
    if (!isa<CallOpInterface>(use.getUser()))
      return anyNumber;
    sum = plus(sum, upTo(use.getUser(), entry, depth + 1));
  }
  return sum;
}

} // namespace

Executions executionsOf(Operation *op, StringRef entry) {
  return upTo(op, entry, 0);
}

} // namespace npu
