// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with one ONNX tensor, as conformance tests and exporters write them,
// as a NumPy file.

#ifndef NPU_LIB_TRANSLATION_ONNX_ONNXTENSORTONPY_H
#define NPU_LIB_TRANSLATION_ONNX_ONNXTENSORTONPY_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace npu {

/// Writes the .npy file; an error where the bytes are no tensor, or one of
/// strings or complex numbers.
llvm::LogicalResult onnxTensorToNpy(llvm::StringRef bytes,
                                    llvm::StringRef fileName,
                                    llvm::raw_ostream &output,
                                    mlir::MLIRContext *context);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_ONNXTENSORTONPY_H
