// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the operation of a function that is the first to make NaN or infinities
// of finite numbers: the function runs once more and counts them in every value
// that a result follows from.

#ifndef NPU_LIB_EXECUTION_COMPARE_FINDNONFINITE_H
#define NPU_LIB_EXECUTION_COMPARE_FINDNONFINITE_H

#include "npu/Host/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// Lines like "since linalg.matmul at model.mlir:9:8: 12 of 64 entries are NaN
/// or infinite (0 NaN, 12 infinite), of finite operands" about result `number`
/// of function `entry`; a line that says why where they cannot be found.
/// `module` is a function on tensors without layouts, with the inputs' static
/// shapes, and is consumed.
std::vector<std::string> findNonFinite(mlir::OwningOpRef<mlir::ModuleOp> module,
                                       llvm::StringRef entry, unsigned number,
                                       const std::vector<HostTensor> &inputs,
                                       unsigned optLevel);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_FINDNONFINITE_H
