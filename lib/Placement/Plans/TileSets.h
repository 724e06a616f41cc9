// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of tiles, each stored once and identified by a small number. Thousands
// of pieces share few sets of holders and receivers, and sets are compared by
// their numbers.

#ifndef NPU_LIB_PLACEMENT_PLANS_TILESETS_H
#define NPU_LIB_PLACEMENT_PLANS_TILESETS_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace npu {

class TileSets {
public:
  using Id = uint32_t;

  /// An empty table for sets of the tiles 0 ... count - 1.
  explicit TileSets(std::size_t count) : words((count + 63) / 64) {}

  std::size_t wordsPerSet() const { return words; }
  /// The number of sets, which are numbered from 0.
  std::size_t size() const { return setCount; }

  Id intern(const uint64_t *bits);
  std::span<const uint64_t> bits(Id set) const {
    return {storage.data() + set * words, words};
  }
  std::size_t count(Id set) const {
    std::size_t total = 0;
    for (uint64_t word : bits(set))
      total += std::popcount(word);
    return total;
  }

  /// Calls `visit(tile)` for each tile of a set in increasing order.
  template <typename Visit>
  void forEach(Id set, Visit visit) const {
    for (std::size_t word = 0; word < words; ++word)
      for (uint64_t rest = bits(set)[word]; rest != 0; rest &= rest - 1)
        visit(static_cast<int>(word * 64 + std::countr_zero(rest)));
  }

private:
  void grow();
  std::size_t slotOf(const uint64_t *bits) const;

  std::size_t words;
  std::size_t setCount = 0;
  std::vector<uint64_t> storage;
  /// A hash table with open addressing: an entry is a set's number + 1, or 0.
  std::vector<Id> table;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_TILESETS_H
