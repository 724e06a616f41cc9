// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NaN and infinities that two results have in common. Equal ones are no
// difference, but they say nothing about the numbers that should be there.

#ifndef NPU_LIB_EXECUTION_COMPARE_NONFINITE_H
#define NPU_LIB_EXECUTION_COMPARE_NONFINITE_H

#include "npu/Host/HostTensor.h"

#include <string>

namespace npu {

/// Entries of a float tensor, or of two that are compared: those that are NaN,
/// or infinite, on every side.
struct NonFiniteCount {
  int64_t entries = 0;
  int64_t nan = 0;
  int64_t infinite = 0;

  int64_t total() const { return nan + infinite; }
  /// More than half of the entries: what is left of the tensor is too little to
  /// compare.
  bool isMost() const { return total() > entries - total(); }
};

/// Counts entries of `tensor` that are NaN or infinite, also in `other` unless
/// it is null. Integers have none. `mayBeUnwritten`: entries that still have
/// the poison which memory is filled with before a run are left out of all
/// counts, as those after the real part of a result of run-time size are.
/// Precondition: both tensors have one spec.
NonFiniteCount countNonFinite(const HostTensor &tensor, const HostTensor *other,
                              bool mayBeUnwritten);

/// "12 of 64 entries are NaN or infinite (4 NaN, 8 infinite)"
std::string toString(const NonFiniteCount &count);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_NONFINITE_H
