// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to bring a tensor under another layout: the relation of the two
// layouts, the bytes that must move, and the plan that moves them.

#ifndef NPU_ANALYSIS_CHOICES_MOVEMENT_H
#define NPU_ANALYSIS_CHOICES_MOVEMENT_H

#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Plans/TransferVolumes.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace npu {

/// How the layout that a tensor has relates to the one that is wanted, from
/// best to worst.
enum class Relation {
  /// The same boxes, and labels that the field compiler takes for equal.
  Identical,
  /// Every tile holds the same boxes; only the labels differ.
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
            std::span<const PaddedRange> padding = {}, Machines machines = {});

/// What the transfers of that plan move on one machine; often without making
/// it.
Result<TransferVolumes>
volumesBetween(mlir::RankedTensorType from, mlir::RankedTensorType to,
               std::span<const PaddedRange> padding = {});

/// The elements that go through DDR where a distributed tensor is loaded or
/// stored, as the plan counts them: each real element once.
int64_t elementsThroughDdr(mlir::RankedTensorType type,
                           std::span<const PaddedRange> padding);

/// The elements whose order inside a tile changes: those of every target memory
/// box that the two orders lay out differently, and those of images
/// (storage = tiled2d) that are made or taken apart, with what only fills up. 0
/// for loads and stores of linear tensors.
int64_t elementsRelaid(mlir::RankedTensorType from, mlir::RankedTensorType to);
/// Those of one tile.
int64_t elementsRelaid(mlir::RankedTensorType from, mlir::RankedTensorType to,
                       unsigned tile);
/// The tiles that either side is on.
unsigned tilesOf(mlir::RankedTensorType from, mlir::RankedTensorType to);

/// Computes relations, bytes and prices once for each pair of types.
class MovementCache {
public:
  /// What it costs to bring a tensor from one type to the other.
  using Price =
      std::function<int64_t(mlir::RankedTensorType, mlir::RankedTensorType,
                            std::span<const PaddedRange>)>;

  /// From now on, ways to move are compared by a price in that unit. Without
  /// one, the price of a movement is its bytes.
  void setPrice(Price price, llvm::StringRef unit) {
    priceOf = std::move(price);
    unitOfPrice = unit;
  }
  llvm::StringRef unit() const { return unitOfPrice; }

  /// With `has` false, no value is asked for its padding from now on: the
  /// caller has seen that no operation has `npu.padding`.
  void setHasPadding(bool has) { hasPadding = has; }

  Relation relation(mlir::RankedTensorType have, mlir::RankedTensorType want);

  /// Bytes received by tiles plus bytes loaded from and stored to DDR when
  /// `value` goes from one type to the other.
  int64_t bytes(mlir::Value value, mlir::RankedTensorType from,
                mlir::RankedTensorType to);
  /// The same bytes for a value that does not exist yet and has this padding.
  int64_t bytes(std::span<const PaddedRange> padding,
                mlir::RankedTensorType from, mlir::RankedTensorType to);

  /// The prices of these movements.
  int64_t price(mlir::Value value, mlir::RankedTensorType from,
                mlir::RankedTensorType to);
  int64_t price(std::span<const PaddedRange> padding,
                mlir::RankedTensorType from, mlir::RankedTensorType to);

  /// The expected type of a permute_cast's result: its own shape and order with
  /// the input's distribution.
  mlir::RankedTensorType expectedType(PermuteCastOp cast);

private:
  using Pair = std::pair<mlir::Type, mlir::Type>;
  llvm::DenseMap<Pair, Relation> relations;
  bool hasPadding = true;
  Padding paddingMoved(mlir::Value value, mlir::RankedTensorType from,
                       mlir::RankedTensorType to) const;
  llvm::DenseMap<Pair, int64_t> byteCounts, prices;
  Price priceOf;
  llvm::StringRef unitOfPrice = "bytes";
  llvm::DenseMap<std::pair<Pair, mlir::Attribute>, mlir::RankedTensorType>
      expectedTypes;
  /// Keyed by the encodings of input and result, and by mem_perm.
  llvm::DenseMap<
      std::pair<std::pair<mlir::Attribute, mlir::Attribute>, mlir::Attribute>,
      LayoutAttr>
      expectedLayouts;
};

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_MOVEMENT_H
