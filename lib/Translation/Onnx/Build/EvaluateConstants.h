// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structured operations on constants, computed while they are imported: the
// arithmetic on shapes that exporters leave in a graph.

#ifndef NPU_LIB_TRANSLATION_ONNX_BUILD_EVALUATECONSTANTS_H
#define NPU_LIB_TRANSLATION_ONNX_BUILD_EVALUATECONSTANTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// Structured operations of more points than this stay in the program.
inline constexpr int64_t kMostEvaluatedPoints = 1 << 16;

/// The result of a structured operation with one result, whose operands are
/// dense constants, fills or not read at all. Every operation of its body is
/// computed by its own fold. Null where something is not constant, has no fold,
/// or is too large.
mlir::DenseElementsAttr evaluateConstant(mlir::linalg::LinalgOp op);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_BUILD_EVALUATECONSTANTS_H
