// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_TEST_UNIT_ANALYSIS_SCALAROPS_H
#define NPU_TEST_UNIT_ANALYSIS_SCALAROPS_H

#include "Interpreter.h"

namespace npu {

/// What an operation of arith or math computes, in f32 and wrapping integers.
/// Throws Trap where it has no result, and std::logic_error for an operation
/// that is not known.
Scalar computeScalar(mlir::Operation &op, llvm::ArrayRef<Scalar> operands);

} // namespace npu

#endif // NPU_TEST_UNIT_ANALYSIS_SCALAROPS_H
