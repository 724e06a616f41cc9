// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of one value in a partial assignment: what each of its forms
// would still cost, and which of them take memory.

#ifndef NPU_LIB_ASSIGNMENT_CONDITIONS_H
#define NPU_LIB_ASSIGNMENT_CONDITIONS_H

#include "Prices.h"

#include <map>

namespace npu {

/// A condition of a value, told by what matters to later operations alone.
struct Condition {
  /// What having each form costs from here on: 0 for one that exists,
  /// `kImpossible` for one that cannot be had or is needed by no later
  /// operation.
  std::vector<int64_t> prices;
  /// The forms that exist and that a row of memory counts: a later one, or an
  /// earlier one while a later operation may need the form again.
  std::vector<bool> takesMemory;

  friend auto operator<=>(const Condition &, const Condition &) = default;
};

/// The conditions of one value, each with a number. What is asked once is known
/// from then on.
class Conditions {
public:
  Conditions(const AssignedValue &value, int number, const Lifetimes &lifetimes)
      : value(&value), number(number), lifetimes(&lifetimes) {}

  const Condition &operator[](int id) const { return *all[id].condition; }

  /// The value was made in `form`.
  int made(int form);

  /// `form` exists, too. Precondition: its price is not `kImpossible`.
  int with(int id, int form);

  /// What matters behind `operation`.
  int behind(int id, int operation);

  /// What readers behind `operation` add at least.
  int64_t leastBehind(int id, int operation, Prices &prices);

  /// At most so much more than in condition `b` is paid later in condition `a`,
  /// which takes no more memory; nothing where that is not known.
  std::optional<int64_t> extraCost(int a, int b, int operation) const;

private:
  struct Known {
    const Condition *condition = nullptr;
    /// By form; -1 where it was not asked yet.
    std::vector<int> with;
    /// The answers for the operations and the number of readers that were asked
    /// about last.
    int operation = -1, behind = -1;
    int asked = -1, readers = -1, version = -1;
    int64_t least = 0;
  };

  int intern(Condition condition);
  int forget(Condition condition, int operation);

  const AssignedValue *value;
  int number;
  const Lifetimes *lifetimes;
  std::map<Condition, int> ids;
  std::vector<Known> all;
  std::vector<int> madeIds;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_CONDITIONS_H
