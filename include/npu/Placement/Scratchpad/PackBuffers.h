// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places buffers in one scratchpad: buffers that are in use at the same time
// lie apart, and the peak is as small as the search finds.

#ifndef NPU_PLACEMENT_SCRATCHPAD_PACKBUFFERS_H
#define NPU_PLACEMENT_SCRATCHPAD_PACKBUFFERS_H

#include "npu/Placement/Result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace npu {

/// The alignment of buffers in bytes that bufferization asks for, which is the
/// size of a cache line.
inline constexpr int64_t kBufferAlignment = 64;

/// A piece of memory that is in use from step `first` to step `last`, both
/// included. Steps are whatever the caller counts in order, such as operations.
struct Buffer {
  int64_t bytes = 0;
  /// A power of two; the offset is a multiple of it.
  int64_t alignment = 1;
  int64_t first = 0;
  int64_t last = 0;
  /// Numbers of buffers whose exact place this one may take although both are
  /// in use at one step, at which those buffers end and this one begins: an
  /// operation that writes its result over an operand. Precondition: they have
  /// as many bytes as this buffer, and their `last` is its `first`.
  std::vector<int> mayReplace;

  bool operator==(const Buffer &) const = default;
};

struct BufferPlan {
  /// The offset of each buffer, in bytes.
  std::vector<int64_t> offsets;
  /// The largest offset + bytes.
  int64_t peak = 0;
  /// The most bytes that are in use at one step, counting alignment but not
  /// replaced buffers. No plan that replaces the same buffers has a smaller
  /// peak.
  int64_t bound = 0;
  /// A step at which `bound` bytes are in use: the last one before one of the
  /// buffers ends.
  int64_t boundStep = 0;
  /// A peak that no plan goes below that replaces the same buffers: `bound`, or
  /// more where the search has proved it.
  int64_t least = 0;
  /// For each buffer the number of the buffer whose place it takes, or -1.
  std::vector<int> replaced;
};

/// The most bytes that are in use at one step, and such a step: the first at
/// which one of the buffers is used for the last time.
struct MostInUse {
  int64_t bytes = 0;
  int64_t step = 0;
};

/// Nothing wrong, or "buffer 3: expected ..., got ...".
Result<> checkBuffers(std::span<const Buffer> buffers);

/// Work of an exact search, counted in entries that it looks at, so that the
/// same input gives the same plan on every machine: about 300 million in a
/// second. Enough for each plan of a program, and for a plan that somebody
/// waits for.
inline constexpr int64_t kOrdinaryWork = int64_t{1} << 27;
inline constexpr int64_t kPatientWork = int64_t{1} << 32;

/// When a search may stop.
struct PackingGoal {
  /// The peak is at most this; 0: the least peak.
  int64_t capacity = 0;
  /// So much has been done. Applies to the exact search; what comes before it
  /// has fixed limits of its own.
  int64_t work = kOrdinaryWork;
};

/// Plans offsets. The same input gives the same plan; time is near-linear in
/// typical programs, where first fit reaches the bound, and beyond that bounded
/// by a fixed amount of work.
/// Example: 4 bytes in steps 0:1, 4 in 1:2 and 4 in 2:3 take 8 bytes, at 0, 4
/// and 0. Precondition: `checkBuffers` finds no error.
BufferPlan packBuffers(std::span<const Buffer> buffers,
                       const PackingGoal &goal = {});

/// Checks a plan. Errors: an offset that is not aligned or is negative, two
/// buffers in one place at one time, a peak that is not the peak.
Result<> checkPlan(std::span<const Buffer> buffers, const BufferPlan &plan);

/// The most bytes in use, counting alignment: offsets are multiples of the
/// smallest alignment, so that all buffers but the uppermost take whole
/// multiples of it.
MostInUse mostInUse(std::span<const Buffer> buffers);

/// The plan with these offsets. A buffer that lies exactly where a buffer lies
/// that it may replace has replaced that buffer. Precondition: one offset for
/// each buffer.
BufferPlan describePlan(std::span<const Buffer> buffers,
                        std::vector<int64_t> offsets);

/// The buffers that a plan places: each chain of buffers that replace one
/// another is one, from the first step of its first to the last step of its
/// last, with the number of its first beside it in `numbers`.
std::vector<Buffer> placedBuffers(std::span<const Buffer> buffers,
                                  const BufferPlan &plan,
                                  std::vector<int> &numbers);

} // namespace npu

#endif // NPU_PLACEMENT_SCRATCHPAD_PACKBUFFERS_H
