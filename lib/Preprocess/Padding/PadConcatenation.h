// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_LIB_PREPROCESS_PADDING_PADCONCATENATION_H
#define NPU_LIB_PREPROCESS_PADDING_PADCONCATENATION_H

#include "PaddedValues.h"

namespace npu {

/// Rewrites `op`, which is a concatenation, to padded parts. Returns its padded
/// result.
mlir::Value padConcatenation(mlir::Operation *op, const Concatenation &whole,
                             PaddedValues &values);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PADDING_PADCONCATENATION_H
