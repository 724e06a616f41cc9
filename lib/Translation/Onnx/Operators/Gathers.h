// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries read at positions that a tensor of indices has.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_GATHERS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_GATHERS_H

#include "../Graph/NodeImport.h"

namespace npu {

/// The entries of a dimension of `data` at the positions that operand `indices`
/// has, whose dimensions stand where that dimension was. Errors: indices that
/// are no integers, constants that are out of range, an empty dimension.
mlir::FailureOr<mlir::Value> gathered(NodeImport &node, const OnnxTensor &data,
                                      unsigned indices, int64_t axis);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_GATHERS_H
