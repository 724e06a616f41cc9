// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation reads to produce a part of its result. Structured ops say
// it by their indexing maps; reshapes, slices, pads and concatenations are
// given the same form, so that there is one rule for all of them: a tile's
// part of the iteration space, seen through an operand's map.

#ifndef NPU_INTERFACES_OPACCESS_H
#define NPU_INTERFACES_OPACCESS_H

#include "npu/Placement/Distributions/Distribution.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace npu {

/// No part of a tensor. Every box of rank 0 is all of a scalar, so that nothing
/// of one is an empty box of another rank.
Box nothingOf(const Extents &shape);

/// A box of an operation's iteration domain: one range per loop.
struct IterationDomain {
  llvm::SmallVector<Range, 8> loops;
  /// Set when there is nothing to do, whatever the ranges say.
  bool empty = false;

  /// Number of iterations, saturating.
  double volume() const;
};

/// The smallest box of iterations that contains both.
IterationDomain hull(const IterationDomain &a, const IterationDomain &b);

/// The output operand that gives result `number` its type, if any.
mlir::OpOperand *tiedOutput(mlir::Operation *op, unsigned number);

class OpAccess {
public:
  /// How `op` reads its tensor operands, as its PartwiseOpInterface says;
  /// nothing where it has none, or cannot say it.
  static std::optional<OpAccess> get(mlir::Operation *op);

  /// All iterations.
  IterationDomain domain() const;
  /// A box of iterations around those that write `box` of a result (all of a
  /// reduction's). It may write more than that: where the map is not plain, or
  /// dimensions share a loop, what writes a box need not be one.
  IterationDomain iterationsFor(unsigned result, const Box &box) const;
  /// What those iterations read of an operand: the smallest box around it,
  /// empty where the operand is not read (an output that is overwritten).
  Box read(unsigned operand, const IterationDomain &iteration) const;
  /// The same whether the value is read or not: a pooling window's shape, say.
  Box spanned(unsigned operand, const IterationDomain &iteration) const;
  /// What those iterations produce of a result.
  Box produced(unsigned result, const IterationDomain &iteration) const;
  /// The iterations that need no more of this operand than `box`, other loops
  /// being whole; nothing where they are not a box, or where a reduction
  /// would be cut that must not be.
  std::optional<IterationDomain>
  iterationsWithin(unsigned operand, const Box &box,
                   bool mayCutReductions = false) const;

  /// The windows that the operation slides over an operand: dimensions read at
  /// output * stride + tap * dilation, with one loop for outputs and one for
  /// taps.
  std::vector<Window> windowsOver(unsigned operand) const;

  /// From loops to positions in a tensor operand, or in a result.
  mlir::AffineMap mapOf(unsigned operand) const {
    return operandMaps[operand].map;
  }
  mlir::AffineMap mapOfResult(unsigned result) const {
    return resultMaps[result].map;
  }

  bool reads(unsigned operand) const { return !operandMaps[operand].unread; }
  /// Each entry is written by iterations of its own, which are a box: every
  /// dimension is a loop, and no two are the same.
  bool writesPlainly(unsigned result) const {
    return resultMaps[result].map.isProjectedPermutation();
  }
  /// No loop is a reduction: computing an element twice costs little.
  bool isParallel() const { return reductionLoops.empty(); }
  llvm::ArrayRef<unsigned> reductions() const { return reductionLoops; }

private:
  struct TensorMap {
    /// Null for operands that are no tensors.
    mlir::AffineMap map;
    Extents extents;
    bool unread = false;
  };

  Box imageOf(const TensorMap &map, const IterationDomain &iteration) const;
  friend class OpAccessBuilder;

  llvm::SmallVector<int64_t, 8> loopExtents;
  llvm::SmallVector<unsigned, 4> reductionLoops;
  llvm::SmallVector<TensorMap, 4> operandMaps;
  llvm::SmallVector<TensorMap, 1> resultMaps;
};

} // namespace npu

#endif // NPU_INTERFACES_OPACCESS_H
