// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where in its tensor each tile's part begins, as far as a tile program says
// it: what a transfer calls a box of a tensor is held against it.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_TILEPOSITIONS_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_TILEPOSITIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace npu {

/// The position of a value in one of its dimensions is the index, in the whole
/// tensor, of its first element. Most are known only relative to others: a
/// slice begins so many behind what it is a slice of, and where two operands of
/// an operation are read by one loop, both begin at one index. So classes of
/// dimensions are kept whose distances are known, and the position of all when
/// that of one is.
///
/// Example: of `%b = tensor.extract_slice %a[2, 0] ...`, `%b` begins 2 behind
/// `%a` in dimension 0; a transfer that takes box [4:6, 0:8] from [0, 0] of
/// `%b` says that `%b` begins at 4, and then `%a` does at 2.
class TilePositions {
public:
  /// Reads all operations of the function but its transfers. An error where
  /// they contradict each other.
  mlir::LogicalResult read(mlir::func::FuncOp function);

  /// Says that `value` begins at `begin`; false where that is known to be
  /// otherwise. Values that are alike everywhere may be taken for any part.
  bool begins(mlir::Value value, llvm::ArrayRef<int64_t> begin);

  /// Where it is known to begin, `otherwise` in dimensions in which it is not.
  llvm::SmallVector<int64_t> beginOf(mlir::Value value,
                                     llvm::ArrayRef<int64_t> otherwise);

  /// Says that two values begin at one index in all dimensions.
  bool beginTogether(mlir::Value a, mlir::Value b);

  /// A value that holds the same everywhere (nothing yet, a splat, what is
  /// computed from such) is a part of any tensor, or of several at once.
  bool isAnyPart(mlir::Value value);

  /// What windows and strides say: where one dimension begins is a sum of where
  /// others do. Works out what follows, and is an error where it is not so.
  mlir::LogicalResult verifySums();

private:
  /// factor * (where a dimension begins) + ... + offset.
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
  /// The representative of a dimension's class, and how far behind it begins.
  Link find(unsigned dim);
  /// a begins `distance` behind b; false if known to be otherwise.
  bool relate(unsigned a, unsigned b, int64_t distance);
  bool relate(mlir::Value a, unsigned dimOfA, mlir::Value b, unsigned dimOfB,
              int64_t distance);
  /// `dim` begins at this index; false if known to be otherwise.
  bool set(unsigned dim, int64_t at);
  /// Where `dim` begins, if that is known.
  std::optional<int64_t> positionOf(unsigned dim);
  /// a begins where the sum says; false if known to be otherwise.
  bool relate(unsigned a, Sum sum, mlir::Operation *op);
  bool readOperation(mlir::Operation *op);
  bool readSlice(mlir::Operation *slice);
  bool readInsertion(mlir::Operation *insert);
  /// Works out the one unknown of a sum, or sees whether it holds.
  enum class Progress { none, some, contradiction };
  Progress follow(unsigned a, const Sum &sum);
  bool readLoops(mlir::Operation *op);
  bool readHandedOn(mlir::Value value);

  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> numbers;
  std::vector<Link> links;
  std::vector<std::optional<int64_t>> positions;
  llvm::DenseMap<mlir::Value, bool> alike;
  std::vector<Equation> equations;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_TILEPOSITIONS_H
