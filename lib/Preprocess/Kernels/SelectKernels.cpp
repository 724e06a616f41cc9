// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-select-kernels: asks the table of kernels for each operation, repairs
// what can be repaired, and gives the host the rest.

#include "npu/Preprocess/Kernels/Passes.h"

#include "ConstantPositions.h"
#include "Lookups.h"
#include "OneHot.h"
#include "Repairs.h"
#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/KernelsAttr.h"
#include "npu/Dialect/NPU/IR/Precision.h"
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

/// Whether the device has the kernels that an attempt needs.
bool haveKernels(const Attempt &attempt, const KernelTable &table) {
  return llvm::all_of(attempt.made(), [&](Operation &made) {
    return !needsKernel(&made) || table.find(&made).isTaken;
  });
}

class KernelSelection {
public:
  KernelSelection(ModuleOp module, const KernelTable &table)
      : table(table), rewriter(module.getContext()) {
    IndexRanges ranges(module);
    module.walk([&](Operation *op) {
      if (!needsKernel(op))
        return;
      KernelAnswer answer = table.find(op);
      if (answer.isTaken)
        return;
      // Asked before anything changes: ranges are of the values that are there.
      PositionBounds bounds;
      for (OpOperand *positions : positionsOperands(op))
        if (std::optional<IntegerBounds> known = ranges.of(positions->get()))
          bounds[positions->getOperandNumber()] = *known;
      refused.push_back({op, std::move(answer), std::move(bounds)});
    });
  }

  /// Gives each operation a kernel, or marks it for the host.
  void run() {
    for (const Refused &each : refused)
      select(each);
  }

private:
  struct Refused {
    Operation *op;
    KernelAnswer answer;
    PositionBounds bounds;
  };

  void select(const Refused &each) {
    for (const KernelRefusal &refusal : each.answer.refusals) {
      auto repair = repairFor(rewriter, each.op, table.rows()[refusal.row - 1],
                              each.bounds, table);
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
    bool isReplaced =
        replace(each,
                [&] {
                  auto [made, count] = sliceBySlice(rewriter, each.op);
                  return std::pair(
                      made,
                      fmt::format("moved slice by slice ({} slices)", count));
                }) ||
        replace(each, [&] {
          auto [made, count] =
              chooseByComparing(rewriter, each.op, each.bounds);
          return std::pair(
              made, fmt::format("chosen by comparing positions, {} for each "
                                "entry",
                                count));
        });
    if (!isReplaced)
      keepOnHost(each.op, each.answer);
  }

  /// Replaces an operation by what `build` makes, if that is something and the
  /// device has the kernels that it needs.
  bool replace(const Refused &each,
               llvm::function_ref<std::pair<Value, std::string>()> build) {
    Operation *op = each.op;
    Attempt attempt(op);
    rewriter.setInsertionPoint(op);
    auto [made, what] = build();
    if (!made)
      return false;
    if (!haveKernels(attempt, table)) {
      attempt.undo(rewriter);
      return false;
    }
    remarkDone("kernel", op, bytesInMemory(made.getType()), [&, what = what] {
      return fmt::format("no kernel: {}; {}", each.answer.reason(op), what);
    });
    rewriter.replaceOp(op, made);
    return true;
  }

  void keepOnHost(Operation *op, const KernelAnswer &answer) {
    op->setAttr(hostAttrName,
                rewriter.getStringAttr("no kernel: " + answer.reason(op)));
  }

  const KernelTable &table;
  IRRewriter rewriter;
  std::vector<Refused> refused;
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
    raiseToPositions(module, *table);
    foldPositions(module);
    if (failed(verifyConstantPositions(module)))
      return signalPassFailure();
    if (table->isEmpty())
      return;
    KernelSelection(module, *table).run();
  }

private:
  /// Makes gathers and scatters of upstream, and lookups, ours, which tiles
  /// run; a table of which a tile's scratchpad holds no more than a part stays
  /// in DDR.
  void raiseToPositions(ModuleOp module, const KernelTable &table) {
    FailureOr<std::optional<Target>> device = targetOf(module, target);
    int64_t most = succeeded(device) && *device
                       ? (*device)->scratchpadBytes / 4
                       : std::numeric_limits<int64_t>::max();
    SmallVector<Operation *> found, lookups;
    module.walk([&](Operation *op) {
      if (llvm::any_of(op->getOperandTypes(), hasLayout) || isKeptOnHost(op))
        return;
      if (dataAtPositions(op))
        found.push_back(op);
      else if (Value data = onlyTableOf(op);
               data && bytesInMemory(data.getType()) <= most)
        lookups.push_back(op);
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
    for (Operation *op : lookups)
      makeGather(rewriter, cast<linalg::GenericOp>(op), table);
  }

  /// Replaces a lookup by an npu.gather, if the device has kernels for that and
  /// for what computes its positions.
  static void makeGather(IRRewriter &rewriter, linalg::GenericOp lookup,
                         const KernelTable &table) {
    SmallVector<Type> types;
    for (DictionaryAttr row : table.rows())
      if (auto indices = row.getAs<ArrayAttr>(kernelIndices);
          indices &&
          row.getAs<StringAttr>(kernelOp) == GatherOp::getOperationName())
        llvm::append_range(types, indices.getAsValueRange<TypeAttr>());
    types.push_back(rewriter.getI64Type());
    for (Type element : types) {
      Attempt attempt(lookup);
      rewriter.setInsertionPoint(lookup);
      Value made = asGather(rewriter, lookup, element);
      if (!made || !haveKernels(attempt, table)) {
        attempt.undo(rewriter);
        continue;
      }
      remarkDone("kernel", lookup, bytesInMemory(made.getType()), [&] {
        return fmt::format("a lookup in a table that scratchpads hold: "
                           "gathered, at positions of {}",
                           toString(element));
      });
      rewriter.replaceOp(lookup, made);
      return;
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
