// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction whose operands are split along a reduced dimension can be run
// where its operands are: tiles compute partial results of their parts, which
// are rows of one tensor that has one dimension more than the result, and an
// ordinary reduction over that dimension combines them in the order of the
// parts. For a matmul of A[m, k] and B[k, n] that four tiles hold by k, 32
// entries each:
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

#include <string>

namespace npu {

/// A reduction with one result that one operation with a known neutral element
/// combines.
struct Reduction {
  /// The operation of the reduction's region that combines the accumulator with
  /// a term.
  mlir::Operation *combiner;
  mlir::TypedAttr neutral;
  /// Whether combining in another order can give another result, because floats
  /// round.
  bool rounds;
};

/// The reduction that `op` is; nothing where it is no structured operation with
/// a reduction of that kind.
std::optional<Reduction> matchReduction(mlir::Operation *op);

/// How the parts of `op`, a reduction, may make another result than the whole,
/// for a remark: "; f32 rounds otherwise in parts, ..."; empty where they
/// cannot.
std::string roundingInParts(mlir::Operation *op, const Reduction &reduction);

/// Whether `op` is a structured operation with a loop that reduces. The entry
/// `number` of `npu.split_reduction` counts these operations: padding makes a
/// `linalg.generic` of a `linalg.reduce`, and the number stays the same.
bool isReduction(mlir::Operation *op);

/// How many terms go into each element of a reduction's result. Precondition: a
/// structured operation of static extents.
int64_t termsOf(mlir::Operation *op);

/// A series of parts (PartSeries.h) and its partial results.
struct ReductionSeries {
  PartSeries parts;
  /// The type of the partial results: its shape is the number of parts and the
  /// result's shape, and each row is on the tiles that have the part.
  mlir::RankedTensorType type;
};

/// One way to split a reduction.
struct ReductionSplit {
  /// The loops that are cut, all of which reduce.
  llvm::SmallBitVector cutLoops;
  /// The parts in the order in which they are combined, as ranges of the cut
  /// loops; the other loops are whole.
  std::vector<IterationDomain> parts;
  /// The iterations that each tile runs, and the number of the part that they
  /// belong to (-1: the tile has no part).
  TileIterations iterations;
  std::vector<int> partOfTile;
  /// The parts again, divided into series. There is one series where all parts
  /// have one size, and there are two where a dimension is split as evenly as
  /// possible.
  std::vector<ReductionSeries> series;
  /// The type of all partial results together.
  mlir::RankedTensorType partials;
  /// The operands that must be brought under another type first.
  std::vector<OperandNeed> needs;
};

/// Whether `map` uses the loops of `cut` as plain dimensions only (d2, not 2 *
/// d0 + d2).
bool readsPlainly(mlir::AffineMap map, const llvm::SmallBitVector &cut);

/// The iterations by which each tile runs what its part of an operand under
/// `type` suffices for, those of a part of a sum among them; nothing where
/// these are no ranges.
std::optional<TileIterations> iterationsInParts(const OpAccess &access,
                                                unsigned operand,
                                                mlir::RankedTensorType type);

/// The split of a reduction, whose result has the shape and the order of
/// `result`, where tiles run `iterations`; without its needs. Nothing where
/// these are not every iteration once, or cut no loop that reduces; for more
/// than `maxReductionParts` parts or `maxReductionSeries` series; and where the
/// partial results would have more dimensions than tensors on tiles can have.
std::optional<ReductionSplit> splitReduction(mlir::Operation *op,
                                             const OpAccess &access,
                                             TileIterations iterations,
                                             mlir::RankedTensorType result);

/// The ways to split a reduction that follow from the layouts of its operands.
std::vector<ReductionSplit> reductionSplits(mlir::Operation *op,
                                            const OpAccess &access);

/// The most parts of a split reduction. A tile that combines holds all partial
/// results of what it combines, and each part is compared with all others.
constexpr unsigned maxReductionParts = 256;

/// The most series of a split reduction; each becomes an operation.
constexpr unsigned maxReductionSeries = 64;

/// The type that all partial results have where tiles combine them into
/// `combined`: whole along the dimension of the parts, and each tile's box of
/// the result.
mlir::RankedTensorType partialsToCombine(const ReductionSplit &split,
                                         mlir::RankedTensorType combined);

/// The types under which partial results may be combined into `declared`, which
/// is the first of them where it is distributed.
std::vector<mlir::RankedTensorType>
combiningTypes(mlir::RankedTensorType declared, int64_t tiles);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_SPLITREDUCTION_H
