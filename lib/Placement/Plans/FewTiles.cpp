// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for pieces (Pieces.h) on few tiles, where sets of tiles are bits:
// of a region it knows by a few operations on bits who holds it, who needs it,
// and where it is cut. It finds the same pieces in the same order.

#include "npu/Placement/Plans/FewTiles.h"

#include "Pieces.h"
#include "SendPieces.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace npu {
namespace {

constexpr std::size_t kMostTiles = std::numeric_limits<TileMask>::digits;
/// More intervals of both sides together, parts of space between borders, or
/// pieces are left to the planner.
constexpr std::size_t kMostIntervals = 128, kMostParts = 4096,
                      kMostPieces = 128;
/// The pieces that a plan joins into one however they are cut: any division of
/// a box into so many boxes is undone by joining two of them after the other.
constexpr std::size_t kSurelyJoined = 4;

/// A part of space between borders along one dimension, and the tiles whose
/// boxes have it.
struct Part {
  int64_t begin, end;
  TileMask holders, receivers;
};

/// Parts along one dimension, the last one included.
struct Run {
  uint8_t first, last;

  std::size_t size() const { return last - first + 1u; }
};
/// Along the dimensions that are cut.
using Region = FixedVector<Run, kMaxRank>;

/// A region that the same tiles hold as a whole and miss as a whole.
struct Found {
  TileMask holders, missing;
  Region region;
};

class FewTilesSearch {
public:
  FewTilesSearch(const TileIntervals &source, const TileIntervals &target)
      : source(source), target(target) {}

  /// False where there are too many of anything, or nobody holds a piece.
  bool run() {
    if (source.rank() == 0 || !findParts())
      return false;
    findReceivers();
    if (receiving == 0)
      return true;
    Region region(cuts.size());
    for (std::size_t i = 0; i < cuts.size(); ++i)
      region[i] = hullOf(cuts[i]);
    list.reserve(kMostPieces / 4);
    return search(region);
  }

  std::span<const Found> found() const { return list; }

  Box boxOf(const Region &region) const {
    Box box = whole;
    for (std::size_t i = 0; i < cuts.size(); ++i)
      box[cuts[i].dim] = {cuts[i].parts[region[i].first].begin,
                          cuts[i].parts[region[i].last].end};
    return box;
  }
  int64_t volumeOf(const Region &region) const {
    int64_t volume = uncut;
    for (std::size_t i = 0; i < cuts.size(); ++i)
      volume *= cuts[i].parts[region[i].last].end -
                cuts[i].parts[region[i].first].begin;
    return volume;
  }

private:
  /// A dimension that is cut.
  struct CutDim {
    std::size_t dim;
    std::span<const Part> parts;
  };

  bool findParts() {
    std::size_t end = 0, product = 1;
    for (std::size_t dim = 0; dim < source.rank(); ++dim) {
      std::size_t first = end;
      const auto &held = source.along(dim), &wanted = target.along(dim);
      if (end + held.size() + wanted.size() > kMostIntervals)
        return false;
      int64_t at = 0;
      for (auto holder = held.begin(), receiver = wanted.begin();
           holder != held.end() && receiver != wanted.end();) {
        int64_t next = std::min(holder->end, receiver->end);
        parts[end++] = {at, next, holder->tiles, receiver->tiles};
        at = next;
        holder += holder->end == next;
        receiver += receiver->end == next;
      }
      whole.push_back({0, at});
      if (end == first + 1) {
        end = first;
        uncut *= at;
        holding &= parts[first].holders;
        needing &= parts[first].receivers;
        continue;
      }
      cuts.push_back({dim, std::span(parts).subspan(first, end - first)});
      product *= end - first;
      if (product > kMostParts)
        return false;
    }
    return true;
  }

  /// Only tiles that miss something receive.
  void findReceivers() {
    receiving = needing & ~holding;
    TileMask some = needing;
    for (const CutDim &cut : cuts) {
      TileMask along = 0;
      for (const Part &part : cut.parts) {
        along |= part.receivers;
        receiving |= part.receivers & ~part.holders;
      }
      some &= along;
    }
    receiving &= some;
  }

  Run hullOf(const CutDim &cut) const {
    std::size_t first = 0, last = cut.parts.size() - 1;
    while ((cut.parts[first].receivers & receiving) == 0)
      ++first;
    while ((cut.parts[last].receivers & receiving) == 0)
      --last;
    return {static_cast<uint8_t>(first), static_cast<uint8_t>(last)};
  }

  /// Tiles whose boxes contain a region, and tiles whose boxes overlap it.
  struct Sides {
    TileMask containHolders, containReceivers, overlapHolders, overlapReceivers;
  };

  Sides sidesOf(const Region &region) const {
    Sides sides{holding, receiving, holding, receiving};
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      // A box that has the first and the last part has all between.
      const Part &first = cuts[i].parts[region[i].first],
                 &last = cuts[i].parts[region[i].last];
      sides.containHolders &= first.holders & last.holders;
      sides.containReceivers &= first.receivers & last.receivers;
      TileMask holders = 0, receivers = 0;
      for (const Part *each = &first; each <= &last; ++each) {
        holders |= each->holders;
        receivers |= each->receivers;
      }
      sides.overlapHolders &= holders;
      sides.overlapReceivers &= receivers;
    }
    return sides;
  }

  /// Finds the pieces of a region as PieceSearch does.
  bool search(Region &region) {
    Sides sides = sidesOf(region);
    TileMask held = sides.containHolders,
             missing = sides.containReceivers & ~held,
             holders = sides.overlapHolders & ~held,
             receivers =
                 sides.overlapReceivers & ~sides.containReceivers & ~held;
    if (missing == 0 && receivers == 0)
      return true;
    if (holders == 0 && receivers == 0)
      return keep(held, missing, region);
    auto [along, middle] = cut(region, holders, receivers);
    Run run = region[along];
    region[along].last = static_cast<uint8_t>(middle - 1);
    bool isFound = search(region);
    region[along] = {middle, run.last};
    isFound = isFound && search(region);
    region[along] = run;
    return isFound;
  }

  bool keep(TileMask held, TileMask missing, const Region &region) {
    if (held == 0 || list.size() == kMostPieces)
      return false;
    list.push_back({held, missing, region});
    return true;
  }

  /// The cut dimension with the most borders of these boxes inside the region,
  /// and the part that begins at the median of these borders.
  std::pair<std::size_t, uint8_t> cut(const Region &region, TileMask holders,
                                      TileMask receivers) const {
    std::size_t along = 0;
    int most = 0;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      int borders = 0;
      for (std::size_t end : {region[i].first, region[i].last})
        borders += std::popcount(holders & ~cuts[i].parts[end].holders) +
                   std::popcount(receivers & ~cuts[i].parts[end].receivers);
      if (borders > most) {
        most = borders;
        along = i;
      }
    }
    int left = most / 2;
    std::size_t at = region[along].first;
    do {
      const Part &before = cuts[along].parts[at],
                 &after = cuts[along].parts[++at];
      left -= std::popcount(holders & (before.holders ^ after.holders)) +
              std::popcount(receivers & (before.receivers ^ after.receivers));
    } while (left >= 0);
    return {along, static_cast<uint8_t>(at)};
  }

  const TileIntervals &source, &target;
  std::array<Part, kMostIntervals> parts;
  FixedVector<CutDim, kMaxRank> cuts;
  /// What all tiles have along dimensions that are not cut: the elements, and
  /// the tiles that hold and need any. `whole` is all of the tensor.
  int64_t uncut = 1;
  TileMask holding = ~TileMask(0), needing = ~TileMask(0), receiving = 0;
  Box whole;
  std::vector<Found> list;
};

/// What one tile sends to the same others.
struct Sent {
  TileMask from, to;
  int64_t elements;
  std::size_t parts;
  Region hull;
};

/// The transfers of pieces that one tile holds each. Nothing where one has
/// several holders, or where it is not certain which of them a plan joins.
std::optional<SizedTransfers> joinedWithoutPlan(const FewTilesSearch &search) {
  FixedVector<Sent, SizedTransfers::capacity()> all;
  for (const Found &found : search.found()) {
    if (!std::has_single_bit(found.holders))
      return std::nullopt;
    std::size_t parts = 1;
    for (Run run : found.region)
      parts *= run.size();
    int64_t elements = search.volumeOf(found.region);
    auto known = std::find_if(all.begin(), all.end(), [&](const Sent &sent) {
      return sent.from == found.holders && sent.to == found.missing;
    });
    if (known == all.end()) {
      if (all.size() == all.capacity())
        return std::nullopt;
      all.push_back(
          {found.holders, found.missing, elements, parts, found.region});
      continue;
    }
    known->elements += elements;
    known->parts += parts;
    for (std::size_t dim = 0; dim < known->hull.size(); ++dim) {
      known->hull[dim].first =
          std::min(known->hull[dim].first, found.region[dim].first);
      known->hull[dim].last =
          std::max(known->hull[dim].last, found.region[dim].last);
    }
  }
  SizedTransfers transfers;
  for (const Sent &sent : all) {
    std::size_t parts = 1, alongCut = 0;
    for (Run run : sent.hull) {
      parts *= run.size();
      alongCut += run.size() > 1;
    }
    bool isOne =
        parts == sent.parts && (alongCut <= 1 || parts <= kSurelyJoined);
    if (!isOne)
      return std::nullopt;
    transfers.push_back({std::countr_zero(sent.from), sent.to, sent.elements});
  }
  return transfers;
}

TileSets::Id intern(TileSets &sets, TileMask tiles) {
  TileWord word{0, tiles};
  return sets.intern(std::span(&word, 1));
}

/// The transfers of any pieces, as a plan makes them.
std::optional<SizedTransfers> withSenders(const FewTilesSearch &search,
                                          std::size_t tileCount) {
  TileSets sets;
  std::vector<Piece> pieces;
  pieces.reserve(search.found().size());
  for (const Found &found : search.found()) {
    TileSets::Id holders = intern(sets, found.holders);
    pieces.push_back(
        {holders, intern(sets, found.missing), search.boxOf(found.region)});
  }
  if (!sendPieces(pieces, sets, tileCount, {}, {}) ||
      pieces.size() > SizedTransfers::capacity())
    return std::nullopt;
  SizedTransfers transfers;
  for (const Piece &piece : pieces) {
    TileMask to = 0;
    sets.forEach(piece.to, [&](int tile) { to |= TileMask(1) << tile; });
    transfers.push_back({static_cast<int>(piece.from), to, piece.box.volume()});
  }
  return transfers;
}

} // namespace

std::optional<TileIntervals> TileIntervals::of(const Placement &placement) {
  if (placement.tiles.size() > kMostTiles)
    return std::nullopt;
  TileIntervals result;
  result.tiles = placement.tiles.size();
  result.intervals =
      FixedVector<std::vector<Interval>, kMaxRank>(placement.shape.size(), {});
  for (std::size_t dim = 0; dim < placement.shape.size(); ++dim) {
    std::vector<Interval> &intervals = result.intervals[dim];
    intervals.push_back({placement.shape[dim], 0});
    for (const TileBoxes &tile : placement.tiles)
      if (!tile.memory.isEmpty())
        for (int64_t border : {tile.memory[dim].begin, tile.memory[dim].end})
          if (border > 0)
            intervals.push_back({border, 0});
    std::ranges::sort(intervals, {}, &Interval::end);
    auto same = std::ranges::unique(intervals, {}, &Interval::end);
    intervals.erase(same.begin(), same.end());
    for (std::size_t tile = 0; tile < result.tiles; ++tile) {
      const Box &box = placement.tiles[tile].memory;
      if (!box.isEmpty())
        for (Interval &interval : intervals)
          if (box[dim].begin < interval.end && interval.end <= box[dim].end)
            interval.tiles |= TileMask(1) << tile;
    }
  }
  return result;
}

std::optional<SizedTransfers> findTransfers(const TileIntervals &source,
                                            const TileIntervals &target) {
  FewTilesSearch search(source, target);
  // What nobody holds is the planner's to refuse.
  if (!search.run())
    return std::nullopt;
  if (std::optional<SizedTransfers> joined = joinedWithoutPlan(search))
    return joined;
  return withSenders(search, std::max(source.tileCount(), target.tileCount()));
}

} // namespace npu
