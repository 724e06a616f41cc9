// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-select-kernels: asks the table of kernels for each operation, repairs
// what can be repaired, and gives the host the rest.

#include "npu/Preprocess/Kernels/Passes.h"

#include "Repairs.h"
#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/KernelsAttr.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/AtPositions.h"
#include "npu/Support/Decisions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_SELECTKERNELS
#include "npu/Preprocess/Kernels/Passes.h.inc"

namespace {

class KernelSelection {
public:
  KernelSelection(ModuleOp module, const KernelTable &table)
      : table(table), rewriter(module.getContext()), ranges(module) {}

  /// Gives `op` a kernel, or marks it for the host.
  void select(Operation *op) {
    KernelAnswer answer = table.find(op);
    if (answer.isTaken)
      return;
    for (const KernelRefusal &refusal : answer.refusals) {
      auto repair =
          repairFor(rewriter, op, table.rows()[refusal.row - 1], ranges, table);
      if (!repair)
        continue;
      remarkDone("kernel", repair->op, repair->bytes, [&] {
        return fmt::format("no kernel: {}; {}", refusal.found, repair->what);
      });
      // What casts positions may have no kernel itself, and no repair.
      for (Operation *made : repair->made)
        if (needsKernel(made))
          if (KernelAnswer other = table.find(made); !other.isTaken)
            keepOnHost(made, other);
      return;
    }
    keepOnHost(op, answer);
  }

private:
  void keepOnHost(Operation *op, const KernelAnswer &answer) {
    op->setAttr(hostAttrName,
                rewriter.getStringAttr("no kernel: " + answer.reason(op)));
  }

  const KernelTable &table;
  IRRewriter rewriter;
  IndexRanges ranges;
};

struct SelectKernelsPass : impl::SelectKernelsBase<SelectKernelsPass> {
  using SelectKernelsBase::SelectKernelsBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(SelectKernelsBase::initializeOptions(text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!kernels.empty() && failed(takeTable(module)))
      return signalPassFailure();
    FailureOr<KernelTable> table = KernelTable::of(module, target);
    if (failed(table))
      return signalPassFailure();
    raiseToPositions(module);
    if (table->isEmpty())
      return;
    SmallVector<Operation *> operations;
    module.walk([&](Operation *op) {
      if (needsKernel(op))
        operations.push_back(op);
    });
    KernelSelection selection(module, *table);
    for (Operation *op : operations)
      selection.select(op);
  }

private:
  /// Makes gathers and scatters of upstream ours, which tiles run; a table of
  /// which a tile's scratchpad holds no more than a part stays in DDR.
  void raiseToPositions(ModuleOp module) {
    FailureOr<std::optional<Target>> device = targetOf(module, target);
    int64_t most = succeeded(device) && *device
                       ? (*device)->scratchpadBytes / 4
                       : std::numeric_limits<int64_t>::max();
    SmallVector<Operation *> found;
    module.walk([&](Operation *op) {
      if (dataAtPositions(op) &&
          !llvm::any_of(op->getOperandTypes(), hasLayout) && !isKeptOnHost(op))
        found.push_back(op);
    });
    IRRewriter rewriter(module.getContext());
    for (Operation *op : found) {
      rewriter.setInsertionPoint(op);
      int64_t bytes = bytesInMemory(dataAtPositions(op).getType());
      if (bytes > most) {
        op->setAttr(hostAttrName,
                    rewriter.getStringAttr(fmt::format(
                        "each tile would hold the {} bytes that positions are "
                        "in, more than a quarter of its scratchpad",
                        bytes)));
        continue;
      }
      if (Value made = atPositions(rewriter, op))
        rewriter.replaceOp(op, made);
    }
  }

  /// Writes the table of the file into the module's target description.
  LogicalResult takeTable(ModuleOp module) {
    FailureOr<KernelsAttr> read =
        KernelTable::read(module.getLoc(), getArgument(), kernels);
    FailureOr<std::optional<Target>> device = targetOf(module, target);
    if (failed(read) || failed(device))
      return failure();
    if (!*device)
      return emitError(module.getLoc())
             << getArgument()
             << ": expected a target (target=, or in the module) for kernels="
             << kernels << ", got none";
    describeTarget(module, (*device)->name, *read);
    return success();
  }
};

} // namespace
} // namespace npu
