// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a reduction that one operation can make: they have one size, and
// where their ranges begin follows from the part's number by one affine
// expression. Of 128 terms in four parts, part p begins at 32 * p; 10 terms in
// parts of 4, 3 and 3 are two series, of one part and of two.

#ifndef NPU_ANALYSIS_CHOICES_PARTSERIES_H
#define NPU_ANALYSIS_CHOICES_PARTSERIES_H

#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace npu {

/// The range of one cut loop in the parts of a series: it begins at
/// `begin + step * digit`, where the digit of part p (counted from the series'
/// first) is `p floordiv period mod count`.
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
  /// One for each cut loop.
  llvm::SmallVector<PartRange, 2> ranges;

  /// True where a loop's digit has to be taken from the part's number by a
  /// remainder: other loops have digits above it.
  bool hasRemainder(const PartRange &range) const {
    return range.period * range.count < count;
  }

  /// Where a loop's range begins in part `part` of this series. Never a
  /// constant, also where all parts begin at one place: what is read behind a
  /// constant 0 would be taken for all of a dimension.
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
