// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what the report of an assignment says.

#ifndef NPU_FUZZ_CASES_CHECKASSIGNED_H
#define NPU_FUZZ_CASES_CHECKASSIGNED_H

#include "npu/Placement/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace npu {

/// Nothing wrong, or what of `report`, the JSON that npu-assign-distributions
/// wrote of `module`, is not so: a problem that checkProblem refuses, a
/// solution that checkAssignment refuses, a cost that npu-print-costs adds up
/// to another sum; a least cost above that of a baseline, or another than that
/// of all assignments where these are few; a contraction of `module` without
/// channels innermost in memory where the device asks for them.
Result<> checkAssigned(mlir::ModuleOp module, llvm::StringRef report,
                       llvm::StringRef strategy);

} // namespace npu

#endif // NPU_FUZZ_CASES_CHECKASSIGNED_H
