// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A --help of one screen for a tool that knows every pass of upstream: upstream
// prints the options of all passes, more than a thousand lines.

#ifndef NPU_LIB_TOOLS_HELPONONESCREEN_H
#define NPU_LIB_TOOLS_HELPONONESCREEN_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

/// Leaves a few general options in --help. All other registered options, passes
/// with their options among them, appear in --help-hidden alone. Returns the
/// text that --help begins with: `sentence`, and a line for every registered
/// pass and pipeline of this project.
///
/// To be called after all options were registered, and before they are parsed.
std::string helpOnOneScreen(llvm::StringRef sentence);

} // namespace npu

#endif // NPU_LIB_TOOLS_HELPONONESCREEN_H
