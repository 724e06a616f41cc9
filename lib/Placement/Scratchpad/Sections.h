// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts time into the sections that matter to a packing: each is a step at which
// a largest set of buffers is in use, so that two buffers are in use together
// exactly where a section has both.

#ifndef NPU_LIB_PLACEMENT_SCRATCHPAD_SECTIONS_H
#define NPU_LIB_PLACEMENT_SCRATCHPAD_SECTIONS_H

#include "npu/Placement/Scratchpad/PackBuffers.h"

namespace npu {

class Sections {
public:
  explicit Sections(std::span<const Buffer> buffers);

  int count() const { return static_cast<int>(startBegins.size()) - 1; }

  /// The sections in which a buffer is in use are `first(b)` to `end(b) - 1`.
  int first(int buffer) const { return firsts[buffer]; }
  int end(int buffer) const { return ends[buffer]; }
  bool has(int section, int buffer) const {
    return firsts[buffer] <= section && section < ends[buffer];
  }

  /// The buffers whose first section this is.
  std::span<const int> starting(int section) const {
    return std::span(starts).subspan(
        startBegins[section], startBegins[section + 1] - startBegins[section]);
  }

  /// The number of pairs of a section and a buffer that is in use in it.
  int64_t uses() const;

private:
  std::vector<int> firsts;
  std::vector<int> ends;
  std::vector<int> starts;
  std::vector<int> startBegins;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_SCRATCHPAD_SECTIONS_H
