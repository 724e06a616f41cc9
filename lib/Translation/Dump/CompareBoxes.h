// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what tiles hold with what an operation or a type wants on them.

#ifndef NPU_LIB_TRANSLATION_DUMP_COMPAREBOXES_H
#define NPU_LIB_TRANSLATION_DUMP_COMPAREBOXES_H

#include "DumpEdges.h"

namespace npu {

/// The finding "cannot tell", with its reason, and what is missing.
EdgeFinding unknownEdge(std::string why, MissingFact missing);

/// The bytes of so many entries of the type, rounded up; entries of unknown
/// size count as bytes.
int64_t bytesOf(const DumpType &type, int64_t elements);

/// A permute cast from one distributed type to the other; without orders, a
/// cast that keeps the shape. `relabels` is whether the operation is there to
/// change the label.
EdgeFinding compareCast(const DumpType &from, const DumpType &to,
                        const Permutation *memPerm, bool relabels);

/// A reshape: memory stays as it is under another shape.
EdgeFinding compareReshape(const DumpType &from, const DumpType &to);

/// A copy: tiles get what `to` declares, from tiles or from DDR. With a
/// `memPerm` it permutes on its way what a permute cast would rename.
EdgeFinding compareCopy(const DumpType &from, const DumpType &to,
                        const Permutation *memPerm = nullptr);

/// An operand without a distribution: whatever a tile reads of it is there.
EdgeFinding compareWholeRead(const DumpType &from);

/// An operation that reads `wanted` of the operand `from`, in the operand's
/// coordinates. `words` says what for: "to compute its part of the result".
EdgeFinding compareRead(const DumpType &from, Placement wanted,
                        std::string_view words);

/// A slice (`to` is a part of `from` at `offsets`) or one operand of a
/// concatenation (`from` is that part of `to`).
EdgeFinding compareSlice(const DumpType &from, const DumpType &to,
                         const Extents &offsets);
EdgeFinding comparePart(const DumpType &from, const DumpType &to,
                        const Extents &offsets);

/// The same of a view that each tile has of its own buffer: its box lies inside
/// what the tile holds, and is no box of the whole tensor. `perTile` is what
/// the operation says that the tiles take, or empty where it does not say it.
EdgeFinding compareTileSlice(const DumpType &from, const DumpType &to,
                             const std::vector<Extents> &perTile);
EdgeFinding compareTilePart(const DumpType &from, const DumpType &to);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_COMPAREBOXES_H
