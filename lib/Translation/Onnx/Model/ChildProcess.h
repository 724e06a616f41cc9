// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in a process of its own, for a library that crashes on bad input.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_CHILDPROCESS_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_CHILDPROCESS_H

#include "npu/Placement/Result.h"

#include <functional>
#include <string>

namespace npu {

/// Runs `work` in a child of this process and returns the bytes that it
/// returns. Errors: the child crashes, takes more than `seconds` of processor
/// time or `bytes` of memory beside what this process has, or cannot be
/// started.
Result<std::string> runInChildProcess(const std::function<std::string()> &work,
                                      unsigned seconds, std::size_t bytes);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_CHILDPROCESS_H
