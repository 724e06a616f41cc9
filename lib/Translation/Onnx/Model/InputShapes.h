// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of a graph's inputs that somebody gives, instead of the model's own.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_INPUTSHAPES_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_INPUTSHAPES_H

#include "OnnxModel.h"

namespace npu {

/// Replaces shapes of inputs, and the extents of other inputs' dimensions of
/// the same names; what was known of the shapes of other values is dropped. An
/// error where the graph has no input of a name.
Result<> giveShapes(onnx::GraphProto &graph, const OnnxShapes &shapes);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_INPUTSHAPES_H
