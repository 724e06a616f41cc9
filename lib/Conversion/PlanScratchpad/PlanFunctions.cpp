// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans callees before callers, because a call needs space for the callee's
// buffers.

#include "PlanFunctions.h"

#include "npu/Conversion/PlanScratchpad/Passes.h"
#include "npu/Placement/Scratchpad/SpreadBuffers.h"

#include "mlir/Analysis/CallGraph.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_VERIFYSCRATCHPADPLAN
#include "npu/Conversion/PlanScratchpad/Passes.h.inc"

namespace {

/// Reads the plan of a tile from the offsets in the function.
LogicalResult readPlan(func::FuncOp function, int64_t number,
                       TileBuffers &tile) {
  tile.plan = describePlan(tile.buffers, tile.offsets);
  if (Result<> error = checkPlan(tile.buffers, tile.plan); !error)
    return mlir::emitError(function.getLoc())
           << "the plan of tile " << number
           << "'s scratchpad is wrong: " << error.error().message;
  return success();
}

class Planner {
public:
  Planner(ModuleOp module, std::optional<int64_t> capacity)
      : module(module), capacity(capacity) {}

  LogicalResult run(std::vector<PlannedFunction> &planned) {
    CallGraph graph(module);
    const CallGraph *entry = &graph;
    for (auto it = llvm::scc_begin(entry); !it.isAtEnd(); ++it)
      for (CallGraphNode *node : *it)
        if (failed(plan(node, it.hasCycle(), planned)))
          return failure();
    return success();
  }

private:
  /// Plans the function of a node. Precondition: its callees have been planned,
  /// or are recursive.
  LogicalResult plan(CallGraphNode *node, bool isRecursive,
                     std::vector<PlannedFunction> &planned) {
    auto function =
        node->isExternal()
            ? func::FuncOp()
            : dyn_cast<func::FuncOp>(node->getCallableRegion()->getParentOp());
    if (!function || arenas.contains(function))
      return success();
    FailureOr<FunctionBuffers> tiles = collectBuffers(
        function, [&](func::CallOp call) { return arenasOfCallee(call); });
    if (failed(tiles) || failed(place(function, *tiles)))
      return failure();
    ArenaSizes sizes;
    if (!hasArena(function))
      for (const auto &[tile, buffers] : *tiles)
        sizes[tile] = buffers.plan.peak;
    if (!sizes.empty()) {
      if (isRecursive)
        return mlir::emitError(function.getLoc())
               << "expected no recursion through '" << function.getName()
               << "', which has buffers on tiles";
      for (Operation *user : symbolUsers().getUsers(function))
        if (!isa<func::CallOp>(user))
          return mlir::emitError(user->getLoc())
                 << "expected only calls of '" << function.getName()
                 << "', which has buffers on tiles, got '" << user->getName()
                 << "'";
    }
    arenas[function] = std::move(sizes);
    planned.push_back({function, std::move(*tiles)});
    return success();
  }

  /// The arenas that a call needs; null for a callee that has arenas as
  /// arguments, or that has no buffers on tiles.
  const ArenaSizes *arenasOfCallee(func::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    auto found = arenas.find(callee);
    return found == arenas.end() ? nullptr : &found->second;
  }

  /// Plans offsets, and those of tiles with equal buffers only once.
  LogicalResult place(func::FuncOp function, FunctionBuffers &tiles) {
    llvm::SmallVector<const TileBuffers *> distinct;
    for (auto &[number, tile] : tiles) {
      if (!tile.offsets.empty()) {
        if (failed(readPlan(function, number, tile)))
          return failure();
        continue;
      }
      if (Result<> error = checkBuffers(tile.buffers); !error)
        return mlir::emitError(function.getLoc())
               << "tile " << number
               << "'s scratchpad cannot be planned: " << error.error().message;
      auto same = llvm::find_if(distinct, [&](const TileBuffers *other) {
        return other->buffers == tile.buffers && other->slots == tile.slots;
      });
      if (same != distinct.end()) {
        tile.plan = (*same)->plan;
        continue;
      }
      tile.plan = packBuffers(tile.buffers);
      if (capacity && tile.plan.peak <= *capacity && !isCalled(function))
        spread(tile);
      distinct.push_back(&tile);
    }
    return success();
  }

  /// Moves buffers apart in time, where loads could run ahead.
  void spread(TileBuffers &tile) const {
    if (llvm::all_of(tile.slots, [](int64_t slots) { return slots == 1; }))
      return;
    std::vector<int64_t> firstSlot;
    for (auto [buffer, slots] : llvm::zip(tile.buffers, tile.slots))
      firstSlot.push_back(buffer.bytes / slots);
    tile.plan = spreadBuffers(tile.buffers, tile.plan, *capacity, firstSlot);
  }

  /// Whether an operation of the module names the function.
  bool isCalled(func::FuncOp function) {
    return !symbolUsers().getUsers(function).empty();
  }

  SymbolUserMap &symbolUsers() {
    if (!users)
      users.emplace(symbols, module);
    return *users;
  }

  ModuleOp module;
  std::optional<int64_t> capacity;
  SymbolTableCollection symbols;
  /// Built for the first function that is not planned yet: it looks at each
  /// attribute of the module.
  std::optional<SymbolUserMap> users;
  llvm::DenseMap<Operation *, ArenaSizes> arenas;
};

struct VerifyScratchpadPlanPass
    : impl::VerifyScratchpadPlanBase<VerifyScratchpadPlanPass> {
  using VerifyScratchpadPlanBase::VerifyScratchpadPlanBase;

  void runOnOperation() override {
    if (failed(verifyScratchpadPlans(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

LogicalResult planFunctions(ModuleOp module,
                            std::vector<PlannedFunction> &planned,
                            std::optional<int64_t> capacity) {
  if (failed(Planner(module, capacity).run(planned)))
    return failure();
  llvm::sort(planned, [](const auto &a, const auto &b) {
    return func::FuncOp(a.function)->isBeforeInBlock(func::FuncOp(b.function));
  });
  return success();
}

LogicalResult verifyScratchpadPlans(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!hasArena(function) || function.isExternal())
      continue;
    FailureOr<FunctionBuffers> tiles =
        collectBuffers(function, [](func::CallOp) { return nullptr; });
    if (failed(tiles))
      return failure();
    for (auto &[number, tile] : *tiles)
      if (!tile.offsets.empty() && failed(readPlan(function, number, tile)))
        return failure();
  }
  return success();
}

} // namespace npu
