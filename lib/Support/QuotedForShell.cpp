// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/QuotedForShell.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace npu {

std::string quotedForShell(llvm::StringRef word) {
  bool plain = !word.empty() && llvm::all_of(word, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("/._-+=:,@").contains(c);
  });
  if (plain)
    return word.str();
  std::string result = "'";
  for (char c : word)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

} // namespace npu
