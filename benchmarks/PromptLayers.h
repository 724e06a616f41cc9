// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function shaped like a language model's decoder, for prompts of any length.

#ifndef NPU_BENCHMARKS_PROMPTLAYERS_H
#define NPU_BENCHMARKS_PROMPTLAYERS_H

#include <cstdint>
#include <string>

namespace npu {

/// `layers` layers of normalisation, causal attention over 8 heads and a gated
/// perceptron, 36 operations on tensors each, all of them over the prompt,
/// whose length is dynamic. No layouts.
std::string promptLayers(int64_t layers);

} // namespace npu

#endif // NPU_BENCHMARKS_PROMPTLAYERS_H
