// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A series is a run of parts of a reduction that one operation can compute: the
// parts have one size, and the begin of their ranges is one affine expression
// of the part's number. Of 128 terms in four parts, part p begins at 32 * p; 10
// terms in parts of 4, 3 and 3 are two series, of one part and of two.

#ifndef NPU_ANALYSIS_CHOICES_PARTSERIES_H
#define NPU_ANALYSIS_CHOICES_PARTSERIES_H

#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace npu {

/// The range of one cut loop in the parts of a series. It begins at `begin +
/// step * digit`, where the digit of part p (counted from the first part of the
/// series) is `p floordiv period mod count`.
struct PartRange {
  int64_t begin = 0;
  int64_t extent = 0;
  int64_t step = 0;
  unsigned period = 1;
  unsigned count = 1;

  friend bool operator==(const PartRange &, const PartRange &) = default;
};

struct PartSeries {
  unsigned first = 0;
  unsigned count = 0;
  /// The range of each cut loop.
  llvm::SmallVector<PartRange, 2> ranges;

  /// Whether a loop's digit is a remainder of the part's number, because slower
  /// loops change in this series as well.
  bool hasRemainder(const PartRange &range) const {
    return range.period * range.count < count;
  }

  /// Where a loop's range begins in part `part` of this series. The expression
  /// is never a constant, not even where all parts begin at one place: linalg's
  /// verifier would take a read at a constant 0 for a read of the whole
  /// dimension.
  mlir::AffineExpr beginOf(const PartRange &range, mlir::AffineExpr part) const;
};

/// Divides parts, each given as the ranges of its cut loops, into series of
/// consecutive parts, the first as long as it can be. In a grid of cut loops
/// the last loop's range changes from one part to the next, so that a grid of
/// equal ranges is one series.
std::vector<PartSeries>
findPartSeries(llvm::ArrayRef<llvm::SmallVector<Range, 2>> parts);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_PARTSERIES_H
