// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an assignment into the function that it is of.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_APPLYASSIGNMENT_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_APPLYASSIGNMENT_H

#include "npu/Analysis/Candidates/FunctionProblem.h"
#include "npu/Analysis/Choices/BuildSplitReduction.h"

#include "mlir/IR/IRMapping.h"

namespace npu {

/// Gives every tensor the layout in which its operation makes it, brings it by
/// npu.redistribute and npu.distribution_cast into every other layout that was
/// assigned, and turns transposes into permute_casts where memory is re-read.
/// Each layout is made once, before the first operation that reads it, or
/// before the loop that the operation is in, where the tensor is from outside.
/// `numbers` are those of the reductions of the function as it was given, also
/// of those that nobody reads.
void applyAssignment(const FunctionProblem &function,
                     const Assignment &assignment,
                     const ReductionNumbers &numbers);

/// The same in a copy of the function, which `copies` maps it to.
void applyAssignmentToCopy(const FunctionProblem &function,
                           const Assignment &assignment,
                           const mlir::IRMapping &copies);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_APPLYASSIGNMENT_H
