// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to have a tensor under another layout: the relation of two
// layouts, the bytes that must move, the plan that moves them.

#ifndef NPU_ANALYSIS_CHOICES_MOVEMENT_H
#define NPU_ANALYSIS_CHOICES_MOVEMENT_H

#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include "llvm/ADT/DenseMap.h"

namespace npu {

/// How what is there relates to what is wanted, from best to worst.
enum class Relation {
  /// The same boxes, and labels that the field compiler takes for equal.
  Identical,
  /// Every tile holds the same boxes; only words differ.
  SameMemory,
  /// Every tile holds what is wanted, and more.
  Contained,
  /// Data must move, or its order inside a tile must change.
  DataMoves,
};

/// Precondition: one shape and element type; distributed sides have placements.
Relation relate(mlir::RankedTensorType have, mlir::RankedTensorType want);

/// The plan from one type to the other: transfers between tiles, a load where
/// `from` is not distributed, a store where `to` is not; empty when neither is.
/// Padding does not move.
Result<RedistributionPlan>
planBetween(mlir::RankedTensorType from, mlir::RankedTensorType to,
            std::span<const PaddedRange> padding = {});

/// Elements that go through DDR where a distributed tensor is loaded or stored,
/// which are those of the plan: each real one once.
int64_t elementsThroughDdr(mlir::RankedTensorType type,
                           std::span<const PaddedRange> padding);

/// Elements whose order inside a tile changes: of every target memory box that
/// the two orders lay out differently. 0 for loads and stores.
int64_t elementsRelaid(mlir::RankedTensorType from, mlir::RankedTensorType to);

/// Remembers, per pair of types, what was computed.
class MovementCache {
public:
  /// In code that nobody has padded nobody need look for padding.
  explicit MovementCache(bool hasPadding = true) : hasPadding(hasPadding) {}

  Relation relation(mlir::RankedTensorType have, mlir::RankedTensorType want);

  /// Bytes received by tiles plus bytes loaded from and stored to DDR when
  /// `value` goes from one type to the other.
  int64_t bytes(mlir::Value value, mlir::RankedTensorType from,
                mlir::RankedTensorType to);
  /// The same for a value that does not exist yet and has this padding.
  int64_t bytes(std::span<const PaddedRange> padding,
                mlir::RankedTensorType from, mlir::RankedTensorType to);

  /// The expected type of a permute_cast's result: its own shape and order with
  /// the input's distribution.
  mlir::RankedTensorType expectedType(PermuteCastOp cast);

private:
  using Pair = std::pair<mlir::Type, mlir::Type>;
  llvm::DenseMap<Pair, Relation> relations;
  bool hasPadding;
  llvm::DenseMap<Pair, int64_t> byteCounts;
  llvm::DenseMap<std::pair<Pair, mlir::Attribute>, mlir::RankedTensorType>
      expectedTypes;
  /// By the encodings of input and result, and mem_perm.
  llvm::DenseMap<
      std::pair<std::pair<mlir::Attribute, mlir::Attribute>, mlir::Attribute>,
      LayoutAttr>
      expectedLayouts;
};

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_MOVEMENT_H
