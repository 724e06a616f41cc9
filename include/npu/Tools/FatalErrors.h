// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every tool does where memory runs out.

#ifndef NPU_TOOLS_OUTOFMEMORY_H
#define NPU_TOOLS_OUTOFMEMORY_H

#include "llvm/ADT/StringRef.h"

namespace npu {

/// Makes a lack of memory an error of the tool, whoever asks for the memory:
///
///   npu-opt: error: out of memory
///
/// and exit code 1; files that are being written are removed. To be called
/// first in a tool's main. `tool` has to outlive the process.
void setOutOfMemoryHandler(llvm::StringRef tool);

} // namespace npu

#endif // NPU_TOOLS_OUTOFMEMORY_H
