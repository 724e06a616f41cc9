// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partial assignments between two operations, of which those that others are as
// good as are dropped.

#ifndef NPU_LIB_ASSIGNMENT_FRONTIER_H
#define NPU_LIB_ASSIGNMENT_FRONTIER_H

#include "Conditions.h"

#include <unordered_map>

namespace npu {

/// A row of memory of an operation so far that forms could still exceed which
/// later operations need, and the bytes that are left there.
struct OpenRow {
  int row = 0;
  int64_t left = 0;

  friend auto operator<=>(const OpenRow &, const OpenRow &) = default;
};

/// A choice of ways for all operations so far.
struct Partial {
  /// The condition of each live value, in the order of the frontier's values.
  std::vector<int> conditions;
  /// In the order of rows.
  std::vector<OpenRow> open;
  int64_t cost = 0;
  /// What it pays for memory, in prices.
  int64_t rent = 0;
  /// No whole assignment that begins so costs less.
  int64_t least = 0;
  /// The partial assignment that this one continues, and the way that it adds.
  int parent = -1;
  int way = 0;
};

class Frontier {
public:
  /// The values that matter to later operations.
  std::vector<int> values;
  std::vector<Partial> partials;

  /// Keeps the partial assignment unless an equal one is as cheap.
  void add(Partial partial);

  /// Drops what costs no less than another would with all that it lacks.
  /// Compares with the cheapest ones alone where there are many.
  void dropDominated(const std::vector<Conditions> &conditions, int operation);

  /// Keeps the `most` that promise most; returns the least that one of those
  /// dropped could have led to, or nothing.
  std::optional<int64_t> keepBest(size_t most);

private:
  using Key = std::pair<std::vector<int>, std::vector<OpenRow>>;
  struct Hash {
    size_t operator()(const Key &key) const;
  };
  std::unordered_map<Key, size_t, Hash> known;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_FRONTIER_H
