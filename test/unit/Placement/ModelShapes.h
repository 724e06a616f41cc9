// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The models whose shapes the tests go through (docs/concepts.md, "The field
// failure this project starts from").

#ifndef NPU_UNITTEST_PLACEMENT_MODELSHAPES_H
#define NPU_UNITTEST_PLACEMENT_MODELSHAPES_H

#include <cstdint>

namespace npu {

struct ModelShape {
  const char *name;
  int64_t hidden;
  int64_t heads;
  int64_t keyValueHeads;
  int64_t headSize;
  int64_t intermediate;
};

inline constexpr ModelShape kModelShapes[] = {
    {"Qwen2-7B", 3584, 28, 4, 128, 18944},
    {"Qwen2.5-7B", 3584, 28, 4, 128, 18944},
    {"Qwen2-1.5B", 1536, 12, 2, 128, 8960},
    {"Qwen2.5-3B", 2048, 16, 2, 128, 11008},
    {"Llama-2-7B", 4096, 32, 32, 128, 11008},
    {"Llama-3-8B", 4096, 32, 8, 128, 14336},
    {"MiniCPM-1B", 1536, 24, 8, 64, 3840},
    {"MiniCPM-2B", 2304, 36, 36, 64, 5760},
    {"Phi-3-mini", 3072, 32, 32, 96, 8192},
};
static_assert(sizeof(kModelShapes) / sizeof(kModelShapes[0]) == 9);

} // namespace npu

#endif // NPU_UNITTEST_PLACEMENT_MODELSHAPES_H
