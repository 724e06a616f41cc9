// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_BENCHMARKS_LAYERTEXT_H
#define NPU_BENCHMARKS_LAYERTEXT_H

#include <cstdint>
#include <string>

namespace npu {

/// `@main` from %x0 and each layer's seven weights to %x of the last layer: the
/// types in `head`, `begin` once, and `layer` once for each, in which @ is its
/// number and + the next one's.
std::string layerText(const char *head, const char *begin, const char *layer,
                      int64_t layers);

} // namespace npu

#endif // NPU_BENCHMARKS_LAYERTEXT_H
