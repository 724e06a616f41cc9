// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles hold each element: the slow and obvious oracle of box arithmetic,
// in a form that a million cases can afford.

#ifndef NPU_FUZZ_PLANS_HOLDERS_H
#define NPU_FUZZ_PLANS_HOLDERS_H

#include "npu/Placement/Distributions/Placement.h"

#include <cstdint>
#include <vector>

namespace npu {

/// For every element of a tensor, in row-major order, the set of tiles that
/// hold it: bit t is set for tile t. Precondition of all functions that make
/// one: at most kMaxHolders tiles.
using Holders = std::vector<uint64_t>;

/// The most tiles; one bit is left for DDR.
inline constexpr std::size_t kMaxHolders = 63;

/// The tiles whose memory box contains each element.
Holders holdersOf(const Placement &placement);

/// Calls `visit(number)` with the row-major number of each of the box's
/// elements. Precondition: the box lies inside the tensor.
template <typename Visit>
void forEachElementIn(const Box &box, const Extents &shape, Visit visit) {
  if (box.isEmpty())
    return;
  Extents index = box.offsets();
  for (;;) {
    std::size_t number = 0;
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      number = number * shape[dim] + index[dim];
    visit(number);
    std::size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == box[dim - 1].end) {
      --dim;
      index[dim] = box[dim].begin;
    }
    if (dim == 0)
      return;
  }
}

} // namespace npu

#endif // NPU_FUZZ_PLANS_HOLDERS_H
