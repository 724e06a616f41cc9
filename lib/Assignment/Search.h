// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic programming over the operations in program order (bucket elimination
// along that order), as a beam search with admissible bounds.
//
// Between two operations a partial assignment is summarized by the states of
// the live values and by the room in capacity rows that later operations still
// share; of those that agree the cheapest is kept, and dominated ones are
// dropped (Frontier.h). As in A*, each is ranked by its cost plus a lower bound
// of what is still to come, which the Lagrangian duals give (Duals.h), and is
// pruned where that reaches the best known cost. Only `width` of them are kept;
// the least bound of all that were dropped for lack of room limits what the
// search has proved.
//
// Capacity rows are checked exactly here; the bound knows them through
// multipliers, which improveMultipliers() finds by subgradient steps.
//
// References: Dechter, Bucket elimination: a unifying framework for reasoning,
// 1999; Hart, Nilsson, Raphael, A formal basis for the heuristic determination
// of minimum cost paths (A*), 1968; Held, Karp, The traveling-salesman problem
// and minimum spanning trees II (subgradients), 1971; Polyak, Minimization of
// unsmooth functionals (step length), 1969; Fisher, The Lagrangian relaxation
// method for solving integer programming problems, 1981.

#ifndef NPU_LIB_ASSIGNMENT_SEARCH_H
#define NPU_LIB_ASSIGNMENT_SEARCH_H

#include "Frontier.h"
#include "HeldBytes.h"
#include "RowsAhead.h"

#include <limits>
#include <ranges>

namespace npu {

/// The capacity rows of earlier operations that later choices can still fill.
/// Rows that count the same later layouts are merged: after a layer of a model,
/// only what all layers share is left of its rows.
class PendingRows {
public:
  /// Before the first operation. The arguments outlive this.
  PendingRows(const std::vector<CapacityRow> &rows, const Lifetimes &lifetimes)
      : rows(rows), lifetimes(lifetimes), places(rows.size(), -1),
        counted(rows.size()) {}

  /// Proceeds to the point after `operation`. To be called for one operation
  /// after the other.
  void advance(int operation);

  /// The row that this one was merged into; -1 where it counts no layout that
  /// may still be added. Precondition: the row was pending before the last
  /// operation.
  int standIn(int row) const { return places[row]; }

  /// The layouts of a pending row that may be needed, sorted.
  const std::vector<LayoutBytes> &layouts(int row) const {
    return counted[row];
  }

private:
  const std::vector<CapacityRow> &rows;
  const Lifetimes &lifetimes;
  std::vector<int> pending;
  size_t next = 0;
  std::vector<int> places;
  std::vector<std::vector<LayoutBytes>> counted;
};

class Search {
public:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  /// `problem` outlives the search.
  explicit Search(const AssignmentProblem &problem);

  /// Improves the bound, which also guides the search better, until it is
  /// `enough`.
  void improveDuals(int64_t enough = kNone);

  /// Starts from the duals of a search in fewer of the same layers.
  void adoptDuals(const Search &others, const ShortProblem &shorter);

  /// The lower bound of the duals: no assignment costs less.
  int64_t bound() const { return duals.bound(); }

  /// Subgradient steps on the multipliers of the capacity rows. Some assignment
  /// costs `atMost`. False where no row matters: a pass would find what it
  /// found before.
  bool improveMultipliers(int64_t atMost);

  struct Outcome {
    /// The candidate of each operation in the best assignment that was found;
    /// empty where none is cheaper than asked for.
    std::vector<int> candidates;
    /// The least lower bound of all partial assignments that were dropped for
    /// lack of room; `kNone` where none was.
    int64_t dropped = kNone;
    /// The first operation after which no partial assignment was left; -1 where
    /// there is none.
    int stuckAt = -1;
  };

  /// From now on, passes drop partial assignments that leave later operations
  /// too little room (RowsAhead.h). False where they did so before.
  bool lookAhead();

  /// Runs one pass that keeps at most `width` partial assignments between two
  /// operations, and looks for assignments that cost less than `lessThan`.
  Outcome run(size_t width, int64_t lessThan);

private:
  void step(int i);
  void enterValues(Frontier &frontier, int i);
  void take(const Partial &partial, int number, int i, int w);
  bool have(Partial &partial, ValueLayout layout);
  int64_t bytesLeft(size_t row, const Partial &partial, int w);
  bool fits(Partial &partial, int w);
  int64_t mostBytesAfter(int row, const Partial &partial, int i);
  int64_t mostBytesOf(std::span<const LayoutBytes> terms, int id, int i) const;
  void groupTerms(int row);
  bool leavesRoom(const Partial &partial, int i);
  void closeRows(Partial &partial, int i);
  void keep(Partial partial, int i);
  void beginFamily(const Partial &parent);
  void drop(Frontier &frontier, size_t most);
  std::vector<int> chosenCandidates() const;

  const AssignmentProblem &problem;
  std::vector<std::vector<int>> made;
  std::vector<CapacityRow> rows;
  Lifetimes lifetimes;
  Duals duals;
  std::vector<ValueStates> states;
  std::optional<RowsAhead> ahead;

  // State of a pass.
  std::vector<Frontier> frontiers;
  size_t width = 0;
  bool isMemoryIgnored = false;
  int64_t lessThan = kNone;
  int64_t dropped = kNone;
  std::optional<PendingRows> pending;

  // State of a step: the live values and the results of the operation, the
  // place of each value among them, the operation's capacity rows, and the
  // partial assignments that were extended.
  std::vector<int> live, slots;
  std::ranges::subrange<std::vector<CapacityRow>::iterator> rowsHere;
  std::vector<Partial> continued;
  /// Of the live values in the state that the extended partial assignment has
  /// them in, what all of its extensions share: the state after the operation,
  /// -1 where nobody asked, and its bound.
  struct Inherited {
    int after = -1;
    int64_t least = 0;
  };
  const Partial *parent = nullptr;
  std::vector<Inherited> inherited;
  /// What layouts take of those rows, and of the later ones that are looked
  /// ahead to.
  std::vector<HeldBytes> heldHere, heldAhead;

  /// The terms of a pending row that belong to one value, and what
  /// mostBytesOf() said of it in each of its states; -1 where nobody asked.
  struct ValueTerms {
    int value = 0;
    std::span<const LayoutBytes> terms;
    std::vector<int64_t> most;
  };
  /// By pending row; empty where this step has not asked.
  std::vector<std::vector<ValueTerms>> termsOfRows;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_SEARCH_H
