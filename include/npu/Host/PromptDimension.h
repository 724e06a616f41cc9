// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimensions of a compiled function follow from the lengths of prompts.

#ifndef NPU_HOST_PROMPTDIMENSION_H
#define NPU_HOST_PROMPTDIMENSION_H

#include <cstdint>
#include <vector>

namespace npu {

/// A dimension whose extent is another one in every run. The function has
/// memory for the largest.
struct PromptDimension {
  /// The number of the input or result.
  int64_t tensor = 0;
  int64_t dimension = 0;
  /// Of an input: which of the lengths is its extent. Of a result: which of the
  /// extents that the function returns.
  int64_t number = 0;
};

/// Such dimensions of inputs and of results.
struct PromptDimensions {
  std::vector<PromptDimension> inputs, results;
};

} // namespace npu

#endif // NPU_HOST_PROMPTDIMENSION_H
