// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maxima and minima of floats, which begin at an infinity.

#ifndef NPU_LIB_CONVERSION_TOSA_FLOATEXTREMES_H
#define NPU_LIB_CONVERSION_TOSA_FLOATEXTREMES_H

#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Adds patterns for tosa.reduce_max, reduce_min and max_pool2d of floats that
/// have infinities and propagate NaN, before upstream's. Upstream begins at the
/// largest finite number, so that a maximum of -inf alone is finite.
void populateFloatExtremes(mlir::RewritePatternSet &patterns);

} // namespace npu

#endif // NPU_LIB_CONVERSION_TOSA_FLOATEXTREMES_H
