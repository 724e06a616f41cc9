// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-control-flow: lowers loops and branches to blocks, the last one of
// a block first.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOWERCONTROLFLOW
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// Whether the operation is a loop, a branch or a region of `scf`, and no
/// terminator.
bool isStructured(Operation *op) {
  return isa_and_nonnull<scf::SCFDialect>(op->getDialect()) &&
         op->getNumRegions() > 0 && !op->hasTrait<OpTrait::IsTerminator>();
}

/// The operations that are still to be lowered, the next one last. An operation
/// that a pattern makes comes next, and one that a pattern erases goes.
class Pending : public RewriterBase::Listener {
public:
  void add(Operation *op) {
    order.push_back(op);
    alive.insert(op);
  }

  /// The next operation; null after the last.
  Operation *next() {
    while (!order.empty()) {
      Operation *op = order.pop_back_val();
      if (alive.erase(op))
        return op;
    }
    return nullptr;
  }

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    // An operation that has only moved is in the list already.
    if (!previous.isSet() && isStructured(op))
      add(op);
  }

  void notifyOperationErased(Operation *op) override { alive.erase(op); }

private:
  SmallVector<Operation *> order;
  llvm::DenseSet<Operation *> alive;
};

struct LowerControlFlowPass : impl::LowerControlFlowBase<LowerControlFlowPass> {
  using LowerControlFlowBase::LowerControlFlowBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    PatternApplicator applicator(frozen);
    applicator.applyDefaultCostModel();

    Pending pending;
    getOperation()->walk([&](Operation *op) {
      if (isStructured(op))
        pending.add(op);
    });
    PatternRewriter rewriter(&getContext());
    rewriter.setListener(&pending);
    while (Operation *op = pending.next()) {
      rewriter.setInsertionPoint(op);
      if (failed(applicator.matchAndRewrite(op, rewriter))) {
        op->emitOpError("has no lowering to blocks");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace npu
