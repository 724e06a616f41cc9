// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions of IR have no names. Inputs that Optimum writes mean the same as
// in ONNX, where it names their dimensions.

#ifndef NPU_LIB_TRANSLATION_OPENVINO_LAYERS_DIMENSIONROLES_H
#define NPU_LIB_TRANSLATION_OPENVINO_LAYERS_DIMENSIONROLES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

/// The name of a dimension that the model leaves open. That of an input which
/// Optimum writes is what it calls it in ONNX; of another one, it is the
/// input's name and the dimension's number. `hasStates` says whether the model
/// has any: its attention mask is as long as cache and new tokens together.
std::string dimensionName(llvm::StringRef input, std::size_t dim, bool isState,
                          bool hasStates);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_OPENVINO_LAYERS_DIMENSIONROLES_H
