// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction whose operands are split along what it reduces can be run where
// they lie: tiles make partial results of their parts, rows of one tensor that
// has one dimension more than the result, and an ordinary reduction over that
// dimension combines them in the parts' order. For a matmul of A[m, k] and
// B[k, n] that four tiles hold by k, 32 of each:
//
//   partials[p, m, n] = sum over k of A[m, 32 * p + k] * B[32 * p + k, n]
//   result[m, n]      = init[m, n] + sum over p of partials[p, m, n]
//
// where tile p makes row p.

#ifndef NPU_ANALYSIS_CHOICES_SPLITREDUCTION_H
#define NPU_ANALYSIS_CHOICES_SPLITREDUCTION_H

#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Analysis/Choices/PartSeries.h"

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

/// A series of parts (PartSeries.h) and its partial results.
struct ReductionSeries {
  PartSeries parts;
  /// The parts' number and the result's shape, each row on the tiles that have
  /// the part.
  mlir::RankedTensorType type;
};

/// One way to split a reduction.
struct ReductionSplit {
  /// Loops that are cut, all of them reductions.
  llvm::SmallBitVector cutLoops;
  /// In the order in which they are combined: ranges of the cut loops; other
  /// loops are whole.
  std::vector<IterationDomain> parts;
  /// What each tile runs, and of which part (-1: of none).
  TileIterations iterations;
  std::vector<int> partOfTile;
  /// The parts again, each series in one piece. One where all parts have one
  /// size, two where a dimension is split as evenly as it can be.
  std::vector<ReductionSeries> series;
  /// All partial results.
  mlir::RankedTensorType partials;
  /// Operands that tiles must be given first.
  std::vector<OperandNeed> needs;
};

/// True where `map` reads loops of `cut` as plain dimensions only (d2, not
/// 2 * d0 + d2).
bool readsPlainly(mlir::AffineMap map, const llvm::SmallBitVector &cut);

/// The ways in which operands lie that cut a reduction and run every iteration
/// once. None for more than `maxReductionParts` parts, for more than
/// `maxReductionSeries` series, or where the partial results would have more
/// dimensions than tensors can have on tiles.
std::vector<ReductionSplit> reductionSplits(mlir::Operation *op,
                                            const OpAccess &access);

/// Whoever combines holds all partial results of what it combines, and parts
/// are compared with each other.
constexpr unsigned maxReductionParts = 256;

/// Each is an operation.
constexpr unsigned maxReductionSeries = 64;

/// All partial results where tiles combine them into `combined`: whole along
/// the parts, in every tile's box of the result.
mlir::RankedTensorType partialsToCombine(const ReductionSplit &split,
                                         mlir::RankedTensorType combined);

/// Layouts in which partial results may be combined into `declared`, which is
/// the first where it is distributed.
std::vector<mlir::RankedTensorType>
combiningTypes(mlir::RankedTensorType declared, int64_t tiles);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_SPLITREDUCTION_H
