// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MachinePieces.h"

#include <algorithm>
#include <unordered_map>

namespace npu {
namespace {

/// The tiles of a set that are on one machine.
struct Part {
  int64_t machine;
  TileWords tiles;
};

std::vector<Part> partsOf(TileSets::Id set, const TileSets &sets,
                          const TileMachines &machines) {
  std::vector<Part> parts;
  sets.forEach(set, [&](int tile) {
    int64_t machine = machines.of(tile);
    if (parts.empty() || parts.back().machine != machine)
      parts.push_back({machine, {}});
    parts.back().tiles.add(tile);
  });
  return parts;
}

/// The tiles of each machine that hold a piece. Many pieces have the same
/// holders.
class HoldersOnMachines {
public:
  HoldersOnMachines(TileSets &sets, const TileMachines &machines)
      : sets(sets), machines(machines) {}

  /// Nothing where no tile of the machine holds it.
  std::optional<TileSets::Id> of(TileSets::Id holders, int64_t machine) {
    auto [found, isNew] = known.try_emplace(holders);
    if (isNew)
      for (const Part &part : partsOf(holders, sets, machines))
        found->second.push_back({part.machine, sets.intern(part.tiles)});
    auto at = std::ranges::lower_bound(
        found->second, machine, {}, &std::pair<int64_t, TileSets::Id>::first);
    if (at == found->second.end() || at->first != machine)
      return std::nullopt;
    return at->second;
  }

private:
  TileSets &sets;
  const TileMachines &machines;
  std::unordered_map<TileSets::Id,
                     std::vector<std::pair<int64_t, TileSets::Id>>>
      known;
};

/// How many pieces there are when each goes to one machine.
std::size_t countParts(const std::vector<Piece> &pieces, const TileSets &sets,
                       const TileMachines &machines) {
  std::size_t count = 0;
  for (const Piece &piece : pieces) {
    int64_t last = -1;
    sets.forEach(piece.to, [&](int tile) {
      count += machines.of(tile) != last;
      last = machines.of(tile);
    });
  }
  return count;
}

} // namespace

int64_t leastBetweenMachines(const std::vector<Piece> &pieces, TileSets &sets,
                             const TileMachines &machines) {
  HoldersOnMachines holders(sets, machines);
  int64_t sum = 0;
  for (const Piece &piece : pieces)
    for (const Part &part : partsOf(piece.to, sets, machines))
      if (!holders.of(piece.from, part.machine))
        sum += piece.box.volume();
  return sum;
}

Result<> splitByMachine(std::vector<Piece> &pieces, TileSets &sets,
                        const TileMachines &machines) {
  std::size_t count = countParts(pieces, sets, machines);
  if (count > static_cast<std::size_t>(kMaxListed))
    return tooManyPieces(count);
  HoldersOnMachines holders(sets, machines);
  std::vector<Piece> result;
  result.reserve(count);
  for (const Piece &piece : pieces) {
    for (const Part &part : partsOf(piece.to, sets, machines))
      result.push_back(
          {holders.of(piece.from, part.machine).value_or(piece.from),
           sets.intern(part.tiles), piece.box});
    if (sets.storedWords() > kMaxSetWords)
      return tooManyPieces();
  }
  pieces = std::move(result);
  return Success();
}

} // namespace npu
