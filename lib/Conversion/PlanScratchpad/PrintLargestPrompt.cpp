// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-largest-prompt-len: searches for the largest prompt and prints it.

#include "LargestPrompt.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/PlanScratchpad/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTLARGESTPROMPTLEN
#include "npu/Conversion/PlanScratchpad/Passes.h.inc"

namespace {

struct PrintLargestPromptLenPass
    : impl::PrintLargestPromptLenBase<PrintLargestPromptLenPass> {
  using PrintLargestPromptLenBase::PrintLargestPromptLenBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(PrintLargestPromptLenBase::initializeOptions(text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<PaddingSide> parsed = parsePaddingSide(module.getLoc(), side);
    if (failed(parsed))
      return signalPassFailure();
    auto prompt = findLargestPrompt(module, target, *parsed);
    if (failed(prompt))
      return signalPassFailure();
    Target device = **targetOf(module, target);
    if (failed(writeReport(module, getArgument(), outputFile,
                           describe(*prompt, device))))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace npu
