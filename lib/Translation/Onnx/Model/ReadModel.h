// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a model with the ONNX library, in this process.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_READMODEL_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_READMODEL_H

#include "OnnxModel.h"

namespace npu {

/// What readOnnxModel does. The library may crash on bad models.
Result<OnnxModel, UnreadableModel> readHere(std::string_view bytes,
                                            const OnnxShapes &shapes,
                                            const std::string &directory);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_READMODEL_H
