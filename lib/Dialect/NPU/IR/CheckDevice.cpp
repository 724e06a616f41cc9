// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckDevice.h"

#include "npu/Target/DeviceChoice.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace npu {

/// The name of the device that a module describes, or nothing. Whether the
/// description is a valid target, those say who read its figures.
static StringRef describedName(Operation *module) {
  for (NamedAttribute attr : module->getDiscardableAttrs()) {
    auto system = dyn_cast<TargetSystemSpecInterface>(attr.getValue());
    if (!system)
      continue;
    for (DataLayoutEntryInterface entry : system.getEntries())
      if (auto device = dyn_cast<TargetDeviceSpecInterface>(entry.getValue()))
        for (DataLayoutEntryInterface figure : device.getEntries())
          if (auto key = llvm::dyn_cast_if_present<StringAttr>(figure.getKey());
              key && key == "npu.name")
            if (auto name = dyn_cast<StringAttr>(figure.getValue()))
              return name.getValue();
  }
  return "";
}

Result<> checkDeviceOf(Operation *module, StringRef text) {
  DeviceSources sources;
  sources.file = text.str();
  Result<DeviceChoice> choice =
      resolveDevice(sources, {describedName(module).str(), ""});
  if (!choice)
    return choice.error();
  return Success();
}

} // namespace npu
