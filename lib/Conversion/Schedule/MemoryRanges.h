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
  /// The first and the last element.
  std::pair<int64_t, int64_t> span() const;
  /// The bytes from the first to the last element.
  std::pair<int64_t, int64_t> hull() const;
  /// Exactly the bytes of the elements, from `base` on, in whole runs.
  /// Precondition: it is not empty.
  void
  forEachRun(int64_t base,
             llvm::function_ref<void(int64_t begin, int64_t end)> run) const;
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

/// Parts of a tensor in DDR that have equal extents and strides, in the order
/// of their offsets, with the row that wrote each and those that have read it
/// since.
class EqualParts {
public:
  struct Rows {
    RowId writer = kNoRow;
    llvm::SmallVector<RowId, 1> readers;
  };

  explicit EqualParts(const StridedPart &part);

  /// Whether the part is one of them but for its offset.
  bool areLike(const StridedPart &part) const;
  Rows &operator[](int64_t offset) { return rows[offset]; }

  /// Those that share a byte with `part`, as far as that is easy to see: where
  /// strides are equal and nest, parts lie apart that do so in some dimension,
  /// and all parts do whose hulls do.
  void forEachOverlap(const StridedPart &part,
                      llvm::function_ref<void(const Rows &)> found) const;

private:
  using Begins = llvm::SmallVector<int64_t, 4>;

  /// The index of an offset along each dimension. Precondition: strides nest.
  Begins beginsOf(int64_t offset) const;
  int64_t offsetOf(const Begins &begins) const;
  void
  forEachInBox(const StridedPart &part,
               llvm::function_ref<void(int64_t, const Rows &)> found) const;

  /// Their form, at offset 0.
  StridedPart form;
  /// The first and the last element, at offset 0.
  std::pair<int64_t, int64_t> span;
  /// Whether each stride is a multiple of the next one, so that the order of
  /// offsets is that of indices.
  bool stridesNest;
  std::map<int64_t, Rows> rows;
};

/// A tensor in DDR.
class DdrRows {
public:
  void read(const StridedPart &part, RowId row, Waits &waits);
  void write(const StridedPart &part, RowId row, Waits &waits);

private:
  EqualParts::Rows &rowsOf(const StridedPart &part);

  std::vector<EqualParts> parts;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_MEMORYRANGES_H
