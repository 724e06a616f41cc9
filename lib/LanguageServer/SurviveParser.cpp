// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SurviveParser.h"

#include "llvm/Support/CrashRecoveryContext.h"

namespace npu {

bool surviveParser(llvm::function_ref<void()> parse) {
  static const bool isEnabled = [] {
    llvm::CrashRecoveryContext::Enable();
    return true;
  }();
  (void)isEnabled;
  return llvm::CrashRecoveryContext().RunSafely(parse);
}

} // namespace npu
