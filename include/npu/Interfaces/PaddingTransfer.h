// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model can ask about padding while it says what its operation does with
// it, and what it can answer. All extents and positions are in entries of a
// dimension; those that depend on prompt lengths are expressions of these
// (symbol s0 of the first prompt, s1 of the second ...), or constants where the
// length is known.

#ifndef NPU_INTERFACES_PADDINGTRANSFER_H
#define NPU_INTERFACES_PADDINGTRANSFER_H

#include "npu/Interfaces/PaddingState.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
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

enum class PaddingSide { Right, Left };

/// The prompt of a function.
struct Prompt {
  /// The length where it is known; nothing where it is a run-time value.
  std::optional<int64_t> length;
  int64_t maxLength = 0;
  PaddingSide side = PaddingSide::Right;
  /// The prompt dimensions of each argument.
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>> dims;
  /// What the model calls its prompts, each of which has a length of its own;
  /// empty where there is one that has no name. A known length is that of one.
  llvm::SmallVector<std::string> names;
  /// The number of the prompt that each of `dims` is as long as.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>> symbols;

  unsigned count() const {
    return names.empty() ? 1 : static_cast<unsigned>(names.size());
  }
  /// Whether the only prompt is as long as caches (npu.cache).
  bool isOfCaches = false;

  /// The length of the shortest prompt. One of several may be empty, as a cache
  /// is at the first step.
  int64_t minLength() const { return count() > 1 || isOfCaches ? 0 : 1; }
};

/// Whether an expression is of a prompt length, and not the same at every one.
bool followsPrompt(mlir::AffineExpr expr);

/// `parts` one after the other along a dimension.
struct Concatenation {
  llvm::SmallVector<mlir::Value> parts;
  int64_t along;
  /// Whether each part is put where the real entries of those before it end, so
  /// that all padding comes last; otherwise the parts stand side by side with
  /// their padding, and there is a hole.
  bool isPacked = false;
};

class PaddingTransfer {
public:
  /// The padding of a value, per dimension; empty where nothing is padded.
  virtual const PaddingState &of(mlir::Value value) const = 0;
  /// An index as an expression of the prompt length; null where it is no such
  /// expression.
  virtual mlir::AffineExpr exprOf(mlir::OpFoldResult value) const = 0;
  /// The number of real entries of a dimension; null where it is not known.
  virtual mlir::AffineExpr realExtent(mlir::Value tensor,
                                      int64_t dim) const = 0;
  virtual const Prompt &getPrompt() const = 0;
  /// The type of a value with its padded extents.
  virtual mlir::RankedTensorType paddedType(mlir::Value value) const = 0;

  /// The padding of a tensor with these real extents, none of which is null, on
  /// the side where the prompt is padded; or why there is none.
  virtual MaybeRefused stateOf(llvm::ArrayRef<mlir::AffineExpr> extents,
                               PaddingState &state) const = 0;
  /// Refuses this padding where another dimension of the tensor has a number of
  /// real entries that is not known.
  virtual MaybeRefused refusePartly(mlir::Value tensor,
                                    const PaddingState &padding) const = 0;

  /// Answers what the padding of `result` is; an empty state says that it has
  /// none. An operation that leaves out a result counts as not understood.
  virtual void setResult(mlir::Value result, PaddingState state) = 0;
  /// Answers that the only result of `op` is this concatenation. The operation
  /// is then rewritten as a concatenation; its own `pad` is not called.
  virtual MaybeRefused concatenate(mlir::Operation *op,
                                   const Concatenation &parts) = 0;
  /// Answers that the operation, which has upstream's AggregatedOpInterface,
  /// has to be decomposed before anything is padded.
  virtual void decomposeFirst(mlir::Operation *op) = 0;
  /// Answers that nothing needs to be made of the operation, because its users
  /// want its extents, or ask what it is made from. Its users are asked even
  /// where no operand of theirs is padded.
  virtual void seeThrough(mlir::Operation *op) = 0;
  virtual bool isSeenThrough(mlir::Operation *op) const = 0;

  /// The real extents of all dimensions.
  llvm::SmallVector<mlir::AffineExpr> realExtents(mlir::Value tensor) const;
  llvm::SmallVector<mlir::AffineExpr>
  exprsOf(llvm::ArrayRef<mlir::OpFoldResult> values) const;
  /// Whether an operand is an index that depends on the prompt length.
  bool followsPrompt(mlir::Operation *op) const;

protected:
  ~PaddingTransfer() = default;
};

/// The refusal of operations for which no model says what they do with padding.
Refusal unknownPaddingTransfer();

/// Lets a loop of `op` run over a padded dimension of an operand. Refuses where
/// another operand has given it a different number of real entries.
MaybeRefused joinLoop(mlir::Operation *op, unsigned loop, const PaddedDim &dim,
                      unsigned operand, PaddingState &loops);

/// Whether `expr` is the constant `value`; false for null.
bool isNumber(mlir::AffineExpr expr, int64_t value);

} // namespace npu

#endif // NPU_INTERFACES_PADDINGTRANSFER_H
