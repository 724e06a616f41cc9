// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes as the plain sets of their elements: the slow oracle of box arithmetic
// that tests compare with.

#ifndef NPU_UNITTEST_PLACEMENT_ELEMENTS_H
#define NPU_UNITTEST_PLACEMENT_ELEMENTS_H

#include "npu/Placement/Boxes/Box.h"

#include <ostream>
#include <vector>

namespace npu {

/// How GoogleTest prints a box.
inline void PrintTo(const Box &box, std::ostream *out) {
  *out << toString(box);
}

/// Which elements of a tensor are in a set, in row-major order.
using Elements = std::vector<bool>;

inline std::size_t elementCount(const Extents &shape) {
  std::size_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// Calls `visit(number, index)` for every element of a shape.
template <typename Visit>
void forEachElement(const Extents &shape, Visit visit) {
  Extents index(shape.size(), 0);
  for (std::size_t number = 0; number < elementCount(shape); ++number) {
    std::size_t rest = number;
    for (std::size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      index[dim] = static_cast<int64_t>(rest % shape[dim]);
    visit(number, index);
  }
}

inline Elements elementsOf(const Box &box, const Extents &shape) {
  Elements result(elementCount(shape));
  forEachElement(shape, [&](std::size_t number, const Extents &index) {
    bool inside = box.rank() == shape.size();
    for (std::size_t dim = 0; inside && dim < shape.size(); ++dim)
      inside = box[dim].begin <= index[dim] && index[dim] < box[dim].end;
    result[number] = inside;
  });
  return result;
}

inline int64_t countOf(const Elements &elements) {
  int64_t count = 0;
  for (bool element : elements)
    count += element;
  return count;
}

} // namespace npu

#endif // NPU_UNITTEST_PLACEMENT_ELEMENTS_H
