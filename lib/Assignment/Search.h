// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass of dynamic programming over the program.

#ifndef NPU_LIB_ASSIGNMENT_SEARCH_H
#define NPU_LIB_ASSIGNMENT_SEARCH_H

#include "Frontier.h"
#include "PendingRows.h"

#include <limits>
#include <ranges>

namespace npu {

class Search {
public:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  /// `problem` outlives the search.
  explicit Search(const AssignmentProblem &problem);

  /// Looks for prices: a higher bound, and a better guide. A bound of `enough`
  /// is enough.
  void improvePrices(int64_t enough = kNone);

  /// Takes the prices of a search in fewer of the same layers.
  void adoptPrices(const Search &others, const ShortProblem &shorter);

  /// No assignment costs less, whatever a pass finds.
  int64_t bound() const { return prices.bound(); }

  /// Raises the bound where memory is short. Some assignment costs `atMost`.
  void chargeMemory(int64_t atMost);

  struct Outcome {
    /// The best ways that were found; none where nothing cheaper than asked for
    /// was.
    std::vector<int> ways;
    /// The least that anything that was dropped for lack of room could have led
    /// to; `kNone` where nothing was.
    int64_t dropped = kNone;
    /// The first operation that nothing was left behind; -1 where there is
    /// none.
    int stuckAt = -1;
  };

  /// Keeps at most `width` partial assignments between two operations, and
  /// looks for assignments that cost less than `lessThan`.
  Outcome run(size_t width, int64_t lessThan);

private:
  void step(int i);
  void enterValues(Frontier &frontier, int i);
  void take(const Partial &partial, int number, int i, int w);
  bool have(Partial &partial, ValueForm form);
  int64_t bytesLeft(const MemoryRow &row, const Partial &partial, int w) const;
  bool fits(Partial &partial, int w) const;
  int64_t mostBytesBehind(int row, const Partial &partial, int i) const;
  void closeRows(Partial &partial, int i) const;
  void keep(Partial partial, int i);
  void drop(Frontier &frontier, size_t most);
  std::vector<int> chosenWays() const;

  const AssignmentProblem &problem;
  std::vector<std::vector<int>> made;
  std::vector<MemoryRow> rows;
  Lifetimes lifetimes;
  Prices prices;
  std::vector<Conditions> conditions;

  // Of a pass.
  std::vector<Frontier> frontiers;
  size_t width = 0;
  bool isMemoryIgnored = false;
  int64_t lessThan = kNone;
  int64_t dropped = kNone;
  std::optional<PendingRows> pending;

  // Of the operation that is being added: the live values and its results, the
  // place of each value among them, its rows of memory, and what continues the
  // partial assignments in front of it.
  std::vector<int> live, slots;
  std::ranges::subrange<std::vector<MemoryRow>::iterator> rowsHere;
  std::vector<Partial> continued;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_SEARCH_H
