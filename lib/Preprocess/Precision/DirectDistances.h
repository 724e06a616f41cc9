// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Squared distances written so that nothing large cancels.

#ifndef NPU_LIB_PREPROCESS_PRECISION_DIRECTDISTANCES_H
#define NPU_LIB_PREPROCESS_PRECISION_DIRECTDISTANCES_H

#include "Patterns/PrecisionPatterns.h"

namespace npu {

/// Computes squared distances as the sum of (x - y)^2 in f32, which the root of
/// the pattern reads instead of its three terms. Afterwards the pattern
/// consists of that sum, its root and what follows the root. Stays as it is,
/// with a remark, where x and y are no entries of tensors, or shapes are
/// dynamic.
void computeDirectly(PrecisionPattern &pattern);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_DIRECTDISTANCES_H
