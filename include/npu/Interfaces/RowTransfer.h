// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model of CausalOpInterface uses to answer which rows of its results
// follow from which rows of its operands, where a function runs on a prompt of
// any length, whole or in chunks. docs/design/0012 has the argument; the .td
// file of the interface has an example.

#ifndef NPU_INTERFACES_ROWTRANSFER_H
#define NPU_INTERFACES_ROWTRANSFER_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace npu {

/// How a value follows from the prompt.
struct Dependence {
  /// The dimension whose entry i belongs to row i and follows from rows 0 to i.
  std::optional<int64_t> row;
  /// The dimension whose entry j belongs to position j. Without `row`, entry j
  /// follows from positions 0 to j.
  std::optional<int64_t> position;
  /// The number of the cache's argument, if this value is a cache, before or
  /// after the prompt's entries were put into it.
  std::optional<unsigned> cache;
  /// Whether the cache has the prompt's entries.
  bool updated = true;
  /// The value follows from the prompt's last rows and the full cache alone, so
  /// that the last chunk computes it.
  bool last = false;

  bool isIndependent() const { return !row && !position && !last; }
};

/// The loops of an operation that count rows of the prompt and positions of the
/// cache; none in operations of the last rows alone. An elementwise operation
/// has a loop for each dimension.
struct CausalLoops {
  std::optional<unsigned> row, position;
  bool last = false;
};

/// Why an operation cannot be run in chunks, as the end of the sentence "'x'
/// cannot be run in chunks: ..."; nothing where it can.
using WhyNotCausal = std::optional<std::string>;

/// Reasons that several operations have.
inline constexpr llvm::StringLiteral rowsNotUnderstood =
    "it is not known what it does with the prompt's rows";
inline constexpr llvm::StringLiteral rowsMeetPositions =
    "rows of the prompt meet positions of the cache, of which they have the "
    "same number only by chance";
inline constexpr llvm::StringLiteral rowsFollowFromLast =
    "rows follow from the prompt's last rows";

std::string cacheUpdatedTwice(unsigned argument);

/// What is known of the function around an operation, as far as it has been
/// walked.
class RowTransfer {
public:
  virtual ~RowTransfer() = default;

  /// How a value follows from the prompt. It is known for every operand of the
  /// operation that is asked.
  virtual Dependence of(mlir::Value value) const = 0;
  /// An index or integer of the function as an expression, in which s0 is the
  /// offset (the position of the first row) and s1 the prompt length. Null
  /// where the value is no such expression.
  virtual mlir::AffineExpr exprOf(mlir::OpFoldResult value) const = 0;
  /// Whether a scalar is the same for the whole prompt and for a chunk of it
  /// (or, with `last`, for the last chunk).
  virtual bool isSame(mlir::OpFoldResult scalar, bool last) const = 0;

  /// Whether `size` is the number of the prompt's rows.
  bool isLength(mlir::OpFoldResult size) const;
  /// Whether `value` is the position of the prompt's first row.
  bool isOffset(mlir::OpFoldResult value) const;
  /// Whether `value` is the number of the prompt's last row.
  bool isLastRow(mlir::OpFoldResult value) const;
  /// Whether offset, size and stride select all entries of a dimension of
  /// `source`, a ranked tensor.
  bool isWhole(mlir::Value source, int64_t dim, mlir::OpFoldResult offset,
               mlir::OpFoldResult size, mlir::OpFoldResult stride) const;

  /// Joins the dependences of all tensors that `op` reads, which have the same
  /// dimensions as its results and hand them on.
  WhyNotCausal join(mlir::Operation *op, Dependence &joined) const;

  /// Computes the facts of the entries of the results of `op`, where entries
  /// are computed from those of its operands: by the region of a LinalgOp whose
  /// loops are `loops`, or elementwise. Refuses an operation that computes
  /// something else in a run of the whole prompt than in one of a chunk. The
  /// answer of an operation that is neither, and copies nothing, is trusted:
  /// the rows and positions of its results have the same bits in both runs
  /// (NaNs apart), and entries after a row may be anything.
  virtual WhyNotCausal computeEntries(mlir::Operation *op,
                                      const CausalLoops &loops) = 0;

  /// Answers how `result` follows from the prompt. Every tensor among the
  /// results needs an answer; that of a tensor which follows from nothing is
  /// `{}`.
  virtual void set(mlir::Value result, const Dependence &dependence) = 0;
};

} // namespace npu

#endif // NPU_INTERFACES_ROWTRANSFER_H
