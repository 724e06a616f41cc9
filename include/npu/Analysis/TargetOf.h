// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device a module is compiled for: the one that the module describes, in
// upstream's attribute for that, or the one that an option names.
//
//   module attributes {dlti.target_system_spec = #dlti.target_system_spec<
//       "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} { ... }
//
// A built-in name brings its figures, and single entries override them. Any
// other name needs every figure (npu.max_tiles may be left out where it is
// npu.tiles).

#ifndef NPU_ANALYSIS_TARGETOF_H
#define NPU_ANALYSIS_TARGETOF_H

#include "npu/Target/Target.h"

#include "mlir/IR/Operation.h"

namespace npu {

/// The device that `op` or the closest operation around it describes; nothing
/// where none does. An error at the describing operation where the description
/// is no valid target.
mlir::FailureOr<std::optional<Target>> describedTarget(mlir::Operation *op);

/// The target that `option` (a pass's `target=`) names: a built-in one, or the
/// described one by its name; the described one where the option is empty.
/// Where there is no such target, an error at `op` that lists the names.
mlir::FailureOr<std::optional<Target>> targetOf(mlir::Operation *op,
                                                llvm::StringRef option);

} // namespace npu

#endif // NPU_ANALYSIS_TARGETOF_H
