// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes buffers, and a plan, in the CSV form that solvers of static memory
// allocation read (google/minimalloc): a line for each buffer, half-open
// intervals of time.

#ifndef NPU_PLACEMENT_SCRATCHPAD_PACKINGTABLE_H
#define NPU_PLACEMENT_SCRATCHPAD_PACKINGTABLE_H

#include "npu/Placement/Scratchpad/PackBuffers.h"

#include <string>

namespace npu {

/// The buffers as lines `id,lower,upper,size`, in bytes, with `alignment` where
/// one differs from 1, and with `offset` where there is a plan. Without `ids`,
/// the ids are the buffers' numbers. The form knows no buffer that may replace
/// another. Preconditions: as many ids as buffers, or none; `last` is less than
/// the largest number.
/// Example: one buffer of 4 bytes in steps 0:1 at offset 8 is
/// `id,lower,upper,size,offset\n0,0,2,4,8\n`.
std::string packingTable(std::span<const Buffer> buffers,
                         std::span<const std::string> ids = {},
                         const BufferPlan *plan = nullptr);

} // namespace npu

#endif // NPU_PLACEMENT_SCRATCHPAD_PACKINGTABLE_H
