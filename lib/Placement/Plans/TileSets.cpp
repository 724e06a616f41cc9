// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table of bit sets.

#include "TileSets.h"

#include <algorithm>

namespace npu {

std::size_t TileSets::slotOf(const uint64_t *bits) const {
  uint64_t hash = 0;
  for (std::size_t word = 0; word < words; ++word) {
    hash = (hash ^ bits[word]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  std::size_t mask = table.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (table[slot] == 0)
      return slot;
    const uint64_t *other = storage.data() + (table[slot] - 1) * words;
    if (std::equal(bits, bits + words, other))
      return slot;
  }
}

void TileSets::grow() {
  table.assign(std::max<std::size_t>(64, table.size() * 2), 0);
  for (Id set = 0; set < setCount; ++set)
    table[slotOf(storage.data() + set * words)] = set + 1;
}

TileSets::Id TileSets::intern(const uint64_t *bits) {
  if (2 * (setCount + 1) > table.size())
    grow();
  std::size_t slot = slotOf(bits);
  if (table[slot] == 0) {
    storage.insert(storage.end(), bits, bits + words);
    table[slot] = static_cast<Id>(++setCount);
  }
  return table[slot] - 1;
}

} // namespace npu
