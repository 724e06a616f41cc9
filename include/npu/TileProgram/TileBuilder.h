// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small steps that tile programs are made of: take a part of what a tile
// holds, bring its dimensions into another order, put it somewhere.

#ifndef NPU_TILEPROGRAM_TILEBUILDER_H
#define NPU_TILEPROGRAM_TILEBUILDER_H

#include "npu/Placement/Distributions/Padding.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/IR/Builders.h"

namespace npu {

/// A tensor's values in a tile program: one per tile, or one in DDR.
struct Parts {
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::Value> values;

  const Placement &placement() const { return *getPlacement(type); }
  Permutation order() const { return getOrder(type); }
  unsigned size() const { return values.size(); }
  Box held(unsigned tile) const { return placement().memoryOf(tile); }
};

/// Builds operations of one tile (or of DDR, without a tile) at one location.
class TileBuilder {
public:
  TileBuilder(mlir::OpBuilder &builder, mlir::Location loc,
              std::optional<unsigned> tile)
      : builder(builder), loc(loc), tile(tile) {}

  /// A tensor nobody has written yet.
  mlir::Value empty(mlir::RankedTensorType type);
  /// `wanted` out of a tensor that holds `held`, both boxes in whole-tensor
  /// coordinates, the tensor in memory order `order`. No operation when they
  /// are equal.
  mlir::Value slice(mlir::Value from, const Box &held, const Box &wanted,
                    const Permutation &order);
  /// The same where `from` has other indices than these: in its own, it begins
  /// where `at` does.
  mlir::Value sliceOther(mlir::Value from, const Box &at, const Box &held,
                         const Box &wanted, const Permutation &order);
  /// The same with a stride per logical dimension; `wanted` is in steps of it
  /// from `first`.
  mlir::Value stridedSlice(mlir::Value from, llvm::ArrayRef<int64_t> offsets,
                           llvm::ArrayRef<int64_t> sizes,
                           llvm::ArrayRef<int64_t> strides);
  /// Dimensions from memory order `from` to memory order `to`.
  mlir::Value reorder(mlir::Value value, const Permutation &from,
                      const Permutation &to);
  /// `part`, which is `box`, written into a tensor that holds `held`.
  mlir::Value insert(mlir::Value part, const Box &box, mlir::Value into,
                     const Box &held, const Permutation &order);
  /// The same where `part` has indices of another tensor, of which it is
  /// `from`, and what comes of it has its own.
  mlir::Value insertOther(mlir::Value part, const Box &from, const Box &box,
                          mlir::Value into, const Box &held,
                          const Permutation &order);
  /// The same elements in the same sequence under another shape.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);

  /// The value, which an operation here has made, said to be `box` of a new
  /// tensor.
  mlir::Value beginAt(mlir::Value value, const Box &box,
                      const Permutation &order);
  /// What begins at `from`, in memory order, under another name that begins at
  /// `to`.
  mlir::Value rename(mlir::Value value, llvm::ArrayRef<int64_t> from,
                     llvm::ArrayRef<int64_t> to);
  /// Says where what a slice takes or an insertion puts begins in the other
  /// tensor.
  void setOffset(mlir::Operation *op, llvm::ArrayRef<int64_t> offset);

  /// Says whose operation it is.
  mlir::Operation *mark(mlir::Operation *op);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::optional<unsigned> tile;
};

/// Where `box` begins, in memory order.
llvm::SmallVector<int64_t> beginOf(const Box &box, const Permutation &order);

/// Where `box` begins inside a tensor that holds `held`, in memory order.
llvm::SmallVector<int64_t> localOffset(const Box &box, const Box &held,
                                       const Permutation &order);

/// Says of an empty tensor that holds `box` of a tensor with that padding which
/// of its entries are padding.
void markPadding(mlir::Value empty, const Box &box, const Permutation &order,
                 std::span<const PaddedRange> padding);

} // namespace npu

#endif // NPU_TILEPROGRAM_TILEBUILDER_H
