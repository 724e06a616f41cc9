// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts passes and pipelines at the top of a tool's --help, where upstream has
// them behind all general options.

#ifndef NPU_LIB_TOOLS_PASSESINHELP_H
#define NPU_LIB_TOOLS_PASSESINHELP_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

/// The text that --help begins with: `sentence`, and a line for every
/// registered pass and pipeline of this project. Passes with their options,
/// upstream's among them, become the first group of options. To be called after
/// MLIR has registered its command-line options, and before they are parsed.
std::string passesFirst(llvm::StringRef sentence);

} // namespace npu

#endif // NPU_LIB_TOOLS_PASSESINHELP_H
