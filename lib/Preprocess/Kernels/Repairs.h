// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done for an operation that a row of a table of kernels does not take,
// so that it does: the result has the same bits.

#ifndef NPU_LIB_PREPROCESS_KERNELS_REPAIRS_H
#define NPU_LIB_PREPROCESS_KERNELS_REPAIRS_H

#include "IndexRanges.h"

#include "npu/Analysis/Kernels/KernelTable.h"

#include "mlir/IR/PatternMatch.h"

namespace npu {

/// The bytes of a tensor; those of one entry for each dynamic extent.
int64_t bytesInMemory(mlir::Type type);

/// What is built in front of an operation that it may replace, from here on.
class Attempt {
public:
  explicit Attempt(mlir::Operation *op) : op(op), before(op->getPrevNode()) {}

  /// The operations that were built, in their order.
  llvm::iterator_range<mlir::Block::iterator> made() const {
    return {before ? std::next(before->getIterator()) : op->getBlock()->begin(),
            op->getIterator()};
  }
  /// Erases them, of which nobody else reads a result.
  void undo(mlir::IRRewriter &rewriter) {
    while (op->getPrevNode() != before)
      rewriter.eraseOp(op->getPrevNode());
  }

private:
  mlir::Operation *op;
  mlir::Operation *before;
};

/// A repair that was made.
struct KernelRepair {
  /// The operation that stands in the old one's place.
  mlir::Operation *op = nullptr;
  /// The operations around it.
  llvm::SmallVector<mlir::Operation *> made;
  /// "narrowed to i32 (largest index 172031)"
  std::string what;
  /// The bytes that the operations around it read and write.
  int64_t bytes = 0;
};

/// The bounds of positions that an operation reads, where they are known, by
/// the numbers of its operands.
using PositionBounds = llvm::SmallDenseMap<unsigned, IntegerBounds, 2>;

/// Replaces `op` by one that `row` takes: its positions get a type that the row
/// takes and that holds all of them, entries that are only moved are moved as
/// another type, and tensors on tiles are converted to a storage kind of the
/// row. Nothing, and `op` stays, where that does not make it an
/// operation that the table takes.
std::optional<KernelRepair> repairFor(mlir::IRRewriter &rewriter,
                                      mlir::Operation *op,
                                      mlir::DictionaryAttr row,
                                      const PositionBounds &bounds,
                                      const KernelTable &table);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_KERNELS_REPAIRS_H
