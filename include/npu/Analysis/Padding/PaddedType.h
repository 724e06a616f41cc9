// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_ANALYSIS_PADDING_PADDEDTYPE_H
#define NPU_ANALYSIS_PADDING_PADDEDTYPE_H

#include "npu/Interfaces/PaddingState.h"

#include "mlir/IR/BuiltinTypes.h"

namespace npu {

/// The type with padded extents. Explicit boxes of a layout reach over the
/// padding with the real entries beside it.
mlir::RankedTensorType paddedType(mlir::RankedTensorType type,
                                  const PaddingState &state);

} // namespace npu

#endif // NPU_ANALYSIS_PADDING_PADDEDTYPE_H
