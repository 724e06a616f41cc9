// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between which numbers an index lies, so that what is known to be right needs
// no assertion.

#ifndef NPU_LIB_CONVERSION_TOLLVM_INDEXRANGES_H
#define NPU_LIB_CONVERSION_TOLLVM_INDEXRANGES_H

#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace npu {

/// The range of an index or integer, from the bounds of the loops around it and
/// what upstream infers for the operations that compute it; all numbers of the
/// type where that says nothing. Example: `linalg.index 0 + 3` in a loop of 4
/// iterations is 3 to 6.
mlir::ConstantIntRanges rangeOf(mlir::Value value);

/// Whether `value`, a signed number, is at least `first` and at most `last`.
bool isWithin(mlir::Value value, int64_t first, int64_t last);

} // namespace npu

#endif // NPU_LIB_CONVERSION_TOLLVM_INDEXRANGES_H
