// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of commands that are printed for a shell.

#ifndef NPU_SUPPORT_QUOTEDFORSHELL_H
#define NPU_SUPPORT_QUOTEDFORSHELL_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

/// The word, in quotation marks where a shell would not take it as it is.
std::string quotedForShell(llvm::StringRef word);

} // namespace npu

#endif // NPU_SUPPORT_QUOTEDFORSHELL_H
