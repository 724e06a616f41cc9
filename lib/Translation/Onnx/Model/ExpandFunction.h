// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes that a call of a function stands for. The ONNX library has such a
// function as well, which crashes on functions of models.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_EXPANDFUNCTION_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_EXPANDFUNCTION_H

#include <onnx/onnx_pb.h>

#include <string>

namespace npu {

/// Copies the nodes of `function`: formal operands and results become those of
/// `node`, all other names begin with `prefix`, also in graphs in attributes,
/// and attributes that refer to the function's become those of `node`, or are
/// left out where it has none. Operands that `node` leaves out have no name.
onnx::GraphProto expandFunction(const onnx::NodeProto &node,
                                const onnx::FunctionProto &function,
                                const std::string &prefix);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_EXPANDFUNCTION_H
