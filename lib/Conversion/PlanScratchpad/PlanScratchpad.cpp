// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-plan-scratchpad: plans, compares with the target, reports and rewrites.

#include "DdrNeeds.h"
#include "PackingProblems.h"
#include "PlanFunctions.h"
#include "RotatingBuffers.h"
#include "ScratchpadReport.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/BufferProgram.h"
#include "npu/Conversion/PlanScratchpad/Passes.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/IR/TensorSizes.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"
#include "npu/Support/Naming.h"
#include "npu/Support/OptionReaders.h"
#include "npu/Support/RefusalKind.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PLANSCRATCHPAD
#include "npu/Conversion/PlanScratchpad/Passes.h.inc"

namespace {

Value makeView(OpBuilder &builder, Location loc, Value arena,
               const BufferPlace &place, MemRefType type) {
  Value shift = offsetOf(builder, loc, place);
  return memref::ViewOp::create(builder, loc, type, arena, shift, ValueRange());
}

MemRefType arenaType(MLIRContext *context, int64_t tile, int64_t bytes) {
  auto i64 = IntegerType::get(context, 64);
  return MemRefType::get({bytes}, IntegerType::get(context, 8), AffineMap(),
                         IntegerAttr::get(i64, tile + 1));
}

/// Gives the function the arena of a tile, and every buffer its place in it.
void rewriteTile(func::FuncOp function, int64_t tile,
                 const TileBuffers &buffers) {
  MLIRContext *context = function.getContext();
  OpBuilder builder(context);
  unsigned number = function.getNumArguments();
  auto attributes = DictionaryAttr::get(
      context,
      builder.getNamedAttr(arenaAttrName, builder.getI64IntegerAttr(tile)));
  (void)function.insertArgument(number,
                                arenaType(context, tile, buffers.plan.peak),
                                attributes, function.getLoc());
  Value arena = function.getArgument(number);
  for (auto [owner, offset, buffer, slots] :
       llvm::zip(buffers.owners, buffers.plan.offsets, buffers.buffers,
                 buffers.slots)) {
    builder.setInsertionPoint(owner);
    if (auto call = dyn_cast<func::CallOp>(owner)) {
      call.getOperandsMutable().append(
          makeView(builder, call.getLoc(), arena, {offset},
                   arenaType(context, tile, buffer.bytes)));
      continue;
    }
    auto alloc = cast<memref::AllocOp>(owner);
    MemRefType type = alloc.getType();
    int64_t bytes =
        bufferBytes(type.getElementType(), type.getShape()).value_or(0);
    Value view = makeView(builder, alloc.getLoc(), arena,
                          placeOfBuffer(slots, offset, bytes), type);
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
}

struct PlanScratchpadPass : impl::PlanScratchpadBase<PlanScratchpadPass> {
  using PlanScratchpadBase::PlanScratchpadBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(PlanScratchpadBase::initializeOptions(text, fail)) ||
        failed(verifyOptionReaders(getArgument(),
                                   {{"format", {"report"}, {}, "text"},
                                    {"output-file", {"report"}, {}, "-"},
                                    {"prompts-of", {"report"}},
                                    {"side", {"prompts-of"}, {}, "right"}},
                                   text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  LogicalResult initialize(MLIRContext *context) override {
    return verifyFormat(UnknownLoc::get(context), getArgument(), format);
  }

  void runOnOperation() override {
    // Check the values of options whether or not they are used.
    FailureOr<PaddingSide> paddingSide =
        parsePaddingSide(getOperation().getLoc(), side);
    if (failed(paddingSide))
      return signalPassFailure();
    auto limits = targetOf(getOperation(), target);
    if (failed(limits))
      return signalPassFailure();
    std::vector<PlannedFunction> planned;
    std::optional<int64_t> capacity;
    if (*limits)
      capacity = (*limits)->scratchpadBytes;
    if (failed(checkTensorSizes(getOperation())) ||
        failed(planFunctions(getOperation(), planned, capacity)))
      return signalPassFailure();
    bool fits = true;
    if (*limits)
      for (const PlannedFunction &function : planned)
        fits &= succeeded(checkCapacity(function, **limits)) &&
                succeeded(verifyDdrCapacity(function.function, **limits));
    // Report first, also where buffers do not fit: then users need the report
    // most.
    if (report) {
      FailureOr<std::optional<LargestPrompt>> largest =
          largestPrompt(*limits, *paddingSide);
      if (failed(largest))
        return signalPassFailure();
      std::string text = format == "json"
                             ? jsonReport(planned, *limits, *largest)
                             : textReport(planned, *limits, *largest);
      if (failed(writeReport(getOperation(), getArgument(), outputFile, text)))
        return signalPassFailure();
    }
    if (!problems.empty() &&
        failed(writePackingProblems(getOperation(), problems, planned)))
      return signalPassFailure();
    if (!fits)
      return signalPassFailure();
    for (const PlannedFunction &function : planned)
      if (!hasArena(function.function))
        for (const auto &[tile, buffers] : function.tiles)
          rewriteTile(function.function, tile, buffers);
  }

private:
  /// The largest prompt, if the options ask for it.
  FailureOr<std::optional<LargestPrompt>>
  largestPrompt(const std::optional<Target> &limits, PaddingSide paddingSide) {
    if (promptsOf.empty())
      return std::optional<LargestPrompt>();
    if (!limits)
      return getOperation().emitError()
             << "expected a target for the largest prompt that fits (target=, "
                "or in the module), got none";
    auto found =
        findLargestPromptOf(promptsOf, getOperation(), target, paddingSide);
    if (failed(found))
      return failure();
    const LargestPrompt &largest = *found;
    return std::optional<LargestPrompt>(largest);
  }

  /// Reports one error per function, because tiles are often equal and fail
  /// alike.
  static LogicalResult checkCapacity(const PlannedFunction &planned,
                                     const Target &target) {
    StringRef name = func::FuncOp(planned.function).getName();
    const TileBuffers *fullest = nullptr;
    int64_t fullestNumber = 0, beyond = 0;
    for (const auto &[number, tile] : planned.tiles) {
      if (number >= target.maxTiles)
        return mlir::emitError(operationAtPeak(tile)->getLoc())
               << "expected a program for at most " << target.maxTiles
               << " tiles, which " << target.name << " has, got buffers on "
               << nameOfTile(number) << " in '" << name << "'";
      beyond += tile.plan.peak > target.scratchpadBytes;
      if (!fullest || tile.plan.peak > fullest->plan.peak) {
        fullest = &tile;
        fullestNumber = number;
      }
    }
    if (beyond == 0)
      return success();
    Operation *peak = operationAtPeak(*fullest);
    InFlightDiagnostic error =
        mlir::emitError(peak->getLoc())
        << "'" << peak->getName() << "' on " << nameOfTile(fullestNumber)
        << ": expected '" << name << "' to need at most "
        << nameOfBytes(target.scratchpadBytes) << ", the scratchpad of "
        << target.name << ", got " << fullest->plan.peak;
    mark(error, RefusalKind::BuffersTooLarge);
    std::vector<InUseAtPeak> inUse = inUseAtPeak(*fullest);
    error.attachNote() << nameOfBytes(fullest->plan.bound)
                       << " are in use here at one time, in " << inUse.size()
                       << " buffers";
    for (const InUseAtPeak &buffer : llvm::ArrayRef(inUse).take_front(3))
      error.attachNote(buffer.location)
          << nameOfBytes(buffer.bytes) << " for " << buffer.what;
    if (beyond > 1)
      error.attachNote() << "on " << beyond
                         << " tiles the program needs more than there is";
    return error;
  }
};

} // namespace
} // namespace npu
