// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-inject-fault: a fault in a file, for tests.

#include "npu/Audit/Faults/InjectFault.h"
#include "npu/Audit/Faults/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_INJECTFAULT
#include "npu/Audit/Faults/Passes.h.inc"

namespace {

struct InjectFaultPass : impl::InjectFaultBase<InjectFaultPass> {
  using InjectFaultBase::InjectFaultBase;

  void runOnOperation() override {
    Result<FaultSpec> spec = parseFault(fault);
    if (!spec) {
      mlir::emitError(getOperation().getLoc())
          << "npu-inject-fault: " << spec.error().message;
      return signalPassFailure();
    }
    func::FuncOp chosen = functionAsked();
    if (!chosen)
      return signalPassFailure();
    InjectedFault done{FaultKind::WrongScale, chosen.getLoc(), "", 0, ""};
    if (failed(injectFault(chosen, *spec, &done)))
      return signalPassFailure();
    mlir::emitRemark(done.loc) << nameOf(done.kind) << " in '" << done.name
                               << "' #" << done.number << ": " << done.what;
  }

private:
  /// The function that is spoilt; null, after an error, where there is none.
  func::FuncOp functionAsked() {
    SmallVector<func::FuncOp> bodies;
    for (auto each : getOperation().getOps<func::FuncOp>())
      if (!each.isExternal())
        bodies.push_back(each);
    StringRef name = function.empty() ? StringRef("main") : StringRef(function);
    for (func::FuncOp each : bodies)
      if (each.getName() == name)
        return each;
    if (function.empty() && bodies.size() == 1)
      return bodies.front();
    mlir::emitError(getOperation().getLoc())
        << "npu-inject-fault: expected a function '" << name
        << "' with a body, got " << bodies.size() << " others";
    return {};
  }
};

} // namespace
} // namespace npu
