// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every tool does where memory runs out, or the place that it writes to.

#ifndef NPU_TOOLS_FATALERRORS_H
#define NPU_TOOLS_FATALERRORS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

/// Makes errors of the tool of a lack of memory, whoever asks for it, and of
/// what LLVM ends a process for that is no fault of its own, as output that
/// cannot be written:
///
///   npu-opt: error: out of memory
///   npu-opt: error: /dev/full: IO failure on output stream: No space left on
///   device
///
/// and exit code 1; files that are being written are removed. To be called
/// first in a tool's main. `tool` has to outlive the process.
void setFatalErrorHandlers(llvm::StringRef tool);

/// Names the file that the tool writes, for these errors.
void nameOutput(std::string path);

} // namespace npu

#endif // NPU_TOOLS_FATALERRORS_H
