// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-verify-distributions: reports where producer and consumer do not agree,
// with details that the field compiler's message lacks: which tile, which box,
// whether data or only the label differs, bytes.

#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "LimitsOfTarget.h"
#include "WhyLeftAlone.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Choices/OperationSteps.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorSizes.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Support/Decisions.h"

#include "mlir/Interfaces/CallInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_VERIFYDISTRIBUTIONS
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral repairHint =
    "npu-opt --npu-legalize-distributions repairs it";

struct VerifyDistributionsPass
    : impl::VerifyDistributionsBase<VerifyDistributionsPass> {
  using VerifyDistributionsBase::VerifyDistributionsBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(VerifyDistributionsBase::initializeOptions(text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  void runOnOperation() override {
    if (failed(checkTensorSizes(getOperation())) ||
        failed(verifyLayoutsFit(getOperation())) ||
        failed(verifyCarriers(getOperation())))
      return signalPassFailure();
    auto limits = targetOf(getOperation(), target);
    if (failed(limits))
      return signalPassFailure();
    FailureOr<StorageRules> storage = StorageRules::of(getOperation(), target);
    if (failed(storage))
      return signalPassFailure();
    if (*limits && failed(verifyLimits(getOperation(), **limits, *storage)))
      signalPassFailure();
    MovementCache movement;
    ComputeChoices choices(movement);
    bool agree = true;
    getOperation()->walk([&](Operation *op) {
      if (hasSteps(op)) {
        agree &= succeeded(verifySteps(op));
        return;
      }
      if (!touchesTiles(op))
        return;
      if (auto cast = dyn_cast<PermuteCastOp>(op))
        agree &= succeeded(verifyCast(cast, movement));
      else if (isa<CallOpInterface>(op))
        remarkLeftAlone(op, [] { return calleeDecides; });
      else if (!isTensorCast(op) && !agreesByItself(op))
        agree &= succeeded(verifyUse(op, choices));
    });
    if (!agree || failed(verifyWritten(getOperation())) ||
        failed(verifyPlans(getOperation())) ||
        failed(reportHostFallbacks(getOperation(), gather)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult verifyCast(PermuteCastOp cast, MovementCache &movement) {
    RankedTensorType declared = cast.getResult().getType();
    RankedTensorType expected = movement.expectedType(cast);
    Relation relation = movement.relation(expected, declared);
    if (relation == Relation::Identical ||
        (relation == Relation::SameMemory && !strict))
      return success();
    InFlightDiagnostic error =
        mlir::emitError(cast.getLoc())
        << "PermuteCast input and output distributions are incompatible: in = "
        << nameOfLayout(cast.getInput().getType())
        << ", out = " << nameOfLayout(declared)
        << ", expected = " << nameOfLayout(expected);
    explainBoxes(error, relation, expected, declared);
    error.attachNote() << repairHint << ": "
                       << (relation == Relation::DataMoves
                               ? "a npu.redistribute after the cast"
                               : "a npu.distribution_cast after the cast");
    return error;
  }

  static void explainBoxes(InFlightDiagnostic &error, Relation relation,
                           RankedTensorType expected,
                           RankedTensorType declared) {
    const Placement *have = getPlacement(expected);
    const Placement *want = getPlacement(declared);
    if (relation == Relation::SameMemory) {
      error.attachNote()
          << "label only: every tile holds the same box on both sides (tile 0 "
          << nameOfHeld(want->memoryOf(0)) << "); 0 bytes would move";
      return;
    }
    if (have && want) {
      auto tile = relation == Relation::Contained
                      ? firstMemoryDifference(*have, *want)
                      : firstNotContained(*have, *want);
      error.attachNote() << (relation == Relation::Contained ? "a narrowing: "
                                                             : "data differs: ")
                         << nameOfTile(tile.value_or(0)) << " holds "
                         << nameOfHeld(have->memoryOf(tile.value_or(0)))
                         << ", and out declares "
                         << nameOfHeld(want->memoryOf(tile.value_or(0)));
    } else {
      error.attachNote() << "data differs: one side is in DDR, the other on "
                            "tiles";
    }
    int64_t bits = elementBits(declared.getElementType()).value_or(64);
    Result<RedistributionPlan> plan = planBetween(expected, declared);
    if (!plan)
      return;
    if (plan->ddr)
      error.attachNote() << nameOfBytes(toBytes(plan->ddr, bits))
                         << " would move to or from DDR";
    else
      error.attachNote() << nameOfBytes(toBytes(plan->received.value, bits))
                         << " would move between tiles, at most "
                         << toBytes(plan->maxTileReceived.value, bits)
                         << " to one tile";
  }

  static LogicalResult verifySteps(Operation *op) {
    Result<> fit = checkSteps(op);
    return fit ? success() : refuseSteps(op, fit.error());
  }

  LogicalResult verifyUse(Operation *op, ComputeChoices &choices) {
    const std::vector<ComputeChoice> &all = choices.of(op);
    if (all.empty()) {
      if (hostFallbackOf(op))
        remarkLeftAlone(op, [&] { return whyNoTileDoes(op); });
      return success();
    }
    if (all.size() == 1 && all[0].needs.empty() && all[0].resultBytes == 0)
      return success();
    return explainUse(op);
  }

  static LogicalResult explainUse(Operation *op) {
    std::optional<OpAccess> access = OpAccess::get(op);
    TileIterations forMemory = iterationsForMemory(*access, op);
    std::optional<Shortage> shortage = findShortage(*access, op, forMemory);
    // Tiles cannot do the operation part by part: the lowering gathers its
    // operands.
    if (findOverrun(*access, op, forMemory, op->getResultTypes())) {
      remarkLeftAlone(op, [&] { return whyNoTileDoes(op); });
      return success();
    }
    if (!shortage) {
      InFlightDiagnostic error =
          mlir::emitError(op->getLoc())
          << "'" << op->getName()
          << "' has distributed operands but a result in DDR: expected every "
             "result on tiles, or none";
      error.attachNote() << repairHint;
      return error;
    }
    Value operand = op->getOperand(shortage->operand);
    InFlightDiagnostic error =
        mlir::emitError(op->getLoc())
        << "'" << op->getName() << "' " << nameOfTile(shortage->tile)
        << " reads " << nameOfHeld(shortage->reads) << " of operand #"
        << shortage->operand << " (" << nameOf(operand) << ") to produce "
        << nameOfHeld(shortage->produces) << ", but holds "
        << nameOfHeld(shortage->holds);
    if (!isDistributed(operand.getType()))
      error.attachNote() << "the operand is in DDR; npu.redistribute loads it";
    else if (!findShortage(*access, op, iterationsForCompute(*access, op)))
      error.attachNote()
          << "the result's layout promises a halo or a copy that the tile "
             "cannot compute: its compute box alone would be fine";
    error.attachNote() << repairHint;
    return error;
  }
};

} // namespace
} // namespace npu
