// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be written at a place.

#ifndef NPU_LIB_LANGUAGESERVER_COMPLETE_H
#define NPU_LIB_LANGUAGESERVER_COMPLETE_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/LSP/Protocol.h"

#include <optional>
#include <vector>

namespace npu {

/// Inside of `#npu.layout<...>`: the modes, items and values that are valid
/// beside what is written there already. Nothing elsewhere.
std::optional<std::vector<llvm::lsp::CompletionItem>>
completeLayout(llvm::StringRef text, size_t offset);

/// Elsewhere: what the parser would take, such as names of operations, values,
/// blocks and aliases.
std::vector<llvm::lsp::CompletionItem>
completeByParser(llvm::StringRef text, size_t offset,
                 const mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_LANGUAGESERVER_COMPLETE_H
