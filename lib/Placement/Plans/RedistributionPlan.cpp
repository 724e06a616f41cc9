// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes redistribution plans: pieces, their senders, and the figures with their
// bounds. Loads and stores are plans too, with the DDR as one more tile that
// holds, or needs, the whole tensor.

#include "npu/Placement/Plans/RedistributionPlan.h"

#include "../Boxes/BoxSets.h"
#include "AssignSenders.h"
#include "GridTransfers.h"
#include "MachinePieces.h"
#include "Pieces.h"
#include "SendPieces.h"

#include <algorithm>

namespace npu {
namespace {

using Boxes = std::vector<Box>;

/// Sorts so that boxes which differ only along `dim` stand side by side.
void sortForRuns(Boxes &boxes, std::size_t dim) {
  std::sort(boxes.begin(), boxes.end(), [&](const Box &a, const Box &b) {
    for (std::size_t other = 0; other < a.rank(); ++other)
      if (other != dim && a[other] != b[other])
        return std::pair(a[other].begin, a[other].end) <
               std::pair(b[other].begin, b[other].end);
    return a.rank() > 0 && a[dim].begin < b[dim].begin;
  });
}

bool continues(const Box &box, const Box &next, std::size_t dim) {
  for (std::size_t other = 0; other < box.rank(); ++other)
    if (other != dim && box[other] != next[other])
      return false;
  return box[dim].end == next[dim].begin;
}

/// Joins every run of boxes along `dim`. Returns whether any were joined.
bool joinRuns(Boxes &boxes, std::size_t dim) {
  sortForRuns(boxes, dim);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    if (continues(boxes[kept], boxes[i], dim))
      boxes[kept][dim].end = boxes[i][dim].end;
    else
      boxes[++kept] = boxes[i];
  }
  bool changed = kept + 1 < boxes.size();
  boxes.resize(kept + 1);
  return changed;
}

/// Joins so few boxes into the least number that a sequence of joins can reach.
constexpr std::size_t kVeryFew = 4;
void joinVeryFew(Boxes &boxes) {
  std::optional<Boxes> best;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      std::optional<Box> both = joined(boxes[i], boxes[j]);
      if (!both)
        continue;
      Boxes candidate = boxes;
      candidate[i] = *both;
      candidate.erase(candidate.begin() + j);
      joinVeryFew(candidate);
      if (!best || candidate.size() < best->size())
        best = std::move(candidate);
      if (best->size() == 1) {
        boxes = std::move(*best);
        return;
      }
    }
  if (best)
    boxes = std::move(*best);
}

bool anyTwoJoin(const Boxes &boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size(); ++j)
      if (joined(boxes[i], boxes[j]))
        return true;
  return false;
}

/// Joins boxes until no two of them are a box. The dimension along which boxes
/// are joined first decides how a part that is no box is divided: while there
/// are few boxes, each dimension is tried first, and the result with the fewest
/// boxes is kept.
void joinToFixpoint(Boxes &boxes) {
  if (boxes.size() <= kVeryFew) {
    joinVeryFew(boxes);
    return;
  }
  constexpr std::size_t kFew = 16;
  bool few = boxes.size() <= kFew;
  if (few && !anyTwoJoin(boxes))
    return;
  std::size_t rank = boxes.front().rank();
  Boxes best;
  for (std::size_t first = 0; first < (few ? rank : 1); ++first) {
    Boxes candidate = boxes;
    std::size_t unchanged = 0;
    for (std::size_t turn = first; unchanged < rank && candidate.size() > 1;
         ++turn)
      unchanged = joinRuns(candidate, turn % rank) ? 0 : unchanged + 1;
    if (best.empty() || candidate.size() < best.size())
      best = std::move(candidate);
    if (best.size() == 1)
      break;
  }
  if (!best.empty())
    boxes = std::move(best);
}

/// Joins pieces of equal `from` and `to` until the union of no two of them is a
/// box. Precondition: pieces of equal `from` and `to` are disjoint.
void mergePieces(std::vector<Piece> &pieces) {
  // Sort small keys, so that boxes are copied only when they can join.
  using Key = std::pair<uint64_t, uint32_t>;
  std::vector<Key> order(pieces.size());
  for (uint32_t i = 0; i < pieces.size(); ++i)
    order[i] = {uint64_t(pieces[i].from) << 32 | pieces[i].to, i};
  std::sort(order.begin(), order.end());
  if (std::adjacent_find(order.begin(), order.end(),
                         [](const Key &a, const Key &b) {
                           return a.first == b.first;
                         }) == order.end())
    return;

  std::vector<Piece> result;
  result.reserve(pieces.size());
  Boxes boxes;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const Piece &piece = pieces[order[begin].second];
    while (end < order.size() && order[end].first == order[begin].first)
      ++end;
    if (end - begin == 1) {
      result.push_back(piece);
      continue;
    }
    boxes.clear();
    for (std::size_t i = begin; i < end; ++i)
      boxes.push_back(pieces[order[i].second].box);
    joinToFixpoint(boxes);
    for (const Box &box : boxes)
      result.push_back({piece.from, piece.to, box});
  }
  pieces = std::move(result);
}

/// Pieces with one sending tile each, and the bound of the busiest sender.
struct Assigned {
  TileSets sets;
  std::vector<Piece> pieces;
  int64_t injectedBound = 0;
  int64_t maxTileSentBound = 0;
  int64_t betweenMachinesBound = 0;
};

Result<> checkRanks(const Placement &placement) {
  for (std::size_t tile = 0; tile < placement.tiles.size(); ++tile) {
    const Box &box = placement.tiles[tile].memory;
    if (!Box::whole(placement.shape).contains(box))
      return Error{"expected boxes inside shape " + toString(placement.shape) +
                   ", got memory box " + toString(box) + " on tile " +
                   std::to_string(tile)};
  }
  return Success();
}

/// Moves pieces of the real part to where their entries are among the padding.
void putAmongPadding(std::vector<Piece> &pieces,
                     std::span<const PaddedRange> padding) {
  std::vector<Piece> placed;
  placed.reserve(pieces.size());
  for (const Piece &piece : pieces)
    for (const Box &box : amongPadding(piece.box, padding))
      placed.push_back({piece.from, piece.to, box});
  pieces = std::move(placed);
}

} // namespace

Result<int64_t> sendPieces(std::vector<Piece> &pieces, const TileSets &sets,
                           std::size_t tileCount,
                           std::span<const PaddedRange> padding,
                           const Extents &multiples) {
  mergePieces(pieces);
  Result<int64_t> bound =
      assignSenders(pieces, sets, tileCount, AllowedCuts(multiples));
  if (!bound)
    return bound;
  if (!padding.empty())
    putAmongPadding(pieces, padding);
  // Pieces with different holders that got the same sender may form a box.
  mergePieces(pieces);
  return bound;
}

namespace {

/// Plans pieces from `holders` to `receivers`, each a box per tile (of
/// `tileCount` tiles) of the real part; the resulting pieces are boxes of the
/// padded tensor. `multiples` are those of the real part. Pieces go to tiles of
/// one machine each unless DDR sends them.
Result<Assigned> assign(std::span<const Box *const> holders,
                        std::span<const Box *const> receivers,
                        std::size_t tileCount,
                        std::span<const PaddedRange> padding,
                        const Extents &multiples, const TileMachines &machines,
                        bool isLoad = false) {
  Assigned result;
  PieceSearch search(result.sets, tileCount);
  for (std::size_t tile = 0; tile < holders.size(); ++tile)
    if (holders[tile])
      search.addHolder(static_cast<int>(tile), *holders[tile]);
  for (std::size_t tile = 0; tile < receivers.size(); ++tile)
    if (receivers[tile])
      search.addReceiver(static_cast<int>(tile), *receivers[tile]);
  Result<std::vector<Piece>> pieces = search.run();
  if (!pieces)
    return pieces.error();
  result.pieces = std::move(*pieces);
  if (machines.areSeveral()) {
    if (!isLoad)
      if (Result<> split = splitByMachine(result.pieces, result.sets, machines);
          !split)
        return split.error();
    result.betweenMachinesBound =
        leastBetweenMachines(result.pieces, result.sets, machines);
  }
  for (const Piece &piece : result.pieces)
    result.injectedBound += piece.box.volume();
  Result<int64_t> bound =
      sendPieces(result.pieces, result.sets, tileCount, padding, multiples);
  if (!bound)
    return bound.error();
  result.maxTileSentBound = *bound;
  return result;
}

/// The sorted transfers of the pieces. `ddr` is the tile number that stands for
/// the DDR.
std::vector<Transfer> makeTransfers(const Assigned &assigned, int ddr) {
  const std::vector<Piece> &pieces = assigned.pieces;
  auto tileOf = [&](int number) { return number == ddr ? kDdr : number; };
  std::vector<uint32_t> order(pieces.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  // Two transfers with the same sender and the same box go to two machines: the
  // elements are missing on one set of tiles of each, and sent there once.
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    int fromA = tileOf(static_cast<int>(pieces[a].from)),
        fromB = tileOf(static_cast<int>(pieces[b].from));
    if (fromA != fromB)
      return fromA < fromB;
    if (pieces[a].box != pieces[b].box)
      return lexicographicLess(pieces[a].box, pieces[b].box);
    return assigned.sets.first(pieces[a].to) <
           assigned.sets.first(pieces[b].to);
  });
  std::vector<Transfer> transfers(pieces.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Piece &piece = pieces[order[i]];
    Transfer &transfer = transfers[i];
    transfer.from = tileOf(static_cast<int>(piece.from));
    transfer.box = piece.box;
    transfer.to.reserve(assigned.sets.count(piece.to));
    assigned.sets.forEach(
        piece.to, [&](int tile) { transfer.to.push_back(tileOf(tile)); });
  }
  return transfers;
}

/// The multiples at which the real part may be cut. What stands after padding
/// has moved by its length, which keeps multiples or allows no cut.
Extents multiplesOfRealPart(const Extents &multiples, const Extents &shape,
                            std::span<const PaddedRange> padding) {
  Extents real = multiples;
  if (real.empty())
    return real;
  for (const auto &[dim, range] : padding)
    if (real[dim] != 0 && range.end != shape[dim] &&
        range.extent() % real[dim] != 0)
      real[dim] = 0;
  return real;
}

/// The real part of a placement: the placement itself, without a copy, where
/// there is no padding.
class RealSide {
public:
  RealSide(const Placement &placement, std::span<const PaddedRange> padding)
      : placement(&placement) {
    if (!padding.empty())
      cut = realPart(placement, padding);
  }
  const Placement &operator*() const { return cut ? *cut : *placement; }
  const Placement *operator->() const { return &**this; }

private:
  const Placement *placement;
  std::optional<Placement> cut;
};

/// The number of elements that tile t needs and does not hold: |D_t \ S_t|.
int64_t missingOn(std::size_t tile, const Placement &source,
                  const Placement &target) {
  const Box &wanted = target.tiles[tile].memory;
  if (tile >= source.tiles.size())
    return wanted.volume();
  return wanted.volume() -
         intersect(wanted, source.tiles[tile].memory).volume();
}

std::vector<const Box *> memoryBoxes(const Placement &placement) {
  std::vector<const Box *> boxes;
  boxes.reserve(placement.tiles.size());
  for (const TileBoxes &tile : placement.tiles)
    boxes.push_back(&tile.memory);
  return boxes;
}

/// Sets the figures of a plan from its transfers; callers set the bounds.
/// Loads and stores have no figures between tiles.
void measure(RedistributionPlan &plan, std::size_t tileCount,
             Machines machines) {
  std::vector<int64_t> sent(tileCount), received(tileCount);
  for (const Transfer &transfer : plan.transfers) {
    int64_t volume = transfer.box.volume();
    plan.betweenMachines.value +=
        volume * countCrossings(machines, transfer.from, transfer.to);
    if (transfer.from == kDdr || transfer.to.front() == kDdr) {
      plan.ddr += volume;
      continue;
    }
    sent[transfer.from] += volume;
    plan.injected.value += volume;
    plan.received.value += volume * static_cast<int64_t>(transfer.to.size());
    for (int tile : transfer.to)
      received[tile] += volume;
  }
  plan.maxTileSent.value = *std::max_element(sent.begin(), sent.end());
  plan.maxTileReceived.value =
      *std::max_element(received.begin(), received.end());
}

} // namespace

int64_t elementsMissing(const Placement &source, const Placement &target,
                        std::span<const PaddedRange> padding) {
  RealSide held(source, padding), wanted(target, padding);
  int64_t total = 0;
  for (std::size_t tile = 0; tile < target.tiles.size(); ++tile)
    total += missingOn(tile, *held, *wanted);
  return total;
}

namespace {

Result<> checkSide(const Placement &placement,
                   std::span<const PaddedRange> padding) {
  if (Result<> failure = checkRanks(placement); !failure)
    return failure;
  return checkPadding(padding, placement.shape);
}

/// Plans between real parts. Precondition: both placements are of the real
/// part.
Result<RedistributionPlan>
planReal(const Placement &source, const Placement &target,
         std::span<const PaddedRange> padding, const Extents &paddedShape,
         const Extents &multiples, Machines machines) {
  RedistributionPlan plan;
  std::vector<const Box *> receivers = memoryBoxes(target);
  for (std::size_t tile = 0; tile < target.tiles.size(); ++tile) {
    int64_t missing = missingOn(tile, source, target);
    if (missing == 0)
      receivers[tile] = nullptr;
    plan.received.bound += missing;
    plan.maxTileReceived.bound = std::max(plan.maxTileReceived.bound, missing);
  }
  if (plan.received.bound == 0)
    return plan;

  std::size_t tileCount = std::max(source.tiles.size(), target.tiles.size());
  if (keepsBoxes(padding, paddedShape))
    if (std::optional<GridTransfers> grids =
            GridTransfers::between(source, target, padding, machines)) {
      // Nothing is chosen, so that all plans are this one.
      plan.transfers = Transfers(*std::move(grids));
      measure(plan, tileCount, machines);
      for (Bounded *figure :
           {&plan.injected, &plan.maxTileSent, &plan.betweenMachines})
        figure->bound = figure->value;
      return plan;
    }
  Result<Assigned> assigned = assign(memoryBoxes(source), receivers, tileCount,
                                     padding, multiples, {machines});
  if (!assigned)
    return assigned.error();
  plan.injected.bound = assigned->injectedBound;
  plan.maxTileSent.bound = assigned->maxTileSentBound;
  plan.transfers = makeTransfers(*assigned, kDdr);
  measure(plan, tileCount, machines);
  plan.betweenMachines.bound = assigned->betweenMachinesBound;
  return plan;
}

Result<RedistributionPlan> planWithDdr(std::span<const Box *const> holders,
                                       std::span<const Box *const> receivers,
                                       std::size_t tileCount,
                                       std::span<const PaddedRange> padding,
                                       const Extents &multiples,
                                       Machines machines, bool isLoad) {
  int ddr = static_cast<int>(tileCount);
  Result<Assigned> assigned = assign(holders, receivers, tileCount + 1, padding,
                                     multiples, {machines, ddr}, isLoad);
  if (!assigned)
    return assigned.error();
  RedistributionPlan plan;
  plan.transfers = makeTransfers(*assigned, ddr);
  measure(plan, tileCount, machines);
  plan.betweenMachines.bound = assigned->betweenMachinesBound;
  return plan;
}

} // namespace

Result<RedistributionPlan>
planRedistribution(const Placement &source, const Placement &target,
                   std::span<const PaddedRange> padding,
                   const Extents &multiples, Machines machines) {
  if (source.shape != target.shape)
    return Error{"expected two placements of one shape, got shapes " +
                 toString(source.shape) + " and " + toString(target.shape)};
  for (const Placement *placement : {&source, &target})
    if (Result<> failure = checkSide(*placement, padding); !failure)
      return failure.error();
  return planReal(*RealSide(source, padding), *RealSide(target, padding),
                  padding, source.shape,
                  multiplesOfRealPart(multiples, source.shape, padding),
                  machines);
}

Result<> checkFewTransfers(const RedistributionPlan &plan) {
  if (plan.transfers.areListed())
    return Success();
  return tooManyTransfers(plan.transfers.size());
}

Result<RedistributionPlan> planLoad(const Placement &target,
                                    std::span<const PaddedRange> padding,
                                    Machines machines) {
  if (Result<> failure = checkSide(target, padding); !failure)
    return failure.error();
  RealSide real(target, padding);
  Box whole = Box::whole(real->shape);
  std::vector<const Box *> holders(real->tiles.size() + 1, nullptr);
  holders.back() = &whole;
  // The DDR alone sends, so that nothing is cut.
  return planWithDdr(holders, memoryBoxes(*real), real->tiles.size(), padding,
                     Extents(), machines, /*isLoad=*/true);
}

Result<RedistributionPlan> planStore(const Placement &source,
                                     std::span<const PaddedRange> padding,
                                     const Extents &multiples,
                                     Machines machines) {
  if (Result<> failure = checkSide(source, padding); !failure)
    return failure.error();
  RealSide real(source, padding);
  Box whole = Box::whole(real->shape);
  std::vector<const Box *> receivers(real->tiles.size() + 1, nullptr);
  receivers.back() = &whole;
  return planWithDdr(memoryBoxes(*real), receivers, real->tiles.size(), padding,
                     multiplesOfRealPart(multiples, source.shape, padding),
                     machines, /*isLoad=*/false);
}

} // namespace npu
