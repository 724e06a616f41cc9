// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of arrays whose elements are copied one after the other.

#ifndef NPU_LIB_MPI_STRIDEDPART_H
#define NPU_LIB_MPI_STRIDEDPART_H

#include <cstdint>
#include <vector>

namespace npu::mpi {

class StridedPart {
public:
  /// Becomes the part that npu/Mpi/Mpi.h describes so.
  void assign(intptr_t address, const int64_t *description);

  int64_t bytes() const { return total; }
  /// Whether the elements lie one after the other.
  bool isContiguous() const { return dims.empty(); }
  /// The place of a byte of a contiguous part.
  char *at(int64_t byte) const { return begin + byte; }

  /// Copies `count` bytes from byte `first` on, of all bytes in the order of
  /// the elements, to or from `packed`. Both are of whole elements.
  void pack(int64_t first, int64_t count, char *packed) const;
  void unpack(int64_t first, int64_t count, const char *packed) const;

  struct Dim {
    int64_t extent = 0;
    /// The bytes from one entry to the next.
    int64_t stride = 0;
  };
  /// The bytes that lie one after the other, and what is repeated around them,
  /// the slowest first.
  int64_t runBytes() const { return run; }
  const std::vector<Dim> &loops() const { return dims; }

private:
  template <bool Packs>
  void copy(int64_t first, int64_t count, char *packed) const;

  char *begin = nullptr;
  int64_t total = 0;
  int64_t run = 0;
  std::vector<Dim> dims;
};

} // namespace npu::mpi

#endif // NPU_LIB_MPI_STRIDEDPART_H
