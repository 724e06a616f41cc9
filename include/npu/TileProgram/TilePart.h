// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile's part of one operation: what PartwiseOpInterface::cutForTile reads
// operands from and gives results to.
//
// Example, an operation that does to a part what it does to the whole:
//
//   LogicalResult cutForTile(Operation *op, TilePart &part) const {
//     Operation *local = part.cloneOnPart();
//     for (OpResult result : op->getResults())
//       part.giveProduced(result, local->getResult(result.getResultNumber()));
//     return success();
//   }

#ifndef NPU_TILEPROGRAM_TILEPART_H
#define NPU_TILEPROGRAM_TILEPART_H

#include "npu/Interfaces/OpAccess.h"
#include "npu/TileProgram/TileBuilder.h"

namespace npu {

class TilePart {
public:
  /// The values of each operand: one per tile, or one for scalars and for
  /// tensors in DDR.
  using Operands = llvm::ArrayRef<mlir::ValueRange>;

  TilePart(mlir::OpBuilder &builder, mlir::Operation *op,
           const OpAccess &access, Operands operands);

  /// Makes this the part of tile `tile`, which runs `iteration`.
  void beginTile(unsigned tile, const IterationDomain &iteration);

  mlir::Operation *op() const { return whole; }
  unsigned tile() const { return number; }
  const OpAccess &access() const { return how; }
  /// The iterations that the tile runs: all that its memory boxes of the
  /// results need.
  const IterationDomain &iteration() const { return runs; }
  mlir::OpBuilder &builder() { return rewriter; }
  /// Builds operations of this tile.
  TileBuilder tiles() { return TileBuilder(rewriter, whole->getLoc(), number); }
  /// Builds slices and insertions of this tile that take the part of an
  /// operand, or put that of a result; their offsets are the same on all tiles.
  TileBuilder tilesFor(mlir::OpOperand &operand) {
    return tilesFor(operand.getOperandNumber());
  }
  TileBuilder tilesFor(mlir::OpResult result) {
    return tilesFor(whole->getNumOperands() + result.getResultNumber());
  }

  /// All tiles' parts of a tensor operand.
  Parts parts(unsigned operand) const;
  /// The box of an operand that the iterations span, in memory order: a slice
  /// of what the tile holds. Where the tile holds nothing of the box, the
  /// entries are not read, and this is an empty tensor of that shape. A scalar
  /// is given as it is.
  mlir::Value operand(unsigned operand);

  /// Whether the tile is one of those that the result is distributed over.
  bool isOnTile(mlir::OpResult result) const;
  /// What the tile holds of a result, in whole-tensor coordinates.
  Box held(mlir::OpResult result) const;
  /// Gives the tile's part of a result, of the type `localType`.
  void give(mlir::OpResult result, mlir::Value value);
  /// Gives all that the iterations produce of a result, of which the tile keeps
  /// the part that it holds.
  void giveProduced(mlir::OpResult result, mlir::Value value);
  /// Gives all results where the tile has no iterations: empty tensors, or,
  /// where there is nothing to reduce, the outputs that the operation was
  /// given.
  void giveNothing();

  /// Clones the operation on the boxes of its operands that the iterations
  /// span. Its results are all that the iterations produce.
  mlir::Operation *cloneOnPart();
  mlir::Operation *cloneOn(llvm::ArrayRef<mlir::Value> operands);

  /// A value that all tiles share, made for the first of them.
  mlir::Value
  shared(llvm::function_ref<mlir::Value(mlir::OpBuilder &builder)> make);

  /// The results, each with one value per tile that it is distributed over.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> takeResults() {
    return std::move(results);
  }

private:
  TileBuilder tilesFor(unsigned operandOrResult);

  mlir::OpBuilder &rewriter;
  mlir::Operation *whole;
  const OpAccess &how;
  Operands operands;
  unsigned number = 0;
  IterationDomain runs;
  mlir::Value sharedValue;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> results;
};

} // namespace npu

#endif // NPU_TILEPROGRAM_TILEPART_H
