// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result held against the original's, element by element: both in f64, where
// functions that compute the same agree to the last digits.

#ifndef NPU_LIB_AUDIT_RESULTAGAINST_H
#define NPU_LIB_AUDIT_RESULTAGAINST_H

#include "Known.h"

#include <string>

namespace npu {

/// How far the results of two functions may be from each other that compute the
/// same.
struct Closeness {
  /// Relative to an element, and to elements of its magnitude.
  double relative = 0x1p-30;
  /// Of each side, the share of an element's bound that f64 may be off by where
  /// the device may be off by the bound.
  double ours = 0, theirs = 0;
  /// Whether elements that are farther apart than both bounds are different.
  /// Not so where constants were rounded to other element types.
  bool boundsTell = true;
};

/// How an element stands against the original's.
enum class Agreement : uint8_t {
  Same,
  /// The elements differ. Without a finite bound that would be rounding where
  /// the element was computed from the largest of the result, and a difference
  /// where it was not.
  Unknown,
  Different
};

/// How a result stands against the original's.
struct ResultAgainst {
  int64_t number = 0;
  TensorSpec spec;
  /// Elements that are different, and those among them that are NaN or infinite
  /// on one side, or on both in another way.
  int64_t different = 0, nonFinite = 0;
  /// Elements that differ while no finite bound of their rounding is known
  /// (Agreement::Unknown).
  int64_t unknown = 0;
  /// Elements that are NaN or infinite in the same way on both sides.
  int64_t bothNonFinite = 0;
  /// The element that is farthest off: of those that are different, or else of
  /// those that are not known.
  int64_t worst = 0;
  double expected = 0, got = 0;
  /// How far it is off, and by how much it may be. Infinite or NaN where one of
  /// both numbers is.
  double distance = 0, allowed = 0;
  /// What the pattern of differences looks like.
  std::vector<std::string> hints;

  bool isDifferent() const { return different > 0; }
  /// Elements that show nothing: that agree in no number, or are not known.
  int64_t silent() const { return bothNonFinite + unknown; }
  /// Whether too little is left that a comparison would show something of.
  bool isComparable() const {
    return isDifferent() ||
           (unknown == 0 && 2 * bothNonFinite <= spec.elements());
  }
};

/// Holds one result against the original's. Precondition: both have one shape.
/// Floats are the same where they are near each other, or are infinities of one
/// sign, or both NaN; integers where all of their bits are.
ResultAgainst holdResultAgainst(int64_t number, const Known &ours,
                                const Known &theirs,
                                const Closeness &closeness);

} // namespace npu

#endif // NPU_LIB_AUDIT_RESULTAGAINST_H
