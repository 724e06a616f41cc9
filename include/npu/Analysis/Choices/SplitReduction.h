// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction whose operands are split along what it reduces can be run where
// they lie: tiles make partial results of their parts, which are combined in
// the parts' order. For a matmul of A[m, k] and B[k, n] that four tiles hold by
// k:
//
//   partial j = A[:, k_j] * B[k_j, :]       on tile j
//   result    = (((init + partial 0) + partial 1) + partial 2) + partial 3

#ifndef NPU_ANALYSIS_CHOICES_SPLITREDUCTION_H
#define NPU_ANALYSIS_CHOICES_SPLITREDUCTION_H

#include "npu/Analysis/Choices/ComputeChoices.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

namespace npu {

/// A reduction with one result that one operation of known neutral element
/// combines.
struct Reduction {
  /// Inside the reduction's region: combines the accumulator with a term.
  mlir::Operation *combiner;
  mlir::TypedAttr neutral;
  /// Combining in another order can give another result.
  bool rounds;
};

/// Nothing for what is not a structured operation with a reduction of that
/// kind.
std::optional<Reduction> matchReduction(mlir::Operation *op);

/// A structured operation with a loop that reduces. These are what
/// `npu.split_reduction` counts: padding makes a `linalg.generic` of a
/// `linalg.reduce`, and the number stays.
bool isReduction(mlir::Operation *op);

/// How many terms go into each element of a reduction's result. Precondition: a
/// structured operation of static extents.
int64_t termsOf(mlir::Operation *op);

/// One way to split a reduction.
struct ReductionSplit {
  /// Loops that are cut, all of them reductions.
  llvm::SmallBitVector cutLoops;
  struct Part {
    /// Ranges of the cut loops; other loops are whole.
    Iteration iterations;
    /// The partial result: the result's shape (1 where that is a scalar) on the
    /// tiles that have this part.
    mlir::RankedTensorType type;
  };
  /// In the order in which they are combined.
  std::vector<Part> parts;
  /// What each tile runs, and of which part (-1: of none).
  TileIterations iterations;
  std::vector<int> partOfTile;
  /// Operands that tiles must be given first.
  std::vector<OperandNeed> needs;
};

/// The ways in which operands lie that cut a reduction and run every iteration
/// once; none for more than `maxReductionParts` parts.
std::vector<ReductionSplit> reductionSplits(mlir::Operation *op,
                                            const OpAccess &access);

/// More would make a program longer than it is worth: each part is three
/// operations.
constexpr unsigned maxReductionParts = 64;

/// `source` (an operand of the reduction whose tiles hold what they read, in
/// dimensions of which `map` says the loops), cut to a part.
mlir::RankedTensorType slicedOperand(const ReductionSplit &split, unsigned part,
                                     mlir::RankedTensorType source,
                                     mlir::AffineMap map);

/// Layouts in which partial results may be combined into `declared`, which is
/// the first where it is distributed.
std::vector<mlir::RankedTensorType>
combiningTypes(mlir::RankedTensorType declared, int64_t tiles);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_SPLITREDUCTION_H
