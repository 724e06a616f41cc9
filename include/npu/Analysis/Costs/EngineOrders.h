// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dimensions that lie innermost in memory where a device's matrix engine
// reads and writes channels innermost (npu.channels_innermost).

#ifndef NPU_ANALYSIS_COSTS_ENGINEORDERS_H
#define NPU_ANALYSIS_COSTS_ENGINEORDERS_H

#include "npu/Interfaces/OpAccess.h"
#include "npu/Placement/Distributions/Order.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace npu {

/// The channels among the dimensions of an operation's tensors.
struct EngineOrders {
  using Dimensions = llvm::SmallVector<int64_t, 2>;

  /// For each operand, the dimensions of channels that are summed up, the
  /// innermost one last; none for operands that are not multiplied.
  llvm::SmallVector<Dimensions> operands;
  /// The dimensions of output channels.
  Dimensions result;
};

/// The channels of a contraction or a convolution, found by its loops; nothing
/// for other operations. Windows, pixels, batches and groups are no channels,
/// but of depthwise convolutions the groups are.
///
/// Example: linalg.matmul has dimension 1 of the first operand, 0 of the second
/// and 1 of the result. linalg.conv_2d_nchw_fchw has 1 of all three.
std::optional<EngineOrders> engineOrdersOf(mlir::Operation *op);

/// The element types of the factors of a contraction or a convolution, the
/// narrower one last, where an integer is widened to a float for it; nothing
/// for other operations. A device's figures are of factors of one type: those
/// of such an operation are the float's, and widening is the engine's.
std::optional<std::pair<mlir::Type, mlir::Type>>
widenedFactorsOf(mlir::Operation *op);

/// The loops that run through channels of the result of a contraction or a
/// convolution, those that its weights bring, and of a depthwise convolution
/// the groups; none for other operations. `access` is that of `op`.
llvm::SmallVector<unsigned> channelLoops(mlir::Operation *op,
                                         const OpAccess &access);

/// `order` with `channels` after all other dimensions, the last one innermost.
/// `order` itself where it puts a tensor of this type at the same addresses.
Permutation withChannelsInnermost(mlir::RankedTensorType type,
                                  const Permutation &order,
                                  llvm::ArrayRef<int64_t> channels);

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_ENGINEORDERS_H
