// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of two results: which elements differ in their bits, and by how
// much.

#ifndef NPU_EXECUTION_COMPARE_COMPARETENSORS_H
#define NPU_EXECUTION_COMPARE_COMPARETENSORS_H

#include "npu/Host/HostTensor.h"

#include <optional>

namespace npu {

/// Which differences are accepted. Nothing in all fields asks for equal bits,
/// where all NaNs are equal and +0.0 differs from -0.0; otherwise an element is
/// accepted that is within any of them.
struct Tolerance {
  double absolute = 0;
  /// Of the absolute value that is expected.
  double relative = 0;
  uint64_t ulp = 0;
  /// Whether a row of the last dimension is accepted whose largest element (of
  /// equal ones the first) is where it is expected, as the class that a
  /// classifier finds.
  bool top1 = false;

  bool operator==(const Tolerance &) const = default;
};

/// Parses "0.001", "1e-3" (absolute), "1e-2rel", "4ulp", "top1", or several of
/// these with commas.
Result<Tolerance> parseTolerance(const std::string &text);

struct Comparison {
  int64_t elements = 0;
  /// Elements whose bits differ (NaN equals NaN).
  int64_t different = 0;
  /// The elements of `different` that neither tolerance nor replay accepts.
  int64_t beyond = 0;
  /// The elements of `different` that only the replay accepts.
  int64_t replayed = 0;
  /// The elements of `beyond` that are infinite or NaN on one side, or infinite
  /// with different signs, where the replay has the bits that were got.
  int64_t overflowed = 0;
  double maxAbsolute = 0;
  /// The largest difference in steps between representable neighbours; integers
  /// count by one. There is none where only one side is a NaN.
  uint64_t maxUlp = 0;
  bool hasNanOnOneSide = false;
  /// The index of the first element beyond the tolerance; if there is none, of
  /// the first that differs.
  std::optional<int64_t> first;
  /// With the tolerance top1: rows of the last dimension, and those whose
  /// largest elements are in one place.
  int64_t rows = 0, rowsAgree = 0;
};

/// Compares element by element. An element that has the bits of `replay`, which
/// is `expected` with sums added up in another order, is accepted as well. NaN
/// or an infinity on one side alone, and two different infinities, are accepted
/// by no tolerance. Precondition: all tensors have one spec.
Comparison compareTensors(const HostTensor &expected, const HostTensor &got,
                          const Tolerance &tolerance,
                          const HostTensor *replay = nullptr);

} // namespace npu

#endif // NPU_EXECUTION_COMPARE_COMPARETENSORS_H
