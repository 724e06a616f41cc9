// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function held against the one that it was made from: which of its values
// the original has as well, and the first operation whose value nothing there
// equals.

#ifndef NPU_LIB_EXECUTION_AUDIT_AGAINST_H
#define NPU_LIB_EXECUTION_AUDIT_AGAINST_H

#include "Finding.h"

#include <map>

namespace npu {

/// An operation that is to blame, and those of the original that it stands for.
struct Suspect {
  std::string title;
  std::vector<std::string> standsFor;
};

struct Comparison64 {
  /// Results that are not those of the original, by number.
  std::vector<int64_t> different;
  /// The largest distance between the two references at a result, and what is
  /// allowed there.
  double distance = 0, bound = 0;
  /// What the pattern of distances looks like at the first such result.
  std::vector<std::string> hints;
  /// Values of the function that the original has as well, of so many.
  int64_t matched = 0, values = 0;
  /// The first operations in which the two part.
  std::vector<Suspect> suspects;

  /// Results of which more than half is NaN or infinite on both sides: that
  /// they agree there says nothing.
  std::vector<int64_t> notComparable;

  bool isDifferent() const { return !different.empty(); }
  bool isComparable() const { return notComparable.empty(); }
};

/// What is remembered of a value: enough to know it again in a function that
/// computes it in another way.
struct Fingerprint {
  int64_t elements = 0;
  /// Weighted sums of the elements with fixed weights in [-1, 1], and the root
  /// of the sum of all squares.
  double first = 0, second = 0, norm = 0;
  /// Sums do not tell values apart that are not finite.
  int64_t nonFinite = 0;
};

Fingerprint fingerprintOf(const Known &known);
/// Whether sums differ by no more than `tolerance` times the norm.
bool mayEqual(const Fingerprint &a, const Fingerprint &b, double tolerance);

/// All values of one function.
struct Fingerprints {
  std::map<const void *, Fingerprint> values;
  void add(mlir::Value value, const Known &known) {
    values[value.getAsOpaquePointer()] = fingerprintOf(known);
  }
  const Fingerprint *of(mlir::Value value) const {
    auto it = values.find(value.getAsOpaquePointer());
    return it == values.end() ? nullptr : &it->second;
  }
};

/// Compares results element by element, and where they differ, looks for the
/// operations. `results` have the reference and the bound of each result on
/// each side.
Comparison64 holdAgainst(const Units &units, const Fingerprints &values,
                         const std::vector<Known> &results,
                         const Units &original,
                         const Fingerprints &originalValues,
                         const std::vector<Known> &originalResults);

} // namespace npu

#endif // NPU_LIB_EXECUTION_AUDIT_AGAINST_H
