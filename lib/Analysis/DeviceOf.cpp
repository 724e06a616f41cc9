// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/DeviceOf.h"

#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "llvm/Support/Process.h"

using namespace mlir;

namespace npu {

FailureOr<ModuleDevice> deviceOf(ModuleOp module,
                                 const std::optional<std::string> &commandLine,
                                 StringRef target, bool strict) {
  auto described = targetDescription(module);
  if (failed(described))
    return failure();
  KnownTargets targets;
  if (*described)
    targets.own = (*described)->target.name;
  targets.asked = target.str();
  DeviceSources sources;
  sources.commandLine = commandLine;
  if (auto said = module->getAttrOfType<StringAttr>(deviceAttrName))
    sources.file = said.getValue().str();
  sources.environment = llvm::sys::Process::GetEnv(
      StringRef(deviceVariable.data(), deviceVariable.size()));
  Result<DeviceChoice> choice = resolveDevice(sources, targets);
  if (!choice)
    return mlir::emitError(module.getLoc()) << choice.error().message;
  ModuleDevice device{*choice, ""};
  if (strict) {
    device.choice.request.way = DeviceWay::Whole;
    device.choice.request.devices.resize(1);
    if (!npuOf(device.choice.request))
      device.choice.target = targets.asked;
  }
  device.account = accountOf(device.choice, sources, targets);
  // A built-in name in a device string means that device as it is.
  const std::string &named = device.choice.target;
  if (*described && npuOf(device.choice.request) &&
      (named.empty() || (named == targets.own && !findBuiltinTarget(named))))
    device.account += accountOf(**described, "    ");
  if (strict)
    device.account += "  strict: only the first device of " +
                      toString(choice->request) + " counts\n";
  return device;
}

LogicalResult verifyTargetFileCounts(ModuleOp module,
                                     const DeviceChoice &choice,
                                     StringRef option) {
  // The name of a built-in target means that one, and not the file's.
  const std::string &named = choice.target;
  auto described = targetDescription(module);
  if (failed(described))
    return failure();
  bool isOwn = *described && named == (*described)->target.name &&
               !findBuiltinTarget(named);
  if (!npuOf(choice.request) || named.empty() || isOwn)
    return success();
  return mlir::emitError(module.getLoc())
         << option
         << ": expected no device that names a target beside it, got '"
         << toString(choice.request) << "'";
}

} // namespace npu
