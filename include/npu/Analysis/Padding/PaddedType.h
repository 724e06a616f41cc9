// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_ANALYSIS_PADDING_PADDEDTYPE_H
#define NPU_ANALYSIS_PADDING_PADDEDTYPE_H

#include "npu/Interfaces/PaddingState.h"

#include "mlir/IR/BuiltinTypes.h"

namespace npu {

/// The type with the padded extents of `state`. An explicit box of a layout
/// covers the padding beside the real entries that it had.
mlir::RankedTensorType paddedType(mlir::RankedTensorType type,
                                  const PaddingState &state);

} // namespace npu

#endif // NPU_ANALYSIS_PADDING_PADDEDTYPE_H
