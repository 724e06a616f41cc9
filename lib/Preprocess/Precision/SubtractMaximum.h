// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A softmax whose exponentials cannot overflow.

#ifndef NPU_LIB_PREPROCESS_PRECISION_SUBTRACTMAXIMUM_H
#define NPU_LIB_PREPROCESS_PRECISION_SUBTRACTMAXIMUM_H

#include "Patterns/PrecisionPatterns.h"

namespace npu {

/// Subtracts the largest number of each row before its exponential is taken,
/// which changes no quotient. The operations that find it become a part of the
/// pattern. Stays as it is, with a remark, where something is added to the sum,
/// or shapes are dynamic.
void subtractMaximum(PrecisionPattern &pattern);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_SUBTRACTMAXIMUM_H
