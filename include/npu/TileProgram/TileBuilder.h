// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders of the small steps that tile programs consist of: taking a part of
// what a tile holds, reordering its dimensions, inserting it into another
// tensor.

#ifndef NPU_TILEPROGRAM_TILEBUILDER_H
#define NPU_TILEPROGRAM_TILEBUILDER_H

#include "npu/Placement/Distributions/Padding.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/IR/Builders.h"

namespace npu {

/// The values of a tensor in a tile program: one per tile, or one in DDR.
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
              std::optional<unsigned> tile,
              std::optional<int64_t> of = std::nullopt)
      : builder(builder), loc(loc), tile(tile), of(of) {}

  /// A tensor that has not been written, for a part in memory order `order`.
  mlir::Value empty(mlir::RankedTensorType type, const Permutation &order);
  /// Takes the box `wanted` out of `from`, which holds `held`. Both boxes are
  /// in whole-tensor coordinates, and `order` is the memory order of `from`.
  /// Builds no operation when the boxes are equal.
  mlir::Value slice(mlir::Value from, const Box &held, const Box &wanted,
                    const Permutation &order);
  /// Takes the box `wanted` like `slice`, where `from` is a part of another
  /// tensor with indices of its own, in which the slice begins where `at` does.
  mlir::Value sliceOther(mlir::Value from, const Box &at, const Box &held,
                         const Box &wanted, const Permutation &order);
  /// Takes a slice at these offsets, sizes and strides, which are in memory
  /// order of `from`.
  mlir::Value stridedSlice(mlir::Value from,
                           llvm::ArrayRef<mlir::OpFoldResult> offsets,
                           llvm::ArrayRef<int64_t> sizes,
                           llvm::ArrayRef<int64_t> strides);
  /// Transposes dimensions from memory order `from` to memory order `to`.
  mlir::Value reorder(mlir::Value value, const Permutation &from,
                      const Permutation &to);
  /// Writes `part`, which is `box`, into a tensor that holds `held`.
  mlir::Value insert(mlir::Value part, const Box &box, mlir::Value into,
                     const Box &held, const Permutation &order);
  /// Writes `part` into a tensor at these offsets, in memory order.
  mlir::Value insertAt(mlir::Value part, mlir::Value into,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets);
  /// Writes `part` like `insert`, where `part` is the box `from` of another
  /// tensor with indices of its own, and the result has indices of `into`.
  mlir::Value insertOther(mlir::Value part, const Box &from, const Box &box,
                          mlir::Value into, const Box &held,
                          const Permutation &order);
  /// Reshapes the value, a part of a tensor of shape `from`, to a part of shape
  /// `shape` of a tensor of shape `to`: the same elements in the same sequence.
  /// All shapes are in memory order.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> from,
                      llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> to);

  /// Marks the operation that defines `value` as making `box` of a tensor with
  /// indices of its own (`npu.begin`), in memory order `order`.
  mlir::Value beginAt(mlir::Value value, const Box &box,
                      const Permutation &order);
  /// A view of the value, which begins at `from` of its tensor, as a part that
  /// begins at `to` of another one. Both are in memory order.
  mlir::Value rename(mlir::Value value, llvm::ArrayRef<int64_t> from,
                     llvm::ArrayRef<int64_t> to);
  /// Says in which memory order the result of the operation that defines
  /// `value` lies (`npu.order`), where that is not the logical one.
  mlir::Value inOrder(mlir::Value value, const Permutation &order);
  /// A view of the value as a tensor in another memory order.
  mlir::Value viewInOrder(mlir::Value value, const Permutation &order);
  /// Gives a slice or an insertion the attribute `npu.offset`: where the part
  /// that is taken or put begins in the other tensor.
  void setOffset(mlir::Operation *op, llvm::ArrayRef<int64_t> offset);

  /// Gives an operation the attribute `npu.tile` of this builder's tile.
  mlir::Operation *mark(mlir::Operation *op);

private:
  /// Marks a reshape, and gives it `npu.extents` where the tensor that it makes
  /// or reshapes, of which it has a part of shape `part`, has other extents.
  mlir::Value markReshape(mlir::Operation *op, llvm::ArrayRef<int64_t> part,
                          llvm::ArrayRef<int64_t> whole);
  /// A permute_cast that changes nothing by itself.
  mlir::Value view(mlir::Value value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::optional<unsigned> tile;
  /// The `npu.of` of slices and insertions with an offset.
  std::optional<int64_t> of;
};

/// Where `box` begins, in memory order.
llvm::SmallVector<int64_t> beginOf(const Box &box, const Permutation &order);

/// Where `box` begins inside a tensor that holds `held`, in memory order.
llvm::SmallVector<int64_t> localOffset(const Box &box, const Box &held,
                                       const Permutation &order);

/// Marks which entries of `empty` are padding, where it holds `box` of a tensor
/// with that padding.
void markPadding(mlir::Value empty, const Box &box, const Permutation &order,
                 std::span<const PaddedRange> padding);

} // namespace npu

#endif // NPU_TILEPROGRAM_TILEBUILDER_H
