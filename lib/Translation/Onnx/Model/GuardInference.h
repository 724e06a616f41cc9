// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ONNX library's inference of types takes for granted and does not
// check: it would divide by zero, or read after the end of a list. That would
// only end the library's own process, without a word on the node.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_GUARDINFERENCE_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_GUARDINFERENCE_H

#include <onnx/onnx_pb.h>

namespace npu {

/// Throws where an attribute is a position or a step that the inference uses
/// unseen.
void checkAttributesOfInference(const onnx::GraphProto &graph);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_GUARDINFERENCE_H
