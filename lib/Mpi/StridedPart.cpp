// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions that lie as one become one; what is left is copied run by run, or
// element by element where runs are elements.

#include "StridedPart.h"

#include <algorithm>
#include <cstring>

namespace npu::mpi {

void StridedPart::assign(intptr_t address, const int64_t *description) {
  begin = reinterpret_cast<char *>(address);
  dims.clear();
  int64_t rank = description[0], element = description[1];
  const int64_t *extents = description + 2, *strides = extents + rank;
  run = total = element;
  for (int64_t dim = 0; dim < rank; ++dim) {
    total *= extents[dim];
    if (extents[dim] == 1)
      continue;
    int64_t stride = strides[dim] * element;
    // The entries of this dimension continue those of the one before.
    if (!dims.empty() && dims.back().stride == stride * extents[dim])
      dims.back() = {dims.back().extent * extents[dim], stride};
    else
      dims.push_back({extents[dim], stride});
  }
  if (!dims.empty() && dims.back().stride == element) {
    run = element * dims.back().extent;
    dims.pop_back();
  }
}

namespace {

template <bool Packs>
void copyBytes(char *array, char *packed, int64_t count) {
  if constexpr (Packs)
    std::memcpy(packed, array, count);
  else
    std::memcpy(array, packed, count);
}

/// Copies runs of `Run` bytes, a number that the compiler knows.
template <bool Packs, int64_t Run>
void copyRuns(char *array, char *packed, int64_t count, int64_t stride) {
  for (int64_t i = 0; i < count; ++i)
    copyBytes<Packs>(array + i * stride, packed + i * Run, Run);
}

template <bool Packs>
void copyRuns(char *array, char *packed, int64_t count, int64_t stride,
              int64_t run) {
  switch (run) {
  case 1:
    return copyRuns<Packs, 1>(array, packed, count, stride);
  case 2:
    return copyRuns<Packs, 2>(array, packed, count, stride);
  case 4:
    return copyRuns<Packs, 4>(array, packed, count, stride);
  case 8:
    return copyRuns<Packs, 8>(array, packed, count, stride);
  case 16:
    return copyRuns<Packs, 16>(array, packed, count, stride);
  default:
    for (int64_t i = 0; i < count; ++i)
      copyBytes<Packs>(array + i * stride, packed + i * run, run);
  }
}

} // namespace

template <bool Packs>
void StridedPart::copy(int64_t first, int64_t count, char *packed) const {
  // The indices of the run that `first` is in.
  std::vector<int64_t> index(dims.size());
  int64_t number = first / run, within = first % run;
  for (size_t dim = dims.size(); dim-- > 0; number /= dims[dim].extent)
    index[dim] = number % dims[dim].extent;
  while (count > 0) {
    char *array = begin;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      array += index[dim] * dims[dim].stride;
    int64_t runs = 1;
    if (within > 0 || count < run || dims.empty()) {
      int64_t part = std::min(count, run - within);
      copyBytes<Packs>(array + within, packed, part);
      packed += part;
      count -= part;
      within = 0;
    } else {
      // As many runs along the fastest dimension as there are.
      const Dim &fastest = dims.back();
      runs = std::min(count / run, fastest.extent - index.back());
      copyRuns<Packs>(array, packed, runs, fastest.stride, run);
      packed += runs * run;
      count -= runs * run;
    }
    if (dims.empty())
      continue;
    index.back() += runs;
    for (size_t dim = dims.size() - 1;
         dim > 0 && index[dim] == dims[dim].extent; --dim) {
      index[dim] = 0;
      ++index[dim - 1];
    }
  }
}

void StridedPart::pack(int64_t first, int64_t count, char *packed) const {
  copy<true>(first, count, packed);
}

void StridedPart::unpack(int64_t first, int64_t count,
                         const char *packed) const {
  copy<false>(first, count, const_cast<char *>(packed));
}

} // namespace npu::mpi
