// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function held against the one that it was made from: which of its values
// the original has as well, and the first operation whose value nothing there
// equals.

#ifndef NPU_LIB_AUDIT_AGAINST_H
#define NPU_LIB_AUDIT_AGAINST_H

#include "Finding.h"
#include "ResultAgainst.h"

#include <map>

namespace npu {

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
