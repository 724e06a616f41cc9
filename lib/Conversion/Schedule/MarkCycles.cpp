// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-mark-cycles: says on every operation what each tile's part of it takes.

#include "npu/Analysis/Costs/FunctionCosts.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/Schedule/Passes.h"
#include "npu/Dialect/NPU/IR/CycleMarks.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_MARKCYCLES
#include "npu/Conversion/Schedule/Passes.h.inc"

namespace {

/// The cycles of an operation; nothing for what is no work.
std::optional<CycleMark> cyclesOf(Operation *op, const Target &target,
                                  HostFallbackQuery &question) {
  if (auto moved = dyn_cast<RedistributeOp>(op)) {
    SmallVector<int64_t> cycles =
        relayingCycles(moved.getInput().getType(), moved.getType(), target);
    bool relays = llvm::any_of(cycles, [](int64_t each) { return each > 0; });
    return relays ? std::optional(CycleMark{cycles}) : std::nullopt;
  }
  std::optional<OpAccess> access = OpAccess::get(op);
  const OpAccess *known = access ? &*access : nullptr;
  DoneByEngine done = doneWhereItStands(op, target, question);
  if (std::optional<TileCycles> found =
          tileCycles(op, known, op->getResultTypes(), target, done))
    return CycleMark{std::move(found->cycles), found->engine};
  int64_t cycles =
      operationCost(op, known, op->getResultTypes(), target, done).cycles;
  return cycles > 0 ? std::optional(CycleMark{{cycles}}) : std::nullopt;
}

struct MarkCyclesPass : impl::MarkCyclesBase<MarkCyclesPass> {
  using MarkCyclesBase::MarkCyclesBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(MarkCyclesBase::initializeOptions(text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  void runOnOperation() override {
    auto found = targetOf(getOperation(), target);
    if (failed(found))
      return signalPassFailure();
    if (!*found)
      return;
    // Everything is asked before anything is marked: what engines do of an
    // operation is found by comparing it with others.
    std::vector<std::pair<Operation *, CycleMark>> marks;
    getOperation()->walk([&](FunctionOpInterface function) {
      EmptyOrigins origins;
      HostFallbackQuery question(origins);
      function->walk([&](Operation *op) {
        if (op->hasTrait<OpTrait::ReturnLike>() &&
            op->getParentOp() == function)
          marks.emplace_back(op, CycleMark{{0}});
        if (op == function || op->getNumResults() == 0 ||
            isa<linalg::LinalgOp>(op->getParentOp()))
          return;
        if (std::optional<CycleMark> mark = cyclesOf(op, **found, question))
          marks.emplace_back(op, std::move(*mark));
      });
    });
    for (auto &[op, mark] : marks)
      markCycles(op, mark);
  }
};

} // namespace
} // namespace npu
