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

/// Sets of tiles, each stored once and identified by a small number. Thousands
/// of pieces share few sets of holders and receivers, and sets are compared by
/// their numbers. Most sets are small, however many tiles there are: only words
/// of 64 tiles that have one are stored.
class TileSets {
public:
  using Id = uint32_t;

  /// An empty table for sets of the tiles 0 ... count - 1.
  explicit TileSets(std::size_t count) : words((count + 63) / 64) {}

  /// The words of a set that is given to `intern`.
  std::size_t wordsPerSet() const { return words; }
  /// The words that all sets take together.
  std::size_t storedWords() const { return storage.size(); }

  Id intern(const uint64_t *bits);

  std::size_t count(Id set) const {
    std::size_t total = 0;
    for (const Word &word : wordsOf(set))
      total += std::popcount(word.bits);
    return total;
  }

  /// The tile of a set of one.
  std::optional<int> onlyTile(Id set) const {
    std::span<const Word> all = wordsOf(set);
    if (all.size() != 1 || !std::has_single_bit(all[0].bits))
      return std::nullopt;
    return static_cast<int>(all[0].index * 64 + std::countr_zero(all[0].bits));
  }

  /// The first tile of a set that has any.
  int first(Id set) const {
    const Word &word = wordsOf(set).front();
    return static_cast<int>(word.index * 64 + std::countr_zero(word.bits));
  }

  /// Calls `visit(tile)` for each tile of a set in increasing order.
  template <typename Visit>
  void forEach(Id set, Visit visit) const {
    for (const Word &word : wordsOf(set))
      for (uint64_t rest = word.bits; rest != 0; rest &= rest - 1)
        visit(static_cast<int>(word.index * 64 + std::countr_zero(rest)));
  }

private:
  /// The tiles 64 * index ... 64 * index + 63, of which there is at least one.
  struct Word {
    std::size_t index;
    uint64_t bits;
  };

  std::span<const Word> wordsOf(Id set) const {
    return std::span(storage).subspan(begin[set], begin[set + 1] - begin[set]);
  }
  void grow();
  std::size_t freeSlot(uint64_t hash) const;
  bool equals(Id set, uint64_t hash, const uint64_t *bits,
              std::size_t used) const;

  std::size_t words;
  std::vector<Word> storage;
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

/// The error of a plan with more than `kMaxPlanPieces` pieces.
Error tooManyPieces();

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
  explicit PieceSearch(TileSets &sets)
      : sets(sets), held(sets.wordsPerSet()), wanted(sets.wordsPerSet()),
        missing(sets.wordsPerSet()) {}

  /// Add the box that a tile holds or needs. All holders have to be added
  /// before all receivers. The boxes are kept by reference.
  void addHolder(int tile, const Box &box) { add(tile, box, true); }
  void addReceiver(int tile, const Box &box) { add(tile, box, false); }

  /// Finds the pieces. Errors: an element that is missing on a tile and held by
  /// none; more than kMaxPlanPieces pieces.
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
  /// The tiles of the entries in `full`, as bits: holders and receivers.
  std::vector<uint64_t> held, wanted;
  std::vector<uint64_t> missing;
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
