// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ApplyDevice.h"

#include "npu/Analysis/DeviceOf.h"
#include "npu/Analysis/Devices/DeviceTable.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Execution/Jit/ToExecutable.h"

using namespace mlir;

namespace npu {
namespace {

LogicalResult runOnCpu(ModuleOp module) {
  if (phaseOf(module) == CompilePhase::Tiles)
    return mlir::emitError(module.getLoc())
           << "expected a file with layouts or without for device CPU, got a "
              "program that is cut into tiles, which cannot be undone";
  return toReference(module);
}

/// An error where the program was made for another target than the device
/// names.
LogicalResult checkTarget(ModuleOp module, const ModuleDevice &device) {
  const NamedDevice *npu = npuOf(device.choice.request);
  if (!npu || npu->target.empty() || phaseOf(module) == CompilePhase::Start)
    return success();
  FailureOr<std::optional<Target>> described = describedTarget(module);
  if (failed(described))
    return failure();
  if (!*described || (*described)->name == npu->target)
    return success();
  return mlir::emitError(module.getLoc())
         << "the program is for target '" << (*described)->name
         << "', and the device " << toString(device.choice.request) << " is '"
         << npu->target << "'";
}

/// Whether tiles do all that the entry computes; a remark where they do not.
FailureOr<bool> fitsNpu(ModuleOp module, StringRef entry,
                        const DeviceRequest &request) {
  OwningOpRef<ModuleOp> copy = module.clone();
  FailureOr<func::FuncOp> function = findEntry(*copy, entry);
  if (failed(function) || failed(keepReachable(*copy, *function)) ||
      failed(toExecutable(*copy)))
    return failure();
  Operation *onCpu = computesOnCpu(deviceTableOf(*copy, entry));
  if (onCpu)
    mlir::emitRemark(onCpu->getLoc())
        << "device " << toString(request)
        << ": NPU does not take the whole model ('" << onCpu->getName()
        << "' runs on the CPU), so that it is CPU";
  return onCpu == nullptr;
}

} // namespace

LogicalResult applyDevice(ModuleOp module, StringRef entry,
                          RunOptions &options) {
  FailureOr<ModuleDevice> device = deviceOf(
      module, options.device, options.scratchpad.target, options.strictDevice);
  if (failed(device))
    return failure();
  if (options.printDevice)
    llvm::errs() << device->account;
  const DeviceRequest &request = device->choice.request;
  if (device->choice.source == "default" && !options.strictDevice)
    return success();
  if (failed(checkTarget(module, *device)))
    return failure();
  bool isWhole = request.way == DeviceWay::Whole || !hasCpu(request);
  if (request.devices.front().kind == DeviceKind::Cpu)
    return runOnCpu(module);
  options.scratchpad.target = device->choice.target;
  if (!isWhole)
    return success();
  if (hasCpu(request)) {
    FailureOr<bool> fits = fitsNpu(module, entry, request);
    if (failed(fits))
      return failure();
    if (!*fits)
      return runOnCpu(module);
  }
  options.onNpu = true;
  return success();
}

} // namespace npu
