// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms that are given up where memory is short, the furthest next use first.

#ifndef NPU_LIB_ASSIGNMENT_EVICTION_H
#define NPU_LIB_ASSIGNMENT_EVICTION_H

#include "Prefix.h"

namespace npu {

/// Evicts forms from the prefix that `newest` was just added to, as the beam
/// search in Baselines.h says.
class Eviction {
public:
  Eviction(const ProblemIndex &index, Prefix &prefix, int newest)
      : index(index), prefix(prefix), newest(newest) {}

  /// Until no row of an operation up to the newest one is exceeded; false where
  /// that does not succeed.
  bool run();

private:
  /// An operation that is chosen again.
  struct Change {
    int operation = 0;
    int before = 0;
    int after = 0;
  };

  bool uses(int operation, int way, ValueForm form) const;
  std::vector<ValueForm> candidates(const MemoryRow &row) const;
  bool giveUp(ValueForm form);
  bool chooseAgain(const std::vector<int> &operations);

  const ProblemIndex &index;
  Prefix &prefix;
  int newest;
  std::vector<ValueForm> given;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_EVICTION_H
