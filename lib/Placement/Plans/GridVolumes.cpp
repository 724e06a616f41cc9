// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GridVolumes.h"

#include "GridTransfers.h"
#include "Pieces.h"

#include <algorithm>
#include <bit>
#include <map>

namespace npu {
namespace {

void add(Volumes &volumes, int64_t elements, int64_t count) {
  if (count > 0)
    volumes.push_back({elements, count});
}

/// Sorts, and joins entries of equal elements.
void normalize(Volumes &volumes) {
  std::sort(volumes.begin(), volumes.end(),
            [](const EqualTransfers &a, const EqualTransfers &b) {
              return a.elements < b.elements;
            });
  std::size_t kept = 0;
  for (const EqualTransfers &each : volumes)
    if (kept > 0 && volumes[kept - 1].elements == each.elements)
      volumes[kept - 1].count += each.count;
    else
      volumes[kept++] = each;
  volumes.resize(kept);
}

void removeOne(Volumes &volumes, int64_t elements) {
  auto found = std::find_if(
      volumes.begin(), volumes.end(),
      [&](const EqualTransfers &each) { return each.elements == elements; });
  if (--found->count == 0)
    volumes.erase(found);
}

/// How long the parts are that a range has in common with others, which are
/// disjoint and in increasing order.
Volumes overlapsOf(Range range, const std::vector<Range> &others) {
  Volumes result;
  auto other = std::partition_point(
      others.begin(), others.end(),
      [&](const Range &each) { return each.end <= range.begin; });
  for (; other != others.end() && other->begin < range.end; ++other)
    add(result, intersect(range, *other).extent(), 1);
  normalize(result);
  return result;
}

/// What each cell of one grid has in common with the cells of another. Few
/// ranges along a dimension differ in what they have in common with others, so
/// that few cells do.
class Overlaps {
public:
  Overlaps(const CellGrid &grid, const CellGrid &other)
      : grid(grid), along(grid.rank()), kindOf(grid.rank()) {
    std::size_t kinds = 1;
    for (std::size_t dim = 0; dim < grid.rank(); ++dim) {
      std::map<Volumes, std::size_t> numberOf;
      for (const Range &range : grid.along(dim)) {
        auto [kind, isNew] = numberOf.try_emplace(
            overlapsOf(range, other.along(dim)), along[dim].size());
        if (isNew)
          along[dim].push_back(kind->first);
        kindOf[dim].push_back(kind->second);
      }
      kinds *= along[dim].size();
    }
    known.resize(kinds);
  }

  const Volumes &of(std::size_t cell) {
    std::size_t kind = 0;
    for (std::size_t dim = 0; dim < grid.rank(); ++dim)
      kind = kind * along[dim].size() + kindOf[dim][grid.place(cell, dim)];
    if (!known[kind])
      known[kind] = product(cell);
    return *known[kind];
  }

private:
  Volumes product(std::size_t cell) const {
    Volumes result{{1, 1}};
    for (std::size_t dim = 0; dim < grid.rank(); ++dim) {
      Volumes longer;
      for (const EqualTransfers &before : result)
        for (const EqualTransfers &next :
             along[dim][kindOf[dim][grid.place(cell, dim)]])
          add(longer, before.elements * next.elements,
              before.count * next.count);
      normalize(longer);
      result = std::move(longer);
    }
    return result;
  }

  const CellGrid &grid;
  /// What differs along each dimension, and which of these a range has.
  FixedVector<std::vector<Volumes>, kMaxRank> along;
  FixedVector<std::vector<std::size_t>, kMaxRank> kindOf;
  /// By the kinds of a cell along all dimensions, the last one fastest.
  std::vector<std::optional<Volumes>> known;
};

int64_t commonVolume(const CellGrid &a, std::size_t cellOfA, const CellGrid &b,
                     std::size_t cellOfB) {
  int64_t product = 1;
  for (std::size_t dim = 0; dim < a.rank(); ++dim)
    product *= intersect(a.range(cellOfA, dim), b.range(cellOfB, dim)).extent();
  return product;
}

/// The parts into which the borders of all boxes cut space. At most one more
/// than the planner's limit.
int64_t countParts(std::span<const CellGrid *const> sides) {
  int64_t parts = 1;
  for (std::size_t dim = 0; dim < sides[0]->rank(); ++dim) {
    int64_t along = 1;
    for (const CellGrid *side : sides)
      along += static_cast<int64_t>(side->along(dim).size()) - 1;
    parts *= along;
    if (parts > kMaxListed)
      return kMaxListed + 1;
  }
  return parts;
}

/// Whether the planner stays within its limits. It cuts space at borders, so
/// that each part lies in one box of each side. At every depth of its search it
/// compares at most the holders of these boxes for each part, twice; and a cut
/// halves the borders along one dimension, which bounds the depth. The sets of
/// holders and of receivers are fewer than three for each tile, and stay within
/// their limit.
bool staysWithinLimits(std::span<const CellGrid *const> sides) {
  int64_t depth = 1, holders = 1, tiles = 0;
  for (const CellGrid *side : sides) {
    holders += side->mostHolders();
    tiles += static_cast<int64_t>(side->tileCount());
  }
  int64_t halvings = std::bit_width(static_cast<uint64_t>(2 * tiles));
  for (std::size_t dim = 0; dim < sides[0]->rank(); ++dim)
    if (std::ranges::any_of(sides, [&](const CellGrid *side) {
          return side->along(dim).size() > 1;
        }))
      depth += halvings;
  int64_t parts = countParts(sides);
  return parts <= kMaxListed &&
         2 * depth * (parts * holders + tiles) <= kMaxSteps;
}

/// The transfers from DDR or to it: one for each box.
void countBoxes(const CellGrid &grid, Volumes &once,
                std::vector<Volumes> &byTile) {
  std::vector<int64_t> volumes(grid.cellCount());
  for (std::size_t cell = 0; cell < grid.cellCount(); ++cell)
    add(once, volumes[cell] = grid.volume(cell), 1);
  normalize(once);
  for (std::size_t tile = 0; tile < grid.tileCount(); ++tile)
    if (std::optional<std::size_t> cell = grid.cell(tile))
      add(byTile[tile], volumes[*cell], 1);
}

/// The error of more transfers than a program may have.
Result<> checkFew(const CellGrid &source, const CellGrid &target) {
  // Between few boxes there are few.
  if (static_cast<int64_t>(source.cellCount() * target.cellCount()) <=
      kMaxListed)
    return Success();
  std::size_t count = GridTransfers(source, target, {}, {}).count();
  if (count > static_cast<std::size_t>(kMaxListed))
    return tooManyTransfers(count);
  return Success();
}

/// Precondition: each cell of `source` has one holder.
TransferVolumes countBetween(const CellGrid &source, const CellGrid &target) {
  std::size_t tiles = std::max(source.tileCount(), target.tileCount());
  TransferVolumes result(tiles);
  Overlaps fromSource(source, target), fromTarget(target, source);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    std::optional<std::size_t> held = source.cell(tile),
                               wanted = target.cell(tile);
    // What a tile has it is not sent.
    int64_t own =
        held && wanted ? commonVolume(source, *held, target, *wanted) : 0;
    if (held) {
      result.sent[tile] = fromSource.of(*held);
      if (own > 0 && target.holderCount(*wanted) == 1)
        removeOne(result.sent[tile], own);
    }
    if (wanted) {
      result.received[tile] = fromTarget.of(*wanted);
      if (own > 0)
        removeOne(result.received[tile], own);
    }
  }
  return result;
}

} // namespace

std::optional<Result<TransferVolumes>>
volumesBetweenGrids(const Placement *source, const Placement *target) {
  std::optional<CellGrid> held, wanted;
  std::vector<const CellGrid *> sides;
  if (source) {
    held = coveringGrid(*source);
    if (!held || held->mostHolders() > 1)
      return std::nullopt;
    sides.push_back(&*held);
  }
  if (target) {
    wanted = coveringGrid(*target);
    if (!wanted)
      return std::nullopt;
    sides.push_back(&*wanted);
  }
  if (held && wanted) {
    if (Result<> few = checkFew(*held, *wanted); !few)
      return few.error();
    return countBetween(*held, *wanted);
  }
  if (!staysWithinLimits(sides))
    return std::nullopt;
  TransferVolumes result(sides[0]->tileCount());
  if (wanted)
    countBoxes(*wanted, result.loads, result.loaded);
  else
    countBoxes(*held, result.stores, result.stored);
  return result;
}

} // namespace npu
