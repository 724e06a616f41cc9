// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's parser crashes on some texts, and a text that is being typed takes
// many forms: the server goes on.

#ifndef NPU_LIB_LANGUAGESERVER_SURVIVEPARSER_H
#define NPU_LIB_LANGUAGESERVER_SURVIVEPARSER_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace npu {

/// Calls the parser, and returns whether it came back. Where it crashed,
/// whatever it worked on is broken: it is neither to be used nor destroyed.
bool surviveParser(llvm::function_ref<void()> parse);

} // namespace npu

#endif // NPU_LIB_LANGUAGESERVER_SURVIVEPARSER_H
