// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that a module is to run on, by what the command line, the module
// and the environment say.

#ifndef NPU_ANALYSIS_DEVICEOF_H
#define NPU_ANALYSIS_DEVICEOF_H

#include "npu/Target/DeviceChoice.h"

#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// A device, and how it was chosen.
struct ModuleDevice {
  DeviceChoice choice;
  /// The lines of accountOf.
  std::string account;
};

/// The device of a module. `commandLine` is what an option says, if it is
/// given, and `target` what the option for the target says, or empty. Under
/// `strict`, only the first device of the string is left, and it takes the
/// whole model. An error at the module where the string that counts means
/// nothing, where it contradicts the target, or where the module's own
/// description is no valid target.
mlir::FailureOr<ModuleDevice>
deviceOf(mlir::ModuleOp module, const std::optional<std::string> &commandLine,
         llvm::StringRef target, bool strict = false);

/// An error at the module where the device is another target than the module's
/// own, which a file has given it: `option` is what names the file.
mlir::LogicalResult verifyTargetFileCounts(mlir::ModuleOp module,
                                           const DeviceChoice &choice,
                                           llvm::StringRef option);

} // namespace npu

#endif // NPU_ANALYSIS_DEVICEOF_H
