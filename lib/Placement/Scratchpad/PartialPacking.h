// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some buffers placed from offset 0 upwards, and what follows for the others:
// where each can begin at the lowest, and whether the capacity can still be
// kept. Every change can be taken back.

#ifndef NPU_LIB_PLACEMENT_SCRATCHPAD_PARTIALPACKING_H
#define NPU_LIB_PLACEMENT_SCRATCHPAD_PARTIALPACKING_H

#include <limits>

#include "npu/Placement/Scratchpad/PackBuffers.h"

namespace npu {

/// Cuts time into the sections that matter to a packing: each is a step at
/// which a largest set of buffers is in use, so that two buffers are in use
/// together exactly where a section has both.
class Sections {
public:
  explicit Sections(std::span<const Buffer> buffers);

  int count() const { return static_cast<int>(startBegins.size()) - 1; }

  /// The sections in which a buffer is in use are `first(b)` to `end(b) - 1`.
  int first(int buffer) const { return firsts[buffer]; }
  int end(int buffer) const { return ends[buffer]; }
  bool has(int section, int buffer) const {
    return firsts[buffer] <= section && section < ends[buffer];
  }

  /// The buffers whose first section this is.
  std::span<const int> starting(int section) const {
    return std::span(starts).subspan(
        startBegins[section], startBegins[section + 1] - startBegins[section]);
  }

  /// The number of pairs of a section and a buffer that is in use in it.
  int64_t uses() const;

private:
  std::vector<int> firsts;
  std::vector<int> ends;
  std::vector<int> starts;
  std::vector<int> startBegins;
};

class PartialPacking {
public:
  /// Precondition: no buffer has 0 bytes.
  PartialPacking(std::span<const Buffer> buffers, const Sections &sections);

  /// Takes everything back and begins anew. Returns false where a lower bound
  /// exceeds the capacity.
  bool begin(int64_t capacity);

  /// Places a buffer at its lowest offset. Returns false where the capacity can
  /// no longer be kept. Precondition: no unplaced buffer can lie below it.
  bool place(int buffer);

  /// Leaves bytes of a section unused: no unplaced buffer of it begins below
  /// `offset`. Returns false where the capacity can no longer be kept.
  bool leave(int section, int64_t offset);

  /// What has been done so far, for `takeBack`.
  size_t mark() const { return trail.size(); }
  void takeBack(size_t mark);

  bool isPlaced(int buffer) const { return placed[buffer]; }
  /// The lowest offset at which the buffer can begin; where it is placed, its
  /// offset.
  int64_t lowest(int buffer) const { return lowests[buffer]; }
  /// The bytes of a buffer, rounded up to the smallest alignment.
  int64_t bytesOf(int buffer) const { return rounded[buffer]; }
  /// No unplaced buffer of the section begins below.
  int64_t floor(int section) const { return floors[section]; }
  /// The bytes of the section's unplaced buffers.
  int64_t unplaced(int section) const { return remaining[section]; }
  /// The bytes that the section can still leave unused.
  int64_t slack(int section) const {
    return roundedCapacity - floors[section] - remaining[section];
  }
  /// How many buffers can be the section's next, plus one where it can leave
  /// bytes unused instead.
  int countChoices(int section);
  /// The buffers in use in the section, placed ones too, in any order.
  std::span<const int> buffersOf(int section) const {
    return std::span(inUse).subspan(begins[section],
                                    begins[section + 1] - begins[section]);
  }
  /// How often the section has exceeded the capacity, plus one.
  int64_t failures(int section) const { return failed[section]; }

  /// The least number above the capacity that some bound has needed since the
  /// capacity was set: with less, a search fails in the same way.
  int64_t nextCapacity() const { return next; }
  /// Notes that with this capacity more could be tried.
  void needs(int64_t bytes);

  /// Counts work: entries that were looked at.
  int64_t steps = 0;

private:
  struct Change {
    enum { Floor, Lowest, Placed } what;
    int index;
    int64_t before;
  };
  bool propagate();
  bool propagate(int section);
  bool keepsBuffers(int section);
  bool keepsOrder(int section);
  void setFloor(int section, int64_t offset);
  void raise(int buffer, int64_t offset);
  void markDirty(int buffer);
  void forgetChoices(int buffer);
  void sortByLowest(int section);
  bool fail(int section);

  std::span<const Buffer> buffers;
  const Sections &sections;
  int64_t granule = 1;
  int64_t capacity = -1;
  int64_t roundedCapacity = 0;
  int64_t next = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> rounded;
  /// The buffers of each section.
  std::vector<int> inUse;
  std::vector<size_t> begins;
  std::vector<int64_t> floors;
  std::vector<int64_t> remaining;
  std::vector<int64_t> lowests;
  std::vector<char> placed;
  std::vector<int64_t> failed;
  /// What `countChoices` has counted; -1 where something has changed since.
  std::vector<int> choices;
  std::vector<Change> trail;
  /// The sections with a buffer whose lowest offset has changed, which lie in
  /// dirtyBegin to dirtyEnd - 1.
  std::vector<char> dirty;
  int dirtyBegin = 0;
  int dirtyEnd = 0;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_SCRATCHPAD_PARTIALPACKING_H
