// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-legalize-distributions: pads where asked to, then inserts
// redistributions.

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Legalize/InsertRedistributions.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Padding/PadToMaxPromptLen.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LEGALIZEDISTRIBUTIONS
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h.inc"

namespace {

struct LegalizeDistributionsPass
    : impl::LegalizeDistributionsBase<LegalizeDistributionsPass> {
  using LegalizeDistributionsBase::LegalizeDistributionsBase;

  void runOnOperation() override {
    if (!maxPromptLen.empty() && failed(pad()))
      return signalPassFailure();
    if (failed(insertRedistributions(getOperation(), splitReductions)) ||
        failed(reportGathers(getOperation(), gather)))
      signalPassFailure();
  }

  LogicalResult pad() {
    Operation *root = getOperation();
    FailureOr<PaddingSide> parsed = parsePaddingSide(root->getLoc(), side);
    if (failed(parsed))
      return failure();
    PadOptions options;
    options.side = *parsed;
    options.poison = poison;
    return padToBuckets(root, maxPromptLen, options);
  }
};

} // namespace
} // namespace npu
