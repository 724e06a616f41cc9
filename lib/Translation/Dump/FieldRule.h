// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The boxes that the field compiler itself computes from a distribution of its
// own. Its rule (the functions splitSegmentedShape, getPerClusterComputeShapes
// and getPerClusterMemoryShapes of its dialect VPU) differs from this project's
// in three points: it rounds every aligned dimension, not only the one that is
// split; no tile may be empty; and what a window reads is not joined with what
// the tile computes.

#ifndef NPU_LIB_TRANSLATION_DUMP_FIELDRULE_H
#define NPU_LIB_TRANSLATION_DUMP_FIELDRULE_H

#include "npu/Placement/Distributions/Placement.h"
#include "npu/Translation/Log/NpuLog.h"

namespace npu {

struct FieldPlacement {
  /// One per tile, in logical coordinates. A box may end after the tensor,
  /// where an alignment rounds an extent up.
  std::vector<TileBoxes> tiles;
  /// The end of the sentence "the field compiler ...", where it places
  /// otherwise than this project's rule would.
  std::vector<std::string> notes;
};

/// The field compiler's boxes of a tensor of that shape; an error where it has
/// none, or where the fields contradict each other. Example: SEGMENTED, 10 rows
/// over 4 tiles without `uniform_distributed_segments` are 3, 3, 3 and 1 rows;
/// 9 rows are an error, because the last tile would have none.
Result<FieldPlacement> placeByField(const LoggedAttribute &fields,
                                    const Extents &shape);

/// The boxes without what lies after the tensor.
Placement clipped(const FieldPlacement &boxes, const Extents &shape);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_FIELDRULE_H
