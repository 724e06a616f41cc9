// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of single values against the limits of a target.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_VERIFY_LIMITSOFTARGET_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_VERIFY_LIMITSOFTARGET_H

#include "npu/Analysis/StorageRules.h"
#include "npu/Target/Target.h"

#include "mlir/IR/Operation.h"

namespace npu {

/// An error at every value that is on more tiles than the target has, whose
/// memory box on one tile is larger than a scratchpad, or whose storage kind
/// the target does not have, or not for images of that size. Precondition:
/// layouts fit their tensors.
llvm::LogicalResult verifyLimits(mlir::Operation *root, const Target &target,
                                 const StorageRules &storage);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_VERIFY_LIMITSOFTARGET_H
