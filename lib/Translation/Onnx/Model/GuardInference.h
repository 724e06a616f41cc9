// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ONNX library's inference of types takes for granted and does not
// check: it would divide by zero, or read behind the end of a list.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_GUARDINFERENCE_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_GUARDINFERENCE_H

#include <onnx/onnx_pb.h>

namespace npu {

/// Throws where an attribute is a position or a step that the inference uses
/// unseen.
void checkAttributesOfInference(const onnx::GraphProto &graph);

/// Gives every convolution without `kernel_shape` the one that its weights
/// have. Without it the inference takes the rank of the weights for that of the
/// image. Where the weights' shape is not known, the attribute is empty:
/// nothing is inferred of such a node.
void addKernelShapes(onnx::GraphProto &graph);

/// Removes those that are empty.
void removeUnknownKernelShapes(onnx::GraphProto &graph);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_GUARDINFERENCE_H
