// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-select-kernels: asks the table of kernels for each operation, repairs
// what can be repaired, and gives the host the rest.

#include "npu/Preprocess/Kernels/Passes.h"

#include "ConstantPositions.h"
#include "Lookups.h"
#include "NamedRows.h"
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
    FailureOr<std::optional<Target>> device = targetOf(module, target);
    std::optional<NamedRows> rows;
    if (succeeded(device) && *device)
      rows.emplace(*table, **device);
    raiseToPositions(module, *table, rows);
    foldPositions(module);
    if (failed(verifyConstantPositions(module)))
      return signalPassFailure();
    if (rows)
      loadNamedRows(module, *rows);
    if (!table->isEmpty())
      KernelSelection(module, *table).run();
    if (rows)
      keepOnHost(module, *rows);
  }

private:
  /// Makes gathers and scatters of upstream, and lookups, ours, which tiles
  /// run. A table of which a tile's scratchpad holds no more than a part stays
  /// in DDR.
  static void raiseToPositions(ModuleOp module, const KernelTable &table,
                               const std::optional<NamedRows> &rows) {
    int64_t most =
        rows ? rows->mostHeld() : std::numeric_limits<int64_t>::max();
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
      Attempt attempt(op);
      rewriter.setInsertionPoint(op);
      int64_t bytes = bytesInMemory(dataAtPositions(op).getType());
      Value made = atPositions(rewriter, op);
      if (made && (bytes <= most || loadsRows(rewriter, attempt, *rows))) {
        rewriter.replaceOp(op, made);
        continue;
      }
      attempt.undo(rewriter);
      if (bytes > most)
        op->setAttr(hostAttrName,
                    rewriter.getStringAttr(fmt::format(
                        "each tile would hold the {} bytes that positions are "
                        "in, more than a quarter of its scratchpad",
                        bytes)));
    }
    for (Operation *op : lookups)
      makeGather(rewriter, cast<linalg::GenericOp>(op), table, rows);
  }

  /// Whether tiles load the rows of the gather that an attempt has built.
  static bool loadsRows(IRRewriter &rewriter, const Attempt &attempt,
                        const NamedRows &rows) {
    for (Operation &made : attempt.made())
      if (auto gather = dyn_cast<GatherOp>(made)) {
        Attempt ofLookup(gather);
        bool isLoaded = rows.load(rewriter, gather) != nullptr;
        ofLookup.undo(rewriter);
        return isLoaded;
      }
    return false;
  }

  /// The gathers of tables in DDR that nothing else gave to the host.
  static SmallVector<GatherOp> gathersFromDdr(ModuleOp module) {
    SmallVector<GatherOp> found;
    module.walk([&](GatherOp gather) {
      if (!isKeptOnHost(gather) && !hasLayout(gather.getData().getType()))
        found.push_back(gather);
    });
    return found;
  }

  /// Makes gathers lookups where tiles load the rows that positions name.
  static void loadNamedRows(ModuleOp module, const NamedRows &rows) {
    IRRewriter rewriter(module.getContext());
    for (GatherOp gather : gathersFromDdr(module))
      if (Value lookup = rows.load(rewriter, gather)) {
        remarkDone("kernel", gather, bytesInMemory(lookup.getType()), [&] {
          return std::string("rows that positions name are loaded from DDR");
        });
        rewriter.replaceOp(gather, lookup);
      }
  }

  /// Gives the host what tiles can do in neither way.
  static void keepOnHost(ModuleOp module, const NamedRows &rows) {
    for (GatherOp gather : gathersFromDdr(module))
      if (std::optional<std::string> why = rows.whyNeither(gather))
        gather->setAttr(hostAttrName,
                        StringAttr::get(module.getContext(), *why));
  }

  /// Replaces a lookup by an npu.gather, if the device has kernels for that and
  /// for what computes its positions, and if tiles do not rather load rows.
  static void makeGather(IRRewriter &rewriter, linalg::GenericOp lookup,
                         const KernelTable &table,
                         const std::optional<NamedRows> &rows) {
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
      if (rows && rows->areBetter(lookup, made.getDefiningOp<GatherOp>())) {
        attempt.undo(rewriter);
        return;
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
