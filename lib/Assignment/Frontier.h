// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-dominated partial assignments between two operations.

#ifndef NPU_LIB_ASSIGNMENT_FRONTIER_H
#define NPU_LIB_ASSIGNMENT_FRONTIER_H

#include "ValueStates.h"

#include <unordered_map>

namespace npu {

/// A capacity row of an earlier operation that later choices may still exceed,
/// and its free bytes.
struct OpenRow {
  int row = 0;
  int64_t left = 0;

  friend auto operator<=>(const OpenRow &, const OpenRow &) = default;
};

/// A partial assignment: a candidate for each operation so far.
struct Partial {
  /// The state of each live value, in the order of the frontier's values.
  std::vector<int> states;
  /// In the order of rows.
  std::vector<OpenRow> open;
  int64_t cost = 0;
  /// The cost of the capacity it takes, by the multipliers. Scaled as duals
  /// are.
  int64_t capacityCost = 0;
  /// A lower bound of all its completions.
  int64_t least = 0;
  /// The partial assignment that this one extends, and the candidate that it
  /// adds.
  int parent = -1;
  int candidate = 0;
};

class Frontier {
public:
  /// The live values.
  std::vector<int> values;
  std::vector<Partial> partials;

  /// Adds the partial assignment unless one in the same state is as cheap.
  void add(Partial partial);

  /// Drops dominated partial assignments. Where there are many, compares each
  /// with the cheapest ones only.
  void dropDominated(const std::vector<ValueStates> &states, int operation);

  /// Keeps the `most` with the least lower bounds; returns the least bound of
  /// those that were dropped, or nothing.
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
