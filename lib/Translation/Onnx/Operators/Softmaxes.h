// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logarithm of a softmax, which losses are computed from.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_SOFTMAXES_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_SOFTMAXES_H

#include "../Build/TensorBuilder.h"

namespace npu {

/// x - log(sum of exp(x)) over dimensions, with the maximum taken out so that
/// nothing overflows.
mlir::Value logSoftmax(TensorBuilder &build, mlir::Value x,
                       llvm::ArrayRef<int64_t> dims);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_SOFTMAXES_H
