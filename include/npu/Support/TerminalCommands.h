// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Characters of names from files, before a terminal shows them.

#ifndef NPU_SUPPORT_TERMINALCOMMANDS_H
#define NPU_SUPPORT_TERMINALCOMMANDS_H

#include "llvm/ADT/StringExtras.h"

namespace npu {

/// Whether a terminal would take the character for a command, as a line break
/// or an escape, instead of showing it. Bytes of UTF-8 are shown.
inline bool commandsTerminal(char character) {
  return llvm::isASCII(character) && !llvm::isPrint(character);
}

} // namespace npu

#endif // NPU_SUPPORT_TERMINALCOMMANDS_H
