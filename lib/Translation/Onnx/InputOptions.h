// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command line says of a model's inputs.

#ifndef NPU_LIB_TRANSLATION_ONNX_INPUTOPTIONS_H
#define NPU_LIB_TRANSLATION_ONNX_INPUTOPTIONS_H

#include "Build/TensorData.h"
#include "Model/OnnxModel.h"

#include "llvm/ADT/StringRef.h"

namespace npu {

/// Reads "NAME:1x3x?x192"; "NAME:" is a scalar. Names may have colons: the last
/// one counts.
Result<std::pair<std::string, OnnxShape>> parseInputShape(llvm::StringRef text);

/// Reads the value of NAME in "NAME=1,2,3", "NAME=FILE.npy" or "NAME=FILE.pb",
/// as the type that the model declares for that input.
Result<TensorData> readInputValue(llvm::StringRef text,
                                  const onnx::ValueInfoProto &input);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_INPUTOPTIONS_H
