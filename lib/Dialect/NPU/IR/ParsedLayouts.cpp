// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParsedLayouts.h"

using namespace mlir;

namespace npu {

Attribute ParsedLayouts::lookup(StringRef text) {
  llvm::sys::ScopedReader lock(mutex);
  return layouts.lookup(text);
}

void ParsedLayouts::remember(StringRef text, Attribute attribute) {
  llvm::sys::ScopedWriter lock(mutex);
  layouts.try_emplace(text, attribute);
}

} // namespace npu
