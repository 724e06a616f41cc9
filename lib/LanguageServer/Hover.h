// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What editors show where the cursor rests, in Markdown.

#ifndef NPU_LIB_LANGUAGESERVER_HOVER_H
#define NPU_LIB_LANGUAGESERVER_HOVER_H

#include "ParsedPart.h"

#include <optional>

namespace npu {

struct HoverText {
  Span at;
  std::string markdown;
};

/// Of a value or a layout, the boxes of every tile; of a cast, whether its
/// sides agree, and the bytes that move; of other operations, their results.
std::optional<HoverText> hoverAt(ParsedPart &part, size_t offset);

} // namespace npu

#endif // NPU_LIB_LANGUAGESERVER_HOVER_H
