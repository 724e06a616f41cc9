// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for pieces by recursive division of space at box borders.

#include "Pieces.h"

#include "npu/Placement/Plans/RedistributionPlan.h"

#include <algorithm>

namespace npu {

Error tooManyPieces(std::optional<std::size_t> count) {
  return {"expected at most " + std::to_string(kMaxListed) +
          " pieces to move, got " + (count ? std::to_string(*count) : "more")};
}

Error tooManyTransfers(std::size_t count) {
  return {"expected at most " + std::to_string(kMaxListed) +
          " transfers, got " + std::to_string(count)};
}

std::size_t TileSets::freeSlot(uint64_t hash) const {
  std::size_t slot = hash & (table.size() - 1);
  while (table[slot] != 0)
    slot = (slot + 1) & (table.size() - 1);
  return slot;
}

void TileSets::grow() {
  table.assign(std::max<std::size_t>(64, table.size() * 2), 0);
  for (Id set = 0; set < hashes.size(); ++set)
    table[freeSlot(hashes[set])] = set + 1;
}

TileSets::Id TileSets::intern(std::span<const TileWord> set) {
  if (2 * (hashes.size() + 1) > table.size())
    grow();
  uint64_t hash = 0;
  for (const TileWord &word : set) {
    hash = (hash ^ word.bits ^ word.index << 32) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  std::size_t slot = hash & (table.size() - 1);
  for (; table[slot] != 0; slot = (slot + 1) & (table.size() - 1))
    if (Id known = table[slot] - 1;
        hashes[known] == hash && std::ranges::equal(wordsOf(known), set))
      return known;
  storage.insert(storage.end(), set.begin(), set.end());
  begin.push_back(storage.size());
  hashes.push_back(hash);
  return (table[slot] = static_cast<Id>(hashes.size())) - 1;
}

void PieceSearch::add(int tile, const Box &box, bool holds) {
  if (box.isEmpty())
    return;
  live.push_back({&box, tile, holds});
  if (!holds)
    region = region.rank() == 0 ? box : hull(region, box);
}

Result<std::vector<Piece>> PieceSearch::run() {
  // Drop boxes outside of the hull of all receivers. Here they are compared
  // along every dimension; the search compares only along the one that it has
  // just cut.
  std::erase_if(live, [&](const Entry &entry) {
    return region.rank() != 0 && !overlap(*entry.box, region);
  });
  // These capacities suffice for plans of a few tiles, which are made by the
  // thousand.
  live.reserve(16 * live.size());
  pieces.reserve(std::min<std::size_t>(64, live.size() * live.size()));
  findCutDims();
  if (!live.empty())
    search(0, live.size(), 0);
  if (!outcome)
    return outcome.error();
  return std::move(pieces);
}

/// Finds the dimensions that are cut. Along all others, every box contains
/// every region.
void PieceSearch::findCutDims() {
  for (std::size_t dim = 0; dim < region.rank(); ++dim)
    if (std::any_of(live.begin(), live.end(), [&](const Entry &entry) {
          return (*entry.box)[dim].begin > region[dim].begin ||
                 (*entry.box)[dim].end < region[dim].end;
        }))
      cutDims.push_back(dim);
}

bool PieceSearch::containsRegion(const Box &box) const {
  for (std::size_t dim : cutDims)
    if (box[dim].begin > region[dim].begin || box[dim].end < region[dim].end)
      return false;
  return true;
}

bool PieceSearch::anyMissing() const {
  bool any = false;
  wanted.forEachWord([&](TileWord word) {
    any = (word.bits & ~held.word(word.index)) != 0;
    return !any;
  });
  return any;
}

/// Moves entries that contain the region to `full`, drops those that do not
/// meet it and copies the others to the top of the stack. Returns false when no
/// element of the region can be missing on a tile.
bool PieceSearch::classify(std::size_t first, std::size_t end,
                           std::size_t changedDim) {
  bool receivers = false;
  for (std::size_t i = first; i < end; ++i) {
    Entry entry = live[i];
    const Box &box = *entry.box;
    // Holders precede receivers in the list: a tile that holds the region
    // misses nothing of it.
    if (!entry.holds && held.contains(entry.tile))
      continue;
    if (region.rank() != 0 &&
        (box[changedDim].end <= region[changedDim].begin ||
         region[changedDim].end <= box[changedDim].begin))
      continue;
    if (containsRegion(box)) {
      (entry.holds ? held : wanted).insert(entry.tile);
      full.push_back(entry);
      continue;
    }
    live.push_back(entry);
    receivers |= !entry.holds;
  }
  return receivers || anyMissing();
}

bool PieceSearch::keepRegion() {
  holders.clear();
  held.forEachWord([&](TileWord word) {
    holders.add(word);
    return true;
  });
  missing.clear();
  wanted.forEachWord([&](TileWord word) {
    word.bits &= ~held.word(word.index);
    if (word.bits != 0)
      missing.add(word);
    return true;
  });
  if (holders.empty()) {
    outcome =
        Error{"expected every element on some tile, got none that holds " +
              toString(region)};
    return false;
  }
  if (static_cast<int64_t>(pieces.size()) == kMaxListed ||
      sets.storedWords() > kMaxSetWords) {
    outcome = tooManyPieces();
    return false;
  }
  pieces.push_back({sets.intern(holders), sets.intern(missing), region});
  return true;
}

/// Finds the pieces of the current region, whose entries are live[first ...
/// end). Returns false on failure.
bool PieceSearch::search(std::size_t first, std::size_t end,
                         std::size_t changedDim) {
  std::size_t liveBegin = live.size(), fullBegin = full.size();
  bool ok = true;
  steps += static_cast<int64_t>(end - first);
  if (steps > kMaxSteps) {
    outcome = Error{"expected placements that form grids or few parts, got "
                    "boxes too irregular to plan for"};
    ok = false;
  } else if (classify(first, end, changedDim)) {
    if (live.size() == liveBegin) {
      ok = keepRegion();
    } else {
      std::size_t liveEnd = live.size();
      auto [dim, position] = cut(liveBegin);
      Range whole = region[dim];
      region[dim] = {whole.begin, position};
      ok = search(liveBegin, liveEnd, dim);
      region[dim] = {position, whole.end};
      ok = ok && search(liveBegin, liveEnd, dim);
      region[dim] = whole;
    }
  }
  live.resize(liveBegin);
  for (; full.size() > fullBegin; full.pop_back()) {
    const Entry &entry = full.back();
    (entry.holds ? held : wanted).erase(entry.tile);
  }
  return ok;
}

/// The dimension with the most borders inside the region, and the median of
/// these borders.
std::pair<std::size_t, int64_t> PieceSearch::cut(std::size_t first) {
  FixedVector<int64_t, kMaxRank> counts(region.rank(), 0);
  for (std::size_t i = first; i < live.size(); ++i)
    for (std::size_t dim : cutDims) {
      const Range &range = (*live[i].box)[dim];
      counts[dim] +=
          (range.begin > region[dim].begin) + (range.end < region[dim].end);
    }
  std::size_t dim =
      std::max_element(counts.begin(), counts.end()) - counts.begin();
  borders.clear();
  for (std::size_t i = first; i < live.size(); ++i) {
    const Range &range = (*live[i].box)[dim];
    if (range.begin > region[dim].begin)
      borders.push_back(range.begin);
    if (range.end < region[dim].end)
      borders.push_back(range.end);
  }
  auto middle = borders.begin() + borders.size() / 2;
  std::nth_element(borders.begin(), middle, borders.end());
  return {dim, *middle};
}

} // namespace npu
