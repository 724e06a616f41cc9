// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a matrix engine does to its results while it writes them: it adds a
// bias, scales, and bounds. Where an operation reads what a contraction, a
// convolution or a pooling has made, and nobody else reads that, its first such
// steps cost nothing.
//
// Example: a convolution and a linalg.generic that adds a number for each
// channel and takes the maximum with 0. The second one costs nothing as long as
// no move lies between the two.

#ifndef NPU_ANALYSIS_COSTS_OUTPUTSTAGE_H
#define NPU_ANALYSIS_COSTS_OUTPUTSTAGE_H

#include "npu/Target/CostFigures.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace npu {

/// An operand that a matrix engine makes for one reader alone, which has steps
/// for the engine's output stage.
struct StagedOperand {
  unsigned number = 0;
  /// The bits of the elements that the engine works on.
  int64_t bits = 16;
  /// The dimensions of the operand that are the engine's channels: a step may
  /// have a number for each of these.
  llvm::SmallVector<int64_t, 2> channels;

  friend bool operator==(const StagedOperand &,
                         const StagedOperand &) = default;
};

/// The first operand of `op` whose maker's output stage does steps of the body
/// of `op`; nothing where there is none. The maker has to stand in the same
/// block, and nothing but distribution_casts may lie between the two. Whether
/// steps fit in the output stage is said by the figures (npu.output_sums_f16
/// and its like). Readers that `op` is going to replace do not count.
std::optional<StagedOperand>
findStagedOperand(mlir::Operation *op, const CostFigures &figures,
                  llvm::ArrayRef<mlir::Operation *> replaced = {});

/// Whether the output stage of `op` does steps of the only operation that reads
/// its result.
bool isStagedByReader(mlir::Operation *op, const CostFigures &figures);

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_OUTPUTSTAGE_H
