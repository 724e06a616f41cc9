// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RemarkTotals.h"
#include "FunctionTraffic.h"
#include "npu/Support/Decisions.h"

using namespace mlir;

namespace npu {

static bool isOnTiles(FunctionOpInterface function) {
  auto visit = [](Operation *op) {
    return WalkResult(failure(touchesTiles(op)));
  };
  return llvm::any_of(function.getArgumentTypes(), isDistributed) ||
         function->walk(visit).wasInterrupted();
}

static void remarkTotal(FunctionOpInterface function) {
  auto remark =
      mlir::remark::analysis(function.getLoc(), decision("total", function));
  if (!remark)
    return;
  FailureOr<FunctionTraffic> traffic =
      trafficOf(function, /*saysWhyNot=*/false);
  if (failed(traffic)) {
    remark << mlir::remark::reason(
        "{0}", StringRef("nobody knows the size of an element that moves"));
    return;
  }
  remark << mlir::remark::reason(
      "{0}", StringRef("all that moves, in one round of each loop"));
  auto sum = [&](StringRef name, int64_t bits) {
    remark << mlir::remark::metric(name, toBytes(bits, 1));
  };
  const TrafficTotals &totals = traffic->totals;
  sum("bytes_received", totals.received);
  sum("bytes_injected", totals.injected);
  sum("bytes_relaid", totals.relaid);
  sum("ddr_bytes", totals.ddr);
  sum("gathered_bytes", totals.fallbacks);
  sum("boundary_bytes", totals.boundary);
}

void remarkTotals(Operation *root) {
  if (!isListeningToDecisions(root->getContext()))
    return;
  root->walk([](FunctionOpInterface function) {
    if (!function.isExternal() && isOnTiles(function))
      remarkTotal(function);
  });
}

} // namespace npu
