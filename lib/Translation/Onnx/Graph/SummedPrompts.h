// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions of inputs that are as long as several prompts together: the mask
// of a decoder has an entry for each token of the cache and for each new one.
//
// Example: in a model of x [1, S], past [1, P] and mask [1, "P + S"], the mask
// is
//
//     concat(mask[:, :P], mask[:, P:P + S])
//
// of which padding fills up each part as it fills up past and x.

#ifndef NPU_LIB_TRANSLATION_ONNX_GRAPH_SUMMEDPROMPTS_H
#define NPU_LIB_TRANSLATION_ONNX_GRAPH_SUMMEDPROMPTS_H

#include "../Build/TensorBuilder.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// The tensor of the input of that name, with each dimension that is a sum of
/// prompts made of its parts, caches first. The name of a dimension says that
/// it is one ("past_sequence_length + sequence_length"). Each name in it has to
/// be that of another dimension; else the dimension is a prompt by itself. A
/// run asserts that the extent is the sum.
mlir::Value inPartsOfPrompts(TensorBuilder &build,
                             mlir::FunctionOpInterface function,
                             mlir::BlockArgument argument,
                             llvm::StringRef name);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_GRAPH_SUMMEDPROMPTS_H
