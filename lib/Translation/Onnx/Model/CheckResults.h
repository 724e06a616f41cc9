// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A check that the ONNX library leaves out, and relies on.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_CHECKRESULTS_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_CHECKRESULTS_H

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>

namespace npu {

/// The name of a result of a graph, or of a graph in one of its attributes,
/// that no node computes and that is neither an input nor an initializer, nor a
/// value of a graph around it; nothing where there is none.
std::optional<std::string>
resultThatNobodyComputes(const onnx::GraphProto &graph);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_CHECKRESULTS_H
