// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's canonicalizer for functions without branches.

#ifndef NPU_CONVERSION_CANONICALIZEOPERATIONS_H
#define NPU_CONVERSION_CANONICALIZEOPERATIONS_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace npu {

/// Upstream's canonicalizer without its simplification of blocks, which takes
/// half of its time. Where each region has one block the result is the same:
/// what remains to be done there is to erase operations without uses, which the
/// patterns' driver does as well.
std::unique_ptr<mlir::Pass> createCanonicalizeOperations();

} // namespace npu

#endif // NPU_CONVERSION_CANONICALIZEOPERATIONS_H
