// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-inline-dynamic-results: puts the bodies of functions that return tensors
// of dynamic shape in place of their calls.

#include "npu/Analysis/Padding/InlinableCalls.h"
#include "npu/Conversion/Buffers/Passes.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_INLINEDYNAMICRESULTS
#include "npu/Conversion/Buffers/Passes.h.inc"

namespace {

/// The most calls that are inlined: functions that call each other twice grow
/// exponentially.
constexpr int64_t maxCalls = 10000;

/// Upstream puts operations of `affine` into functions and affine loops alone,
/// where their operands are dimensions. Those without a region compute an index
/// wherever they stand, also inside of a branch on the prompt's length.
struct IndicesAnywhere : InlinerInterface {
  using InlinerInterface::InlinerInterface;
  using InlinerInterface::isLegalToInline;

  bool isLegalToInline(Operation *op, Region *region, bool wouldBeCloned,
                       IRMapping &mapping) const override {
    return isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
               op) ||
           InlinerInterface::isLegalToInline(op, region, wouldBeCloned,
                                             mapping);
  }
};

/// A call that returns a tensor of dynamic shape; null where there is none.
func::CallOp findCall(ModuleOp module) {
  func::CallOp found;
  module.walk([&](func::CallOp call) {
    if (llvm::none_of(call.getResultTypes(), isDynamic))
      return WalkResult::advance();
    found = call;
    return WalkResult::interrupt();
  });
  return found;
}

void refuse(func::CallOp call, StringRef why) {
  Type dynamic = *llvm::find_if(call.getResultTypes(), isDynamic);
  mlir::emitError(call.getLoc())
      << "expected a call that returns static shapes, or whose place the body "
         "of the function can take, got a result of "
      << dynamic << ", for which no caller has a buffer: " << why;
}

struct InlineDynamicResultsPass
    : impl::InlineDynamicResultsBase<InlineDynamicResultsPass> {
  using InlineDynamicResultsBase::InlineDynamicResultsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    IndicesAnywhere inliner(&getContext());
    InlinerConfig config;
    SetVector<Operation *> inlined;
    int64_t calls = 0;
    while (func::CallOp call = findCall(module)) {
      func::FuncOp callee = inlinableCallee(call);
      bool isTooMany = ++calls > maxCalls;
      if (!callee || isTooMany ||
          failed(inlineCall(inliner, config.getCloneCallback(), call, callee,
                            &callee.getBody()))) {
        refuse(call, isTooMany ? llvm::formatv("more than {0} calls would have "
                                               "to be replaced",
                                               maxCalls)
                                     .str()
                               : whyNotInlined(call));
        return signalPassFailure();
      }
      call.erase();
      inlined.insert(callee);
    }
    for (Operation *callee : inlined)
      if (cast<func::FuncOp>(callee).isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(callee, module))
        callee->erase();
  }
};

} // namespace
} // namespace npu
