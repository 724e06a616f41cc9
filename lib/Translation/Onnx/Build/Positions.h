// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions in a dimension as ONNX's operators have them: integers of a tensor,
// of which negative ones count from the end.

#ifndef NPU_LIB_TRANSLATION_ONNX_BUILD_POSITIONS_H
#define NPU_LIB_TRANSLATION_ONNX_BUILD_POSITIONS_H

#include "TensorBuilder.h"

namespace npu {

/// All integers of a constant of any shape, row by row; nothing where the value
/// is no constant, or has more than kMostEvaluatedPoints.
std::optional<llvm::SmallVector<int64_t>>
constantPositions(const OnnxTensor &tensor);

/// The position that an integer of run time means in a dimension of that many
/// entries, as an index. One that is out of range is moved to the nearest
/// entry, so that nothing reads past the end.
mlir::Value positionIn(ScalarBuilder &s, mlir::Value number,
                       mlir::Value extent);

/// The same before it is moved: -1 becomes the last entry, but -extent - 1 and
/// extent stay out of range.
mlir::Value countedFromEnd(ScalarBuilder &s, mlir::Value index,
                           mlir::Value extent);

/// An index, moved into low .. high.
mlir::Value clamped(ScalarBuilder &s, mlir::Value index, mlir::Value low,
                    mlir::Value high);

/// A constant index.
mlir::Value indexConstant(ScalarBuilder &s, int64_t number);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_BUILD_POSITIONS_H
