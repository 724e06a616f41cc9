// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_REFUSAL_H
#define NPU_INTERFACES_REFUSAL_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace npu {

/// Why an operation cannot be padded: the rule that it breaks. `{}` in the rule
/// stands for the name of `operand`. Finding that name takes a walk over the
/// function, which is done only where the rule is printed.
///
/// Example: Refusal("it reads {} from after", source) becomes "'npu.x' cannot
/// be padded to max-prompt-len = 512 and stay exact: it reads '%3' from
/// after".
struct Refusal {
  /// What may be done instead of padding the operation.
  enum Way {
    /// The operation may read its operands entry by entry, if its model can say
    /// how; else it may work on the real part.
    ReadByEntry,
    /// The operation may work on the real part, where the prompt length is
    /// known.
    WorkOnRealPart,
    /// Nothing: the program contradicts itself, and the rule is all that is
    /// said of it.
    Fail
  };

  std::string rule;
  /// The operand that the rule is about; null for the first padded operand of
  /// the operation.
  mlir::Value operand;
  Way way = ReadByEntry;
  /// An earlier operation that is refused in place of the one that was asked,
  /// because the asked one would have seen through it. The asked operation is
  /// asked again.
  mlir::Operation *seenThrough = nullptr;

  Refusal(const char *rule) : rule(rule) {}
  Refusal(std::string rule, mlir::Value operand = {}, Way way = ReadByEntry)
      : rule(std::move(rule)), operand(operand), way(way) {}
};

/// Why an operation cannot be padded; nothing where it can.
using MaybeRefused = std::optional<Refusal>;

} // namespace npu

#endif // NPU_INTERFACES_REFUSAL_H
