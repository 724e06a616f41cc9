// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory order of every tensor of a function, chosen so that transposes and
// reshapes re-read memory instead of moving it. Operations read and write any
// order equally well; only a view of a tensor asks for one, and contractions do
// on devices that say so (npu.channels_innermost).
//
// Example, heads taken out of rows:
//
//   %1 = tensor.expand_shape %0 [[0], [1, 2]] : 512x1536 into 512x12x128
//   %2 = linalg.transpose ins(%1) permutation = [1, 0, 2]   // 12x512x128
//
// %2 gets the order [1, 0, 2], in which its memory is that of %1, so that the
// transpose is a permute_cast.
//
// Where contractions want channels innermost, they read and write nothing else.
// What they read is made in that order wherever its maker can, and loaded in it
// from DDR; between two contractions that want two orders it is moved.

#ifndef NPU_ANALYSIS_CANDIDATES_MEMORYORDERS_H
#define NPU_ANALYSIS_CANDIDATES_MEMORYORDERS_H

#include "npu/Analysis/Candidates/OperationCandidates.h"
#include "npu/Analysis/Costs/EngineOrders.h"
#include "npu/Analysis/Kernels/KernelTable.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace npu {

class MemoryOrders {
public:
  /// Chooses orders: first backwards, what views want of what they view, then
  /// forwards, what transposes and reshapes make of what they get.
  /// `kernels` may be null: a table that says of some operations in which
  /// orders the device has a kernel for them.
  MemoryOrders(mlir::FunctionOpInterface function, const Target &target,
               const KernelTable *kernels = nullptr);

  /// The type that `value` has on tiles, without a distribution.
  mlir::RankedTensorType typeOf(mlir::Value value) const;

  /// The types of all results and operands of `op`. An operand's order is that
  /// of the value, but for reshapes that have no view in that order, for
  /// operations that want all their operands in one, and for contractions.
  OrderedTypes typesOf(mlir::Operation *op) const;

private:
  Permutation orderOf(mlir::Value value) const;
  void wish(mlir::Value value, Permutation order);
  void collectWishes(mlir::Operation *op);
  void wishOperandsOf(mlir::Operation *op, const EngineOrders &engine);
  void choose(mlir::Operation *op);
  Permutation orderMadeBy(mlir::Operation *op, const EngineOrders &engine);

  /// What contractions want, where the device says so.
  llvm::DenseMap<mlir::Operation *, EngineOrders> engines;
  llvm::DenseMap<mlir::Value, Permutation> wishes;
  llvm::DenseMap<mlir::Value, Permutation> orders;
};

/// The type without a distribution, in that order.
mlir::RankedTensorType withOrder(mlir::RankedTensorType type,
                                 const Permutation &order);

/// The order of a reshape's result in which it re-reads the memory of its
/// operand in `order`; nothing where there is none.
std::optional<Permutation> orderOfReshaped(mlir::Operation *reshape,
                                           const Permutation &order);
/// The same for the operand, where the result's order is given.
std::optional<Permutation> orderBeforeReshape(mlir::Operation *reshape,
                                              const Permutation &order);

/// Whether `op` is a transpose that under the types of `candidate` is a
/// permute_cast: on every tile, the memory of the result is that of the
/// operand.
bool readsInPlace(mlir::Operation *op, const OperationCandidate &candidate);

/// Whether a tensor of this type can have a layout: it has a static shape, a
/// rank of at most kMaxRank, elements of a known size other than index, at
/// least one of them, and no encoding of another dialect.
bool takesLayout(mlir::Type type);

} // namespace npu

#endif // NPU_ANALYSIS_CANDIDATES_MEMORYORDERS_H
