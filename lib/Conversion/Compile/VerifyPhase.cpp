// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-verify-phase: whether a module is what a phase of npu-compile leaves
// after. What a phase promises, the verifiers of its passes know; this file
// adds what tells the phases apart.

#include "npu/Analysis/Body/NestedIndices.h"
#include "npu/Analysis/Choices/OperationSteps.h"
#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/Compile/Passes.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/Phases.h"
#include "npu/Conversion/PlanScratchpad/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorSizes.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"

#include "WhatStands.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_VERIFYPHASE
#include "npu/Conversion/Compile/Passes.h.inc"

namespace {

/// A function that returns nothing and changes nothing: nothing of it is left.
bool isForNothing(func::FuncOp function) {
  return !function.isExternal() && function.isPublic() &&
         function.getNumResults() == 0 &&
         llvm::all_of(function.getBody().getOps(), [](Operation &op) {
           return op.hasTrait<OpTrait::IsTerminator>() ||
                  isMemoryEffectFree(&op);
         });
}

LogicalResult verifyHasBody(ModuleOp module) {
  auto functions = module.getOps<FunctionOpInterface>();
  if (llvm::any_of(functions, [](FunctionOpInterface function) {
        return !function.isExternal();
      }))
    return success();
  InFlightDiagnostic error = mlir::emitError(module.getLoc())
                             << "expected a function with a body, got ";
  if (functions.empty())
    return error << "a module without functions";
  error << "only declarations: ";
  llvm::interleaveComma(functions, error, [&](FunctionOpInterface function) {
    error << "'" << function.getName() << "'";
  });
  return error;
}

/// An error where no function returns anything; where some do, a warning if
/// wanted.
LogicalResult verifyReturns(ModuleOp module, bool warns) {
  SmallVector<func::FuncOp> empty;
  bool some = false;
  for (auto function : module.getOps<func::FuncOp>())
    if (isForNothing(function))
      empty.push_back(function);
    else
      some |= !function.isExternal() && function.isPublic();
  if (some && !warns)
    return success();
  for (func::FuncOp function : empty) {
    InFlightDiagnostic diagnostic = some ? mlir::emitWarning(function.getLoc())
                                         : mlir::emitError(function.getLoc());
    diagnostic << "expected a function that returns something, got '"
               << function.getName()
               << "', which has no results and no effects: nothing of it is "
                  "left to compile";
    if (!some)
      return diagnostic;
  }
  return success();
}

/// Steps fit their operations, and from `streamed` on all of them are loops.
LogicalResult verifySteps(ModuleOp module, CompilePhase asked) {
  WalkResult walked = module.walk([&](Operation *op) {
    if (!hasSteps(op))
      return WalkResult::advance();
    if (asked >= CompilePhase::Streamed)
      return WalkResult(refuseWithoutLoops(op));
    Result<> fit = checkSteps(op);
    return WalkResult(fit ? success() : refuseSteps(op, fit.error()));
  });
  return failure(walked.wasInterrupted());
}

/// The passes that verify what a phase leaves, of those that are passes.
void buildVerifiers(OpPassManager &passes, CompilePhase phase,
                    const std::string &target, HostFallbackPolicy gather) {
  if (phase == CompilePhase::Legal) {
    VerifyDistributionsOptions options;
    options.strict = true;
    options.target = target;
    options.gather = gather;
    passes.addPass(createVerifyDistributions(options));
  } else if (phase == CompilePhase::Tiles) {
    passes.addPass(createVerifyTileProgram());
  } else if (phase == CompilePhase::Scratchpad) {
    // The plan is there, and the pass that makes plans changes nothing then:
    // it checks the plan, and that the target has as much memory.
    PlanScratchpadOptions options;
    options.target = target;
    passes.addPass(createPlanScratchpad(options));
  }
}

/// Whether the IR is valid, whatever its phase. As an analysis, the answer is
/// kept by passes that change nothing.
struct ValidIR {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ValidIR)

  explicit ValidIR(Operation *module)
      : isValid(succeeded(mlir::verify(module)) &&
                succeeded(checkTensorSizes(module)) &&
                succeeded(refuseNestedIndices(module))) {}

  bool isValid;
};

struct VerifyPhasePass : impl::VerifyPhaseBase<VerifyPhasePass> {
  using VerifyPhaseBase::VerifyPhaseBase;

  /// A pass in a pass may bring dialects, which have to be there before.
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<NPUDialect>();
    OpPassManager all(ModuleOp::getOperationName());
    for (CompilePhase each : compilePhases())
      buildVerifiers(all, each, "", HostFallbackPolicy::Warn);
    all.getDependentDialects(registry);
  }

  void runOnOperation() override {
    std::optional<CompilePhase> asked = findPhase(phase);
    if (!asked) {
      mlir::emitError(getOperation().getLoc())
          << "npu-verify-phase: unknown phase '" << phase << "', expected "
          << phaseNames(CompilePhase::Start);
      return signalPassFailure();
    }
    if (failed(targetOf(getOperation(), target)))
      return signalPassFailure();
    if (ignoresDevice && getOperation()->hasAttr(deviceAttrName))
      mlir::emitWarning(getOperation().getLoc())
          << "'" << deviceAttrName
          << "' = " << getOperation()->getAttr(deviceAttrName)
          << " does not count without one of device, strict-device and "
             "print-device of npu-compile";
    bool said = false;
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !said) {
        said = true;
        diagnostic.attachNote(diagnostic.getLocation())
            << "a module of phase '" << phase
            << "' of npu-compile has to hold this";
      }
      return failure();
    });
    if (failed(verify(*asked)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult verify(CompilePhase asked) {
    ModuleOp module = getOperation();
    if (!getAnalysis<ValidIR>().isValid ||
        failed(verifyWhatStands(module, asked)) ||
        (asked != CompilePhase::Llvm && failed(verifyHasBody(module))))
      return failure();
    if (asked >= CompilePhase::Input && asked <= CompilePhase::Legal &&
        failed(verifyReturns(module, asked == CompilePhase::Input)))
      return failure();
    if (asked >= CompilePhase::Padded && asked <= CompilePhase::Legal &&
        failed(verifyStaticShapes(module)))
      return failure();
    if (asked >= CompilePhase::Assigned && failed(verifySteps(module, asked)))
      return failure();
    if ((asked == CompilePhase::Assigned || asked == CompilePhase::Streamed) &&
        failed(verifyLayoutsFit(module)))
      return failure();
    if (asked >= CompilePhase::Assigned && asked <= CompilePhase::Tiles) {
      FailureOr<KernelTable> table = KernelTable::of(module, target);
      if (failed(table) || failed(verifyKernels(module, *table)))
        return failure();
    }
    // Function by function, as npu-assign-distributions has said it.
    if (asked == CompilePhase::Legal)
      for (auto function : module.getOps<func::FuncOp>())
        if (failed(reportHostFallbacksInDdr(function, gather)))
          return failure();
    OpPassManager passes(ModuleOp::getOperationName());
    buildVerifiers(passes, asked, target, gather);
    return passes.empty() ? success() : runPipeline(passes, module);
  }
};

} // namespace
} // namespace npu
