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
/// Calls deeper than this are not followed.
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
  // Blocks after branches may run in loops, or not at all.
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

} // namespace

ExecutionCounts::ExecutionCounts(ModuleOp module, StringRef entry)
    : entry(entry) {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses)
    return;
  usersAreKnown = true;
  SymbolTableCollection symbols;
  for (SymbolTable::SymbolUse use : *uses)
    if (Operation *symbol =
            symbols.lookupNearestSymbolFrom(use.getUser(), use.getSymbolRef()))
      users[symbol].push_back(use.getUser());
}

Executions ExecutionCounts::of(Operation *op) {
  Executions executions;
  while (Operation *around = op->getParentOp()) {
    executions = times(executions, ofBlock(op->getBlock(), around));
    if (auto function = dyn_cast<FunctionOpInterface>(around))
      return times(executions, ofFunction(function));
    op = around;
  }
  return executions;
}

Executions ExecutionCounts::ofFunction(FunctionOpInterface function) {
  // Until its callers are counted, a recursive function runs any number of
  // times.
  auto [place, isNew] = known.try_emplace(function, anyNumber);
  if (!isNew)
    return place->second;
  ++depth;
  Executions executions = fromCallers(function);
  --depth;
  known[function] = executions;
  return executions;
}

Executions ExecutionCounts::fromCallers(FunctionOpInterface function) {
  if (entry.empty() && function.isPublic())
    return {};
  if (depth > kDeepest || !usersAreKnown)
    return anyNumber;
  ArrayRef<Operation *> callers;
  if (auto found = users.find(function); found != users.end())
    callers = found->second;
  // A recursive entry runs any number of times.
  if (function.getName() == entry)
    return callers.empty() ? Executions{} : Executions{1, std::nullopt};
  Executions sum{0, 0};
  for (Operation *caller : callers) {
    if (!isa<CallOpInterface>(caller))
      return anyNumber;
    sum = plus(sum, of(caller));
  }
  return sum;
}

} // namespace npu
