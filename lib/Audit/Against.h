// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function held against the one that it was made from: which of its values
// the original has as well, and the first operation whose value nothing there
// equals.

#ifndef NPU_LIB_AUDIT_AGAINST_H
#define NPU_LIB_AUDIT_AGAINST_H

#include "Finding.h"
#include "Known.h"

#include <map>
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

/// An operation that is to blame, and those of the original that it stands for.
struct Suspect {
  std::string title;
  std::vector<std::string> standsFor;
};

/// A result for which the function returns another value that the original has.
struct Mistaken {
  /// The number of the result.
  int64_t number = 0;
  /// What the original has of the value: "argument #1" or
  /// "arith.mulf (model.mlir:3:8)".
  std::string known;
  /// Operations of the original between that value and the result which give
  /// what the function has nowhere.
  std::vector<std::string> missing;
};

struct Comparison64 {
  /// For each result of the function.
  std::vector<ResultAgainst> results;
  /// Values of the function that the original has as well, of so many.
  int64_t matched = 0, values = 0;
  /// The first operations in which the two part.
  std::vector<Suspect> suspects;
  /// Results that are another value of the original.
  std::vector<Mistaken> mistaken;

  /// Results that are not those of the original, and results of which a
  /// comparison shows too little, by number.
  std::vector<int64_t> different() const {
    return numbersOf([](const ResultAgainst &r) { return r.isDifferent(); });
  }
  std::vector<int64_t> notComparable() const {
    return numbersOf([](const ResultAgainst &r) { return !r.isComparable(); });
  }
  const ResultAgainst *firstDifferent() const {
    auto it = llvm::find_if(results, [](const ResultAgainst &result) {
      return result.isDifferent();
    });
    return it == results.end() ? nullptr : &*it;
  }
  bool isDifferent() const { return firstDifferent(); }
  bool isComparable() const { return notComparable().empty(); }

private:
  std::vector<int64_t>
  numbersOf(llvm::function_ref<bool(const ResultAgainst &)> holds) const {
    std::vector<int64_t> numbers;
    for (const ResultAgainst &result : results)
      if (holds(result))
        numbers.push_back(result.number);
    return numbers;
  }
};

/// What is remembered of a value: enough to know it again in a function that
/// computes it in another way.
struct Fingerprint {
  int64_t elements = 0;
  /// Weighted sums of asinh of the finite elements with fixed weights in
  /// [-1, 1], and the root of the sum of all squares. The inverse hyperbolic
  /// sine leaves small numbers as they are, and of very large ones, as those of
  /// a mask, so little that they do not hide the others.
  double first = 0, second = 0, norm = 0;
  /// A weighted sum of where elements are infinite or NaN, of each kind.
  double pattern = 0;
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

#endif // NPU_LIB_AUDIT_AGAINST_H
