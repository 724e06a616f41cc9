// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions by their names, for blocks that are made of certain ones.

#ifndef NPU_FUZZ_STEPS_CONTRACTIONFORMS_H
#define NPU_FUZZ_STEPS_CONTRACTIONFORMS_H

#include <cstdint>
#include <string_view>

namespace npu {

/// The first number of a contraction's step (ContractionSteps.cpp) that is this
/// operation. Precondition: there is one.
int64_t contractionNamed(std::string_view op);

} // namespace npu

#endif // NPU_FUZZ_STEPS_CONTRACTIONFORMS_H
