// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function shaped like a language model's decoder, on four tiles.

#ifndef NPU_BENCHMARKS_DECODERLAYERS_H
#define NPU_BENCHMARKS_DECODERLAYERS_H

#include <cstdint>
#include <string>

namespace npu {

/// `layers` layers of normalisation, attention over 8 heads and a gated
/// perceptron, 39 operations on tensors each, of which 4 are redistributions.
/// Activations are duplicated, weights split by columns, heads by number.
std::string decoderLayers(int64_t layers);

} // namespace npu

#endif // NPU_BENCHMARKS_DECODERLAYERS_H
