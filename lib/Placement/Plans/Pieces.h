// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces: the parts of a tensor that move, each held by one set of tiles and
// missing on another.

#ifndef NPU_LIB_PLACEMENT_PLANS_PIECES_H
#define NPU_LIB_PLACEMENT_PLANS_PIECES_H

#include "npu/Placement/Result.h"

#include "npu/Placement/Boxes/Box.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace npu {

/// The tiles 64 * index ... 64 * index + 63 that a set has, as bits.
struct TileWord {
  std::size_t index;
  uint64_t bits;

  friend bool operator==(const TileWord &, const TileWord &) = default;
};

/// A set of tiles: its words that are not empty, in increasing order. Most sets
/// are small, however many tiles there are.
class TileWords {
public:
  /// Precondition: the tile is greater than all others.
  void add(int tile) {
    auto index = static_cast<std::size_t>(tile) / 64;
    if (words.empty() || words.back().index != index)
      words.push_back({index, 0});
    words.back().bits |= uint64_t(1) << tile % 64;
  }
  void add(TileWord word) { words.push_back(word); }
  void clear() { words.clear(); }
  bool empty() const { return words.empty(); }
  operator std::span<const TileWord>() const { return words; }

private:
  std::vector<TileWord> words;
};

/// A set of the tiles 0 ... count - 1 that changes. Its words that are not
/// empty are found without looking at the others.
class TileBits {
public:
  explicit TileBits(std::size_t count)
      : words(count / 64 + 1), used(words.size() / 64 + 1) {}

  uint64_t word(std::size_t index) const { return words[index]; }
  bool contains(int tile) const { return words[tile / 64] >> tile % 64 & 1; }
  void insert(int tile) {
    std::size_t index = tile / 64;
    words[index] |= uint64_t(1) << tile % 64;
    used[index / 64] |= uint64_t(1) << index % 64;
  }
  void erase(int tile) {
    std::size_t index = tile / 64;
    words[index] &= ~(uint64_t(1) << tile % 64);
    if (words[index] == 0)
      used[index / 64] &= ~(uint64_t(1) << index % 64);
  }

  /// Calls `visit(word)` for each word that is not empty, until that is false.
  template <typename Visit>
  void forEachWord(Visit visit) const {
    for (std::size_t group = 0; group < used.size(); ++group)
      for (uint64_t rest = used[group]; rest != 0; rest &= rest - 1) {
        std::size_t index = group * 64 + std::countr_zero(rest);
        if (!visit(TileWord{index, words[index]}))
          return;
      }
  }

private:
  std::vector<uint64_t> words, used;
};

/// Sets of tiles, each stored once and identified by a small number. Thousands
/// of pieces share few sets of holders and receivers, and sets are compared by
/// their numbers.
class TileSets {
public:
  using Id = uint32_t;

  /// The words that all sets take together.
  std::size_t storedWords() const { return storage.size(); }

  Id intern(std::span<const TileWord> set);

  std::size_t count(Id set) const {
    std::size_t total = 0;
    for (const TileWord &word : wordsOf(set))
      total += std::popcount(word.bits);
    return total;
  }

  /// The tile of a set of one.
  std::optional<int> onlyTile(Id set) const {
    std::span<const TileWord> all = wordsOf(set);
    if (all.size() != 1 || !std::has_single_bit(all[0].bits))
      return std::nullopt;
    return static_cast<int>(all[0].index * 64 + std::countr_zero(all[0].bits));
  }

  /// The first tile of a set that has any.
  int first(Id set) const {
    const TileWord &word = wordsOf(set).front();
    return static_cast<int>(word.index * 64 + std::countr_zero(word.bits));
  }

  /// Calls `visit(tile)` for each tile of a set in increasing order.
  template <typename Visit>
  void forEach(Id set, Visit visit) const {
    for (const TileWord &word : wordsOf(set))
      for (uint64_t rest = word.bits; rest != 0; rest &= rest - 1)
        visit(static_cast<int>(word.index * 64 + std::countr_zero(rest)));
  }

private:
  std::span<const TileWord> wordsOf(Id set) const {
    return std::span(storage).subspan(begin[set], begin[set + 1] - begin[set]);
  }
  void grow();
  std::size_t freeSlot(uint64_t hash) const;

  std::vector<TileWord> storage;
  /// Where the words of each set begin, and the end of the last.
  std::vector<std::size_t> begin{0};
  std::vector<uint64_t> hashes;
  /// A hash table with open addressing: an entry is a set's number + 1, or 0.
  std::vector<Id> table;
};

/// The most comparisons of boxes in one search (about a second), and the most
/// words that sets of tiles may have. Beyond them, placements count
/// as too irregular.
inline constexpr int64_t kMaxSteps = int64_t(1) << 28;
inline constexpr std::size_t kMaxSetWords = std::size_t(1) << 24;

/// The errors of more pieces, or transfers, than `kMaxListed`. Where the search
/// ends early nobody knows how many there are.
Error tooManyPieces(std::optional<std::size_t> count = std::nullopt);
Error tooManyTransfers(std::size_t count);

struct Piece {
  /// The set of tiles that hold the piece; after a sender is chosen, that tile.
  uint32_t from = 0;
  /// The set of tiles that miss it.
  TileSets::Id to = 0;
  Box box;
};

/// Divides space at box borders until every part is held as a whole by one set
/// of tiles and missing on another. Only parts that are missing somewhere are
/// kept, and a region is cut only at borders inside of it.
class PieceSearch {
public:
  /// Of the tiles 0 ... count - 1.
  PieceSearch(TileSets &sets, std::size_t count)
      : sets(sets), held(count), wanted(count) {}

  /// Add the box that a tile holds or needs. All holders have to be added
  /// before all receivers. The boxes are kept by reference.
  void addHolder(int tile, const Box &box) { add(tile, box, true); }
  void addReceiver(int tile, const Box &box) { add(tile, box, false); }

  /// Finds the pieces. Errors: an element that is missing on a tile and held by
  /// none; more than kMaxListed pieces.
  Result<std::vector<Piece>> run();

  /// How often a box was compared with a region so far.
  int64_t comparisons() const { return steps; }

private:
  struct Entry {
    const Box *box;
    int tile;
    bool holds;
  };

  void add(int tile, const Box &box, bool holds);
  bool search(std::size_t first, std::size_t end, std::size_t changedDim);
  bool keepRegion();
  bool classify(std::size_t first, std::size_t end, std::size_t changedDim);
  bool anyMissing() const;
  void findCutDims();
  bool containsRegion(const Box &box) const;
  std::pair<std::size_t, int64_t> cut(std::size_t first);

  TileSets &sets;
  /// Entries that contain a part of the region, as a stack of segments: one for
  /// each level of the search.
  std::vector<Entry> live;
  /// Entries that contain the whole region, as a stack.
  std::vector<Entry> full;
  /// The tiles of the entries in `full`: holders and receivers.
  TileBits held, wanted;
  TileWords holders, missing;
  Box region;
  /// The dimensions with borders inside the root region.
  FixedVector<std::size_t, kMaxRank> cutDims;
  std::vector<int64_t> borders;
  std::vector<Piece> pieces;
  int64_t steps = 0;
  Result<> outcome = Success();
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_PIECES_H
