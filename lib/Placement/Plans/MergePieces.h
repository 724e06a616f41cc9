// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joining of pieces whose union is a box.

#ifndef NPU_LIB_PLACEMENT_PLANS_MERGEPIECES_H
#define NPU_LIB_PLACEMENT_PLANS_MERGEPIECES_H

#include "Pieces.h"

namespace npu {

/// Joins pieces of equal `from` and `to` until the union of no two of them is a
/// box. Precondition: pieces of equal `from` and `to` are disjoint.
void mergePieces(std::vector<Piece> &pieces);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_MERGEPIECES_H
