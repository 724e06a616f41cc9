// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Scratchpad/PackingTable.h"

#include <algorithm>

namespace npu {

std::string packingTable(std::span<const Buffer> buffers,
                         std::span<const std::string> ids,
                         const BufferPlan *plan) {
  bool aligned = std::ranges::any_of(
      buffers, [](const Buffer &buffer) { return buffer.alignment != 1; });
  std::string text = "id,lower,upper,size";
  text += aligned ? ",alignment" : "";
  text += plan ? ",offset\n" : "\n";
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = buffers[i];
    text += ids.empty() ? std::to_string(i) : ids[i];
    for (int64_t number : {buffer.first, buffer.last + 1, buffer.bytes})
      text += "," + std::to_string(number);
    if (aligned)
      text += "," + std::to_string(buffer.alignment);
    if (plan)
      text += "," + std::to_string(plan->offsets[i]);
    text += "\n";
  }
  return text;
}

} // namespace npu
