// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the buffers of a plan to places that nothing has used for long, so that
// what is loaded into them need not wait for an earlier buffer to end.

#ifndef NPU_PLACEMENT_SCRATCHPAD_SPREADBUFFERS_H
#define NPU_PLACEMENT_SCRATCHPAD_SPREADBUFFERS_H

#include "npu/Placement/Scratchpad/PackBuffers.h"

namespace npu {

/// The plan with buffers moved, within `capacity` bytes. In the order in which
/// they begin, each buffer goes to the place whose first `firstPart[i]` bytes,
/// and then whose bytes altogether, were last in use at the earliest step. Of
/// equal places it is the lowest for a buffer whose first part is not all of
/// it, and the highest for others; a buffer stays where no place is better.
/// `firstPart[i]`, of at most the buffer's bytes, is what is written first,
/// such as the first of two slots. Buffers that replace one another still do.
/// `least` and `bound` are those of `plan`. Time is near-linear in programs in
/// which few buffers are in use at a time. Example: 4 bytes in steps 0:1, 4 in
/// 2:3 and 4 in 4:5, all at 0, are at 0, 4 and 0 within 8 bytes. Preconditions:
/// the plan is one of these buffers, with a peak of at most `capacity`.
BufferPlan spreadBuffers(std::span<const Buffer> buffers,
                         const BufferPlan &plan, int64_t capacity,
                         std::span<const int64_t> firstPart);

} // namespace npu

#endif // NPU_PLACEMENT_SCRATCHPAD_SPREADBUFFERS_H
