// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns that lose their result in short floats, written so that they do
// not: squared distances in which nothing large cancels, and a softmax whose
// exponentials cannot overflow.

#ifndef NPU_LIB_PREPROCESS_PRECISION_STABLEFORMS_H
#define NPU_LIB_PREPROCESS_PRECISION_STABLEFORMS_H

#include "Patterns/PrecisionPatterns.h"

namespace npu {

/// Computes squared distances as the sum of (x - y)^2 in f32, which the root of
/// the pattern reads instead of its three terms. Afterwards the pattern
/// consists of that sum, its root and what follows the root. Stays as it is,
/// with a remark, where x and y are no entries of tensors, or shapes are
/// dynamic.
void computeDirectly(PrecisionPattern &pattern);

/// Subtracts the largest number of each row before its exponential is taken,
/// which changes no quotient. The operations that find it become a part of the
/// pattern. Stays as it is, with a remark, where something is added to the sum,
/// or shapes are dynamic.
void subtractMaximum(PrecisionPattern &pattern);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_STABLEFORMS_H
