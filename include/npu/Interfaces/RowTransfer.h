// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation is asked about causality with: which rows of its results
// follow from which rows of its operands, where a function runs on a prompt of
// any length, whole or in chunks. docs/design/0012 has the argument; the .td
// file of CausalOpInterface says how an operation answers, with an example.

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
  /// The dimension of which entry i is row i's and follows from rows 0 to i.
  std::optional<int64_t> row;
  /// The dimension of which entry j is position j's. Without `row`, it follows
  /// from positions 0 to j.
  std::optional<int64_t> position;
  /// The cache argument that this is, or that it is after an update.
  std::optional<unsigned> cache;
  /// The prompt's entries are in it.
  bool updated = true;
  /// Follows from the whole prompt, but from its last rows and the full cache
  /// alone: the last chunk computes it.
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

/// Why an operation cannot be run in chunks, as the end of "'x' cannot be run
/// in chunks: ..."; nothing where it can.
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

/// The function that an operation stands in, as far as it has been walked.
class RowTransfer {
public:
  virtual ~RowTransfer() = default;

  /// How a value follows from the prompt; of an operand, that is known.
  virtual Dependence of(mlir::Value value) const = 0;
  /// An index or integer of the function as an expression: s0 is the offset
  /// (the position of the first row), s1 the prompt length. Null where it is
  /// none.
  virtual mlir::AffineExpr exprOf(mlir::OpFoldResult value) const = 0;
  /// A scalar is the same for the whole prompt and for a chunk of it (or, with
  /// `last`, for the last chunk).
  virtual bool isSame(mlir::OpFoldResult scalar, bool last) const = 0;

  /// The number of the prompt's rows.
  bool isLength(mlir::OpFoldResult size) const;
  /// The position of the prompt's first row.
  bool isOffset(mlir::OpFoldResult value) const;
  /// The number of the prompt's last row.
  bool isLastRow(mlir::OpFoldResult value) const;
  /// All entries of a dimension of `source`, a ranked tensor.
  bool isWhole(mlir::Value source, int64_t dim, mlir::OpFoldResult offset,
               mlir::OpFoldResult size, mlir::OpFoldResult stride) const;

  /// Rows and positions of all tensors that `op` reads, which have the same
  /// dimensions and hand them on to its results.
  WhyNotCausal join(mlir::Operation *op, Dependence &joined) const;

  /// What the entries of the results of `op` are, where they are computed of
  /// those of its operands: by the region of a LinalgOp whose loops are
  /// `loops`, or elementwise. Refuses what tells a run of the whole prompt from
  /// one of a chunk. An operation that is neither, and copies nothing, is taken
  /// at its word: the rows and positions of its results have the same bits in
  /// both runs (NaNs apart), and what is behind a row may be anything.
  virtual WhyNotCausal computeEntries(mlir::Operation *op,
                                      const CausalLoops &loops) = 0;

  /// The answer. Every tensor among the results must have one, if it is that it
  /// follows from nothing (`{}`).
  virtual void set(mlir::Value result, const Dependence &dependence) = 0;
};

} // namespace npu

#endif // NPU_INTERFACES_ROWTRANSFER_H
