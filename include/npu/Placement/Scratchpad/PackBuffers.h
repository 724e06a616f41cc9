// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where in one scratchpad every buffer lies: buffers that live at the same time
// lie apart, and the memory that is touched is as small as can be found.

#ifndef NPU_PLACEMENT_SCRATCHPAD_PACKBUFFERS_H
#define NPU_PLACEMENT_SCRATCHPAD_PACKBUFFERS_H

#include "npu/Placement/Result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace npu {

/// A piece of memory that is in use from step `first` to step `last`, both
/// included. Steps are whatever the caller counts in order, such as operations.
struct Buffer {
  int64_t bytes = 0;
  /// A power of two; the offset is a multiple of it.
  int64_t alignment = 1;
  int64_t first = 0;
  int64_t last = 0;
  /// Numbers of buffers whose very place this one may take although both are in
  /// use at the step where those end and this one begins: an operation that
  /// writes its result over an operand. Same bytes, `last` there is `first`
  /// here.
  std::vector<int> mayReplace;

  bool operator==(const Buffer &) const = default;
};

struct BufferPlan {
  /// One for each buffer, in bytes.
  std::vector<int64_t> offsets;
  /// The largest offset + bytes.
  int64_t peak = 0;
  /// The most bytes that are in use at one step, alignment counted, replaced
  /// buffers not: no plan that replaces the same ones has a smaller peak.
  int64_t bound = 0;
  /// A step at which so many are in use: the last before one of them ends.
  int64_t boundStep = 0;
  /// For each buffer the one whose place it took, or -1.
  std::vector<int> replaced;
};

/// The most bytes that are in use at one step, and the last step of the first
/// time that they are: where one of them is used for the last time.
struct MostInUse {
  int64_t bytes = 0;
  int64_t step = 0;
};

/// Nothing wrong, or "buffer 3: expected ..., got ...".
Check checkBuffers(std::span<const Buffer> buffers);

/// A plan. The same input gives the same plan; time is near-linear in typical
/// programs, and bounded by a fixed amount of work beyond that. Example: 4
/// bytes in steps 0:1, 4 in 1:2 and 4 in 2:3 take 8 bytes, at 0, 4 and 0.
/// Precondition: `checkBuffers` has nothing to say.
BufferPlan packBuffers(std::span<const Buffer> buffers);

/// Nothing wrong, or what is: an offset that is not aligned or is negative, two
/// buffers in one place at one time, a peak that is not the peak.
Check checkPlan(std::span<const Buffer> buffers, const BufferPlan &plan);

/// Alignment counted: offsets are multiples of the smallest alignment, so that
/// all but the uppermost buffer take whole multiples of it.
MostInUse mostInUse(std::span<const Buffer> buffers);

/// Everything that follows from the offsets. A buffer that lies where one lies
/// that it may replace has replaced it. Precondition: one offset for each
/// buffer.
BufferPlan describePlan(std::span<const Buffer> buffers,
                        std::vector<int64_t> offsets);

} // namespace npu

#endif // NPU_PLACEMENT_SCRATCHPAD_PACKBUFFERS_H
