// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of tensors several elements of which share a byte (i2 and i4). Memory
// is moved in bytes, so that a box has to begin and end where bytes do.

#ifndef NPU_PLACEMENT_DISTRIBUTIONS_WHOLEBYTES_H
#define NPU_PLACEMENT_DISTRIBUTIONS_WHOLEBYTES_H

#include "npu/Placement/Distributions/Order.h"
#include "npu/Placement/Distributions/Placement.h"

#include <optional>
#include <string>

namespace npu {

/// For each dimension of a tensor, the entries between places where it may be
/// cut: 1 where every cut is between bytes, and 0 where none is that leaves
/// something on both sides. `perByte` elements share a byte. Dimensions lie in
/// memory in `order`, and in that of the shape in DDR: a cut is between bytes
/// in both. An empty order is that of the shape.
///
/// Example: of 32x64 elements of 4 bits, columns may be cut at multiples of 2
/// and rows anywhere; of 32x33, rows at multiples of 2 and columns nowhere,
/// because every second row begins inside of a byte.
Extents cutsBetweenBytes(const Extents &shape, const Permutation &order,
                         int64_t perByte);

/// The smallest box of whole bytes around a box; `multiples` are
/// `cutsBetweenBytes`.
Box grownToBytes(const Box &box, const Extents &shape,
                 const Extents &multiples);

/// A box of a tile that cuts a byte.
struct ByteCut {
  std::size_t tile = 0;
  Box box;
  std::size_t dim = 0;
  /// What `cutsBetweenBytes` says of the dimension.
  int64_t multiple = 0;
  /// The box of whole bytes whose bounds are closest.
  Box nearest;
};

/// The first box of a placement that cuts a byte; nothing where none does.
std::optional<ByteCut> findByteCut(const Placement &placement,
                                   const Permutation &order, int64_t perByte);

/// "[0:4, 3:6] of tile 1 cuts a byte, which 2 elements share: ...", with the
/// nearest box.
std::string toString(const ByteCut &cut, int64_t perByte);

} // namespace npu

#endif // NPU_PLACEMENT_DISTRIBUTIONS_WHOLEBYTES_H
