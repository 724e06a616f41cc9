// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssignOptions.h"
#include "../Verify/LimitsOfTarget.h"
#include "PinLayouts.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/IR/TensorSizes.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace npu {
namespace {

/// A device of as many tiles as there can be, whose scratchpads hold
/// everything.
Target boundlessTarget() {
  Target target = *findBuiltinTarget("npu4000");
  target.name = "no target";
  target.maxTiles = kMaxTiles;
  target.scratchpadBytes = std::numeric_limits<int64_t>::max();
  return target;
}

InFlightDiagnostic refuse(ModuleOp module) {
  return mlir::emitError(module.getLoc()) << "npu-assign-distributions: ";
}

FailureOr<int64_t> readTiles(ModuleOp module, int64_t count,
                             const std::optional<Target> &device) {
  if (count < 0 || count > kMaxTiles)
    return refuse(module) << "expected 1 to " << kMaxTiles << " tiles, got "
                          << count;
  if (device && count > device->maxTiles)
    return refuse(module) << "expected at most " << device->maxTiles
                          << " tiles, which " << device->name << " has, got "
                          << count;
  if (count > 0)
    return count;
  if (device)
    return device->tiles;
  return refuse(module) << "expected tiles=N, target=NAME or a module that "
                           "describes its target, got none of them";
}

} // namespace

FailureOr<AssignSettings> readSettings(ModuleOp module,
                                       const WrittenOptions &written) {
  if (!isStrategy(written.strategy))
    return refuse(module) << "expected strategy " << strategyNames()
                          << ", got '" << written.strategy << "'";
  if (written.states < 1)
    return refuse(module) << "expected at least 1 state, got "
                          << written.states;
  // So that no price times all bytes of a program overflows.
  constexpr int64_t mostPrice = 1000000;
  if (written.bytePrice < 0 || written.bytePrice > mostPrice)
    return refuse(module) << "expected a byte-price from 0 to " << mostPrice
                          << ", got " << written.bytePrice;
  FailureOr<std::optional<Target>> device =
      targetWithCosts(module, written.target);
  if (failed(device))
    return failure();
  FailureOr<int64_t> count = readTiles(module, written.tiles, *device);
  if (failed(count))
    return failure();
  AssignSettings settings;
  settings.target = *device ? **device : boundlessTarget();
  settings.options.tiles = *count;
  settings.strategy = {written.strategy, written.states, written.bytePrice};
  settings.options.splitReductions = written.splitReductions;
  settings.options.countsReceived = written.bytePrice > 0;
  // Beam search evicts to DDR, and reports of baselines tell what going there
  // costs.
  settings.options.everywhereInDdr = written.strategy != "least";
  return settings;
}

SmallVector<FunctionOpInterface> functionsOf(ModuleOp module) {
  SmallVector<FunctionOpInterface> functions;
  module.walk([&](func::FuncOp function) {
    if (!function.isExternal())
      functions.push_back(function);
  });
  return functions;
}

LogicalResult prepare(ModuleOp module, const AssignSettings &settings) {
  if (failed(checkTensorSizes(module)) || failed(verifyStaticShapes(module)) ||
      failed(verifyLayoutsFit(module)))
    return failure();
  LogicalResult fine = success();
  module.walk([&](func::FuncOp function) {
    if (failed(pinSignature(function)))
      fine = failure();
  });
  if (failed(fine))
    return failure();
  retypeCalls(module);
  for (FunctionOpInterface function : functionsOf(module)) {
    pinResults(function);
    emptyUnreadOutputs(function);
    joinMoves(function);
  }
  return verifyLimits(module, settings.target);
}

} // namespace npu
