// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_REFUSAL_H
#define NPU_INTERFACES_REFUSAL_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace npu {

/// Why an operation cannot be padded: the rule that it breaks. `{}` in it
/// stands for the name of `operand`, which takes a walk over the function to
/// find, and is asked for only where the rule is printed.
///
/// Example: Refusal("it reads {} from behind", source) becomes "'npu.x' cannot
/// be padded to max-prompt-len = 512 and stay exact: it reads '%3' from
/// behind".
struct Refusal {
  /// What may be done instead.
  enum Way {
    /// It may read its operands entry by entry, if it can say how; or else as
    /// the next one.
    ReadByEntry,
    /// It may work on the real part, where the length is known.
    WorkOnRealPart,
    /// Nothing: the program contradicts itself, and the rule is all that is
    /// said of it.
    Fail
  };

  std::string rule;
  /// Null for the first padded one that the operation uses.
  mlir::Value operand;
  Way way = ReadByEntry;
  /// Of an operation that is refused in the place of the one that was asked:
  /// one that it was to be seen through. The one that was asked is asked again.
  mlir::Operation *seenThrough = nullptr;

  Refusal(const char *rule) : rule(rule) {}
  Refusal(std::string rule, mlir::Value operand = {}, Way way = ReadByEntry)
      : rule(std::move(rule)), operand(operand), way(way) {}
};

/// Nothing where it is understood.
using MaybeRefused = std::optional<Refusal>;

} // namespace npu

#endif // NPU_INTERFACES_REFUSAL_H
