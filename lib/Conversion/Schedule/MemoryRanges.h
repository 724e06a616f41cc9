// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which row wrote which bytes of a scratchpad last, and who has read them
// since; and the same of boxes of a tensor in DDR.

#ifndef NPU_LIB_CONVERSION_SCHEDULE_MEMORYRANGES_H
#define NPU_LIB_CONVERSION_SCHEDULE_MEMORYRANGES_H

#include "ListSchedule.h"

#include "llvm/ADT/SmallVector.h"

#include <map>

namespace npu {

/// Elements of memory at `offset + sum of index * stride`, each index from 0 up
/// to its extent. Offsets and strides are in elements.
struct StridedPart {
  int64_t elementBits = 8;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> extents, strides;

  bool isEmpty() const;
  /// The bytes from the first to the last element.
  std::pair<int64_t, int64_t> hull() const;
  /// Exactly the bytes of the elements, from `base` on, in whole runs.
  /// Precondition: it is not empty.
  void
  forEachRun(int64_t base,
             llvm::function_ref<void(int64_t begin, int64_t end)> run) const;
  bool operator==(const StridedPart &) const = default;
};

/// The rows that a new row has to wait for.
using Waits = llvm::SmallVectorImpl<RowId>;

/// One scratchpad.
class ScratchpadRows {
public:
  /// `row` reads the bytes: it waits for their writers, which `found` is told
  /// of, range by range. `queue` is the same for rows of one engine that are
  /// done one after the other, and negative for others.
  void read(int64_t begin, int64_t end, RowId row, int64_t queue, Waits &waits,
            llvm::function_ref<void(const ByteRange &)> found);
  /// `row` writes the bytes: it waits for those that wrote or have read them.
  void write(int64_t begin, int64_t end, RowId row, Waits &waits);

private:
  struct Reader {
    RowId row;
    int64_t queue;
  };
  struct Range {
    int64_t end = 0;
    RowId writer = kNoRow;
    llvm::SmallVector<Reader, 2> readers;
  };

  using Ranges = std::map<int64_t, Range>;

  /// Makes a range begin at `at`, if one reaches over it.
  Ranges::iterator splitAt(int64_t at);

  Ranges ranges;
};

/// A tensor in DDR.
class DdrRows {
public:
  void read(const StridedPart &part, RowId row, Waits &waits);
  void write(const StridedPart &part, RowId row, Waits &waits);

private:
  /// A part that a row reads or writes, with what every comparison asks for.
  struct Access {
    Access(const StridedPart &part, RowId row, size_t form);
    /// Whether no byte is in both, as far as that is easy to see: they lie
    /// apart in some dimension of equal strides, or altogether.
    bool liesApartFrom(const Access &other) const;

    StridedPart part;
    RowId row;
    std::pair<int64_t, int64_t> hull;
    /// The number of its strides and element width among those of the tensor.
    size_t form;
    /// The part's begin along each dimension; empty where strides do not nest.
    llvm::SmallVector<int64_t, 4> begins;
  };

  Access accessOf(const StridedPart &part, RowId row);

  std::vector<Access> written, readSince;
  std::vector<std::pair<int64_t, llvm::SmallVector<int64_t>>> forms;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_MEMORYRANGES_H
