// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches for a packing within a capacity, exactly: either finds one, or
// proves that there is none, or has done the work that it may do.
//
// Michael D. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
// Hardware-Accelerated Machine Learning" (ASPLOS 2023), has the frame: buffers
// rest on others, lower ones are placed first, what time separates is solved
// separately, each section of time has its lower bound, and several orders are
// tried. What differs is where the search branches: at the section that leaves
// the fewest choices, in any valley of what is placed, so that every choice of
// a section without slack is one of few buffers.

#ifndef NPU_LIB_PLACEMENT_SCRATCHPAD_PACKWITHIN_H
#define NPU_LIB_PLACEMENT_SCRATCHPAD_PACKWITHIN_H

#include "PartialPacking.h"

#include <optional>
#include <unordered_set>

namespace npu {

class PackWithin {
public:
  /// Precondition: no buffer has 0 bytes.
  explicit PackWithin(std::span<const Buffer> buffers);

  enum class Outcome { Fits, DoesNotFit, GaveUp };

  /// Searches until `workLimit` is reached by `work`.
  Outcome search(int64_t capacity, int64_t workLimit);

  /// The offsets that `search` has found.
  const std::vector<int64_t> &offsets() const { return found; }
  int64_t peak() const;

  /// After DoesNotFit: no packing has a smaller peak.
  int64_t leastPeak() const { return state.nextCapacity(); }

  /// The entries that all searches have looked at.
  int64_t work() const { return state.steps; }

private:
  struct Range {
    int begin;
    int end;
  };
  /// A set of unplaced buffers and the floors below them.
  struct Key {
    uint64_t low = 0;
    uint64_t high = 0;
    bool operator==(const Key &) const = default;
    void add(uint64_t what, uint64_t value);
  };
  struct KeyHash {
    size_t operator()(const Key &key) const { return key.low; }
  };
  /// Sections that no unplaced buffer leaves, and how far they are searched.
  struct Node {
    Range range;
    /// Of the state in which the node was begun; nothing where no other state
    /// had failed before that.
    std::optional<Key> key;
    /// Where the section's next buffer is chosen, or bytes are left unused.
    int section = -1;
    std::vector<int> candidates;
    size_t tried = 0;
    size_t beforeNode = 0;
    size_t beforeTry = 0;
    /// What remains after a choice, solved one after the other.
    std::vector<Range> parts;
    size_t solved = 0;
  };

  Outcome run(int64_t workLimit);
  bool enter(Range range);
  void chooseSection(Node &node);
  bool tryNext(Node &node);
  int64_t nextFloor(int section);
  int countSeams(int buffer, Range range) const;
  std::vector<Range> split(Range range);
  Key keyOf(Range range);
  void orderBy(int rule);

  std::span<const Buffer> buffers;
  Sections sections;
  PartialPacking state;
  /// The buffers, and each one's place in this order of preference.
  std::vector<int> order;
  std::vector<int> rank;
  /// Whether buffers that close a valley well are preferred to that order.
  bool prefersSeams = true;
  std::vector<Node> nodes;
  std::unordered_set<Key, KeyHash> failed;
  std::vector<int64_t> found;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_SCRATCHPAD_PACKWITHIN_H
