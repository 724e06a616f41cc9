// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one value in a partial assignment: what each of its layouts
// would still cost, and which of them take memory.

#ifndef NPU_LIB_ASSIGNMENT_VALUESTATES_H
#define NPU_LIB_ASSIGNMENT_VALUESTATES_H

#include "Duals.h"

#include <map>

namespace npu {

/// All that later operations can observe of a value.
struct ValueState {
  /// The cost of each layout from here on: 0 for one that exists, kImpossible
  /// for one that cannot be reached or that no later operation reads.
  std::vector<int64_t> costs;
  /// The existing layouts that a capacity row counts: a later one, or an
  /// earlier one while a later operation may still read the layout.
  std::vector<bool> takesMemory;

  friend auto operator<=>(const ValueState &, const ValueState &) = default;
};

/// The states of one value, numbered. Transitions between them are computed
/// once.
class ValueStates {
public:
  ValueStates(const AssignedValue &value, int number,
              const Lifetimes &lifetimes)
      : value(&value), number(number), lifetimes(&lifetimes) {}

  const ValueState &operator[](int id) const { return *all[id].state; }

  /// The state of the value when it was made in `layout`.
  int made(int layout);

  /// The state after `layout` was added. Precondition: its cost is not
  /// kImpossible.
  int with(int id, int layout);

  /// The state after `operation`, without what no later operation can observe.
  int after(int id, int operation);

  /// A lower bound of what the readers after `operation` add
  /// (Duals::boundFrom).
  int64_t boundAfter(int id, int operation, Duals &duals);

  /// An upper bound of the extra future cost of state `a` over state `b`;
  /// nothing where `a` takes more memory or no bound is known.
  std::optional<int64_t> extraCost(int a, int b, int operation) const;

private:
  struct Known {
    const ValueState *state = nullptr;
    /// The first operation after which something of it is forgotten.
    int changesAt = 0;
    /// By layout the state after adding it; -1 where it was not computed yet.
    std::vector<int> with;
    /// The last answers, with the operations and the number of readers that
    /// they hold for.
    int operation = -1, after = -1;
    int asked = -1, readers = -1, version = -1;
    int64_t least = 0;
  };

  int intern(ValueState state);
  int changesAt(const ValueState &state) const;
  int forget(ValueState state, int operation);

  const AssignedValue *value;
  int number;
  const Lifetimes *lifetimes;
  std::map<ValueState, int> ids;
  std::vector<Known> all;
  std::vector<int> madeIds;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_VALUESTATES_H
