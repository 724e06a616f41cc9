// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device a module is compiled for: what it says itself, in upstream's
// attribute for that, or what an option says.
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

/// The device that the closest operation around `op`, or itself, describes;
/// nothing where none does. An error at that operation where what it says is no
/// target.
mlir::FailureOr<std::optional<Target>> describedTarget(mlir::Operation *op);

/// The target that `option` (a pass's `target=`) names: a built-in one, or the
/// described one by its name; the described one where the option is empty. An
/// error at `op`, which lists the names, where there is none.
mlir::FailureOr<std::optional<Target>> targetOf(mlir::Operation *op,
                                                llvm::StringRef option);

} // namespace npu

#endif // NPU_ANALYSIS_TARGETOF_H
