// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where in its tensor each tile's part begins, as far as that follows from a
// tile program. npu-verify-tile-program compares the boxes of transfers with
// it.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_TILEPOSITIONS_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_TILEPOSITIONS_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace npu {

/// The position of a value in a dimension is the index of its first element in
/// the whole tensor. Most positions are known only relative to others: a slice
/// begins at its offset after its source, and two operands that are read at
/// one loop begin at one index. So dimensions are kept in classes with known
/// distances, and when the position of one dimension is known, so are those of
/// its class.
///
/// Example: of `%b = tensor.extract_slice %a[2, 0] ...`, `%b` begins 2 after
/// `%a` in dimension 0; a transfer that takes box [4:6, 0:8] from [0, 0] of
/// `%b` says that `%b` begins at 4, and then `%a` does at 2.
class TilePositions {
public:
  /// Reads all operations of the function but its transfers. Fails with a
  /// diagnostic where they contradict each other.
  mlir::LogicalResult read(mlir::func::FuncOp function);

  /// Records that `value` begins at `begin`; returns false where another
  /// position is known. A value that is the same everywhere may be taken for
  /// any part.
  bool begins(mlir::Value value, llvm::ArrayRef<int64_t> begin);

  /// The known positions of `value`, and `otherwise` in dimensions of unknown
  /// position.
  llvm::SmallVector<int64_t> beginOf(mlir::Value value,
                                     llvm::ArrayRef<int64_t> otherwise);

  /// Records that two values begin at one index in all dimensions; returns
  /// false where that is known to be wrong.
  bool beginTogether(mlir::Value a, mlir::Value b);

  /// Whether a value is the same everywhere (unwritten, a splat, or computed
  /// from such values), so that it is a part of any tensor, or of several at
  /// once.
  bool isAnyPart(mlir::Value value);

  /// Verifies the equations of windows and strides, by which the position of
  /// one dimension is a sum of others. Computes the positions that follow from
  /// them, and fails with a diagnostic where an equation does not hold.
  mlir::LogicalResult verifySums();

private:
  /// The sum factor * (position of a dimension) + ... + offset.
  struct Sum {
    llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms;
    int64_t offset = 0;
  };
  struct Equation {
    unsigned dim;
    Sum sum;
    mlir::Operation *op;
  };
  struct Link {
    unsigned to = 0;
    int64_t distance = 0;
  };
  unsigned numberOf(mlir::Value value, unsigned dim);
  unsigned addDimension();
  /// The representative of a dimension's class, and how far after it the
  /// dimension begins.
  Link find(unsigned dim);
  /// Records that a begins `distance` after b; returns false where another
  /// distance is known.
  bool relate(unsigned a, unsigned b, int64_t distance);
  bool relate(mlir::Value a, unsigned dimOfA, mlir::Value b, unsigned dimOfB,
              int64_t distance);
  /// Records that `dim` begins at this index; returns false where another
  /// position is known.
  bool set(unsigned dim, int64_t at);
  /// The position of `dim`, if it is known.
  std::optional<int64_t> positionOf(unsigned dim);
  /// Records that a begins at this sum; returns false where that is known to be
  /// wrong.
  bool relate(unsigned a, Sum sum, mlir::Operation *op);
  bool readOperation(mlir::Operation *op);
  /// Whether an operation with `npu.offset` has the offset of the other tiles'
  /// parts of the same operand or result of the model's operation.
  bool hasOffsetOfOthers(mlir::Operation *op);
  bool readSlice(mlir::Operation *slice);
  /// A permute_cast, which gives a part the indices of another tensor.
  bool readRename(mlir::Operation *op);
  bool readInsertion(mlir::Operation *insert);
  bool readConversion(ConvertStorageOp convert);
  /// An expand_shape or a collapse_shape of a part.
  bool readReshape(mlir::Operation *reshape);
  /// Computes the only unknown position of an equation, or checks the equation.
  enum class Progress { None, Some, Contradiction };
  Progress follow(unsigned a, const Sum &sum);
  bool readLoops(mlir::Operation *op);
  bool readHandedOn(mlir::Value value);

  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> numbers;
  std::vector<Link> links;
  std::vector<std::optional<int64_t>> positions;
  llvm::DenseMap<mlir::Value, bool> alike;
  /// The offset of each `npu.of`.
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<int64_t>> offsets;
  std::vector<Equation> equations;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_TILEPOSITIONS_H
