// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Until when each value and each form of it matters to what follows.

#ifndef NPU_LIB_ASSIGNMENT_LIFETIMES_H
#define NPU_LIB_ASSIGNMENT_LIFETIMES_H

#include "npu/Assignment/Problem.h"

#include <span>

namespace npu {

/// The rows of memory that a choice could exceed, in the order of operations.
std::vector<MemoryRow> rowsThatMatter(const AssignmentProblem &problem);

class Lifetimes {
public:
  Lifetimes(const AssignmentProblem &problem, std::span<const MemoryRow> rows);

  /// The last operation with a way that needs the form; -1 where there is none.
  int lastNeed(ValueForm form) const { return at(form).lastNeed; }
  /// Whether a later row counts the form or a later operation may need it.
  bool matters(ValueForm form, int operation) const {
    return lastRow(form) > operation || lastNeed(form) > operation;
  }
  /// The last operation that counts the form in a row of memory; -1 where there
  /// is none.
  int lastRow(ValueForm form) const { return at(form).lastRow; }

  /// The operation that makes the value; of arguments and constants the first
  /// one that they matter to, -1 where they matter to none.
  int begin(int value) const { return values[value].begin; }

  /// The last operation that the value matters to; -1 where it matters to none.
  int last(int value) const { return values[value].last; }

  /// The arguments and constants that matter to the operation and to none
  /// before.
  const std::vector<int> &entering(int operation) const {
    return entries[operation];
  }

  /// The number of forms that operations behind `operation` can need of the
  /// value at the same time.
  int needsBehind(int value, int operation) const;

private:
  struct Form {
    int lastNeed = -1;
    int lastRow = -1;
  };
  struct Value {
    int first = -1;
    int last = -1;
    int begin = -1;
    std::vector<Form> forms;
    /// For each operation that may need the value the most forms that it and
    /// those behind it need, each at once.
    std::vector<std::pair<int, int>> users;
  };

  const Form &at(ValueForm form) const {
    return values[form.value].forms[form.form];
  }
  void addNeeds(const AssignmentProblem &problem, int operation);
  void mention(Value &value, int operation);

  std::vector<Value> values;
  std::vector<std::vector<int>> entries;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_LIFETIMES_H
