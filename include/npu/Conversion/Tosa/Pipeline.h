// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from TOSA to linalg, which models and the originals that they are
// compared with share.

#ifndef NPU_CONVERSION_TOSA_PIPELINE_H
#define NPU_CONVERSION_TOSA_PIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <string>

namespace npu {

/// Adds the passes that lower TOSA's operations on tensors, to a pass manager
/// of functions. What they do not lower stays TOSA. `control` adds the one for
/// branches, loops and scatters (lowersToLoops), which walks over every layer
/// of a model in any case.
void buildTosaToLinalg(mlir::OpPassManager &functions, bool control);

/// Whether a TOSA operation becomes control flow: a branch, a loop or a
/// scatter.
bool lowersToLoops(mlir::Operation *op);

/// Whether upstream's patterns leave a module that does not verify: of unsigned
/// elements, which they take for signless ones, and of f64 that is accumulated
/// in f32. Such an operation stays TOSA.
bool hasNoLowering(mlir::Operation *op);

/// What is accepted in the place of a TOSA operation that stays TOSA, for a
/// note: "a call of a function with a body is accepted in its place". Empty
/// where nothing is known, and of operations of other dialects.
std::string whatHelpsInsteadOf(mlir::Operation *op);

} // namespace npu

#endif // NPU_CONVERSION_TOSA_PIPELINE_H
