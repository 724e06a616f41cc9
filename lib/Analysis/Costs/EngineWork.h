// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tile's matrix engine can do: contractions and convolutions, poolings,
// and elementwise operations of two tensors. They are found by their loops and
// their body, whatever the operation's name is.

#ifndef NPU_LIB_ANALYSIS_COSTS_ENGINEWORK_H
#define NPU_LIB_ANALYSIS_COSTS_ENGINEWORK_H

#include "OutputSteps.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Target/Costs.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

enum class EngineKind { Contraction, Depthwise, Pooling, Elementwise };

/// An operation on the matrix engine, and what each of its loops is there for.
struct EngineWork {
  using Loops = llvm::SmallVector<unsigned, 4>;

  EngineKind kind;
  int64_t elementBits = 16;
  /// The operand whose pixels are read.
  unsigned image = 0;
  /// The operand that it is multiplied with, of a contraction or a convolution.
  unsigned weights = 0;
  /// Positions of the result that share the weights: rows of a matmul, pixels.
  Loops rows = {};
  /// Channels of the result, which share what is read.
  Loops outputs = {};
  /// Channels that are summed up.
  Loops inputs = {};
  /// Positions of the kernel.
  Loops window = {};
  /// Loops of which each iteration has weights of its own; the channels of a
  /// depthwise convolution or a pooling.
  Loops groups = {};
  /// Counts the parts of a split reduction, each of which is such work.
  Loops parts = {};
};

/// The contraction, convolution or pooling that `op` is. `access` is that of
/// `op`.
std::optional<EngineWork> findWindowsOrProducts(mlir::linalg::LinalgOp op,
                                                const OpAccess &access);

/// Nothing where the matrix engine cannot do `op`. `access` is that of `op`.
/// The steps `before` are done already, by the output stage of what makes an
/// operand. Steps after the engine's own work are done by its output stage.
std::optional<EngineWork> findEngineWork(mlir::Operation *op,
                                         const OpAccess &access,
                                         const OutputSteps &before,
                                         const CostFigures &figures);

/// Whether `op`, on scalars or on tensors, is a sum, a difference, a product,
/// or the larger or the smaller of its two operands.
bool isEngineArithmetic(mlir::Operation *op);

/// The cycles of a tile that runs `iteration` and has results of `resultType`,
/// whose order says which dimension an elementwise operation has as channels.
int64_t engineCycles(const EngineWork &work, const OpAccess &access,
                     const IterationDomain &iteration,
                     mlir::RankedTensorType resultType,
                     const CostFigures &figures);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_COSTS_ENGINEWORK_H
