// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation reads to produce a part of its result. Structured
// operations say it by their indexing maps; reshapes, slices, pads and
// concatenations are given the same form, so that one rule serves all of them:
// the image of a tile's part of the iteration domain under the map of an
// operand.

#ifndef NPU_INTERFACES_OPACCESS_H
#define NPU_INTERFACES_OPACCESS_H

#include "npu/Placement/Distributions/Distribution.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace npu {

/// Stands on an operation that the host does, and not the tiles: why. It is the
/// attribute `npu.host` of the dialect.
inline constexpr llvm::StringLiteral hostAttrName = "npu.host";

/// The box of an empty part of a tensor of that shape. For a scalar it has
/// another rank than the scalar's box, because the box of rank 0 is the whole
/// scalar.
Box nothingOf(const Extents &shape);

/// A box of an operation's iteration domain: one range per loop.
struct IterationDomain {
  llvm::SmallVector<Range, 8> loops;
  /// Whether there are no iterations, whatever the ranges are.
  bool empty = false;

  /// The number of iterations.
  double volume() const;
};

/// The smallest box of iterations that contains both.
IterationDomain hull(const IterationDomain &a, const IterationDomain &b);

/// The output operand that gives result `number` of `op` its type; null where
/// there is none.
mlir::OpOperand *tiedOutput(mlir::Operation *op, unsigned number);

/// The number of the result that is written over the operand; nothing where
/// there is none.
std::optional<unsigned> tiedResult(mlir::OpOperand &operand);

class OpAccess {
public:
  /// The access of `op`, as its PartwiseOpInterface gives it; nothing where the
  /// operation has no model, where the model cannot give one, and where the
  /// host does the operation (hostAttrName), so that no tile does a part of it.
  static std::optional<OpAccess> get(mlir::Operation *op);

  /// All iterations.
  IterationDomain domain() const;
  /// The smallest box of iterations found that contains all those which write
  /// `box` of a result, with all iterations of reduction loops. It may write
  /// more than `box`: where the map is not plain, or dimensions share a loop,
  /// the iterations that write a box need not be a box.
  IterationDomain iterationsFor(unsigned result, const Box &box) const;
  /// The smallest box that contains what the iterations read of an operand;
  /// empty where the operand is not read (an output that is overwritten).
  Box read(unsigned operand, const IterationDomain &iteration) const;
  /// The smallest box that contains what the iterations address of an operand,
  /// whether its entries are read or not (a pooling window's shape, say).
  Box spanned(unsigned operand, const IterationDomain &iteration) const;
  /// The smallest box that contains what the iterations write of a result.
  Box produced(unsigned result, const IterationDomain &iteration) const;
  /// The iterations that read no more of this operand than `box`, other loops
  /// being whole; nothing where these iterations are not a box, or where they
  /// would cut a reduction and `mayCutReductions` is false.
  std::optional<IterationDomain>
  iterationsWithin(unsigned operand, const Box &box,
                   bool mayCutReductions = false) const;

  /// The windows that the operation slides over an operand: dimensions read at
  /// output * stride + tap * dilation, with one loop for outputs and one for
  /// taps.
  std::vector<Window> windowsOver(unsigned operand) const;

  /// The map from loops to positions in a tensor operand, or in a result.
  mlir::AffineMap mapOf(unsigned operand) const {
    return operandMaps[operand].map;
  }
  mlir::AffineMap mapOfResult(unsigned result) const {
    return resultMaps[result].map;
  }

  bool reads(unsigned operand) const { return !operandMaps[operand].unread; }
  /// Whether each dimension of the result is a loop, and no two are the same
  /// loop, so that the iterations that write a box are a box.
  bool writesPlainly(unsigned result) const {
    return resultMaps[result].map.isProjectedPermutation();
  }
  /// Whether no loop is a reduction, so that computing an element twice costs
  /// little.
  bool isParallel() const { return reductionLoops.empty(); }
  llvm::ArrayRef<unsigned> reductions() const { return reductionLoops; }
  /// The loops that no result's map has. A tile runs all of their iterations
  /// for each entry that it makes.
  llvm::SmallVector<unsigned> loopsRunWhole() const;

private:
  struct TensorMap {
    /// The map from loops to positions; null for operands that are no tensors.
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
