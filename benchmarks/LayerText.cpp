// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LayerText.h"

#include <fmt/format.h>

namespace npu {

std::string layerText(const char *head, const char *begin, const char *layer,
                      int64_t layers) {
  std::string text = head;
  text += "func.func @main(%x0: !x";
  for (int64_t i = 0; i < layers; ++i)
    text += fmt::format(", %wq{0}: !w, %wk{0}: !w, %wv{0}: !w, %wo{0}: !w, "
                        "%wg{0}: !up, %wu{0}: !up, %wd{0}: !down",
                        i);
  text += ") -> !x {";
  text += begin;
  for (int64_t i = 0; i < layers; ++i)
    for (const char *c = layer; *c; ++c) {
      if (*c == '@')
        text += std::to_string(i);
      else if (*c == '+')
        text += std::to_string(i + 1);
      else
        text += *c;
    }
  return text + fmt::format("  return %x{} : !x\n}}\n", layers);
}

} // namespace npu
