// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of npu-plan-scratchpad for programs that keep it.

#ifndef NPU_CONVERSION_PLANSCRATCHPAD_PLANREPORT_H
#define NPU_CONVERSION_PLANSCRATCHPAD_PLANREPORT_H

#include "npu/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace npu {

/// The JSON of `npu-plan-scratchpad=report format=json` about a program on
/// buffers; an error where its plan is not one.
mlir::FailureOr<std::string>
scratchpadPlanAsJson(mlir::ModuleOp module,
                     const std::optional<Target> &target);

} // namespace npu

#endif // NPU_CONVERSION_PLANSCRATCHPAD_PLANREPORT_H
