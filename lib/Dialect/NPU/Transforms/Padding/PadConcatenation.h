// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PADCONCATENATION_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PADCONCATENATION_H

#include "PaddedValues.h"

namespace npu {

/// The result of `op`, which puts parts one behind the other, of parts that
/// have their padding.
mlir::Value padConcatenation(mlir::Operation *op, const Concatenation &whole,
                             PaddedValues &values);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PADCONCATENATION_H
