// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The project's version, and what --version prints in every tool.

#ifndef NPU_TOOLS_VERSION_H
#define NPU_TOOLS_VERSION_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

/// The version that CMakeLists.txt gives the project, such as "0.1.0".
llvm::StringRef version();

/// "Tilewright 0.1.0, LLVM 22.1.8".
std::string compilerVersion();

/// Makes --version print the tool's name, this project's version and LLVM's:
///
///   npu-opt (Tilewright) 0.1.0
///   LLVM version 22.1.8
///
/// To be called before the command line is parsed. `tool` has to outlive that.
void setVersionPrinter(llvm::StringRef tool);

} // namespace npu

#endif // NPU_TOOLS_VERSION_H
