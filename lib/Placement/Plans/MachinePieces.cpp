// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MachinePieces.h"

namespace npu {
namespace {

/// The part of a piece that goes to one machine, without its box.
struct Part {
  std::vector<uint64_t> holders, receivers;
  /// Whether a tile of that machine holds it.
  bool isHeldThere = false;
};

/// Finds the parts of pieces. Pieces with the same sets, which are often side
/// by side, have the same ones.
class PartsOfPieces {
public:
  PartsOfPieces(const TileSets &sets, const TileMachines &machines)
      : sets(sets), machines(machines) {}

  const std::vector<Part> &of(const Piece &piece) {
    if (!parts.empty() && piece.from == from && piece.to == to)
      return parts;
    from = piece.from;
    to = piece.to;
    parts.clear();
    int64_t machine = -1;
    sets.forEach(to, [&](int tile) {
      if (parts.empty() || machines.of(tile) != machine) {
        machine = machines.of(tile);
        parts.push_back(partTo(machine));
      }
      setBit(parts.back().receivers, tile);
    });
    return parts;
  }

private:
  static void setBit(std::vector<uint64_t> &bits, int tile) {
    bits[tile / 64] |= uint64_t(1) << tile % 64;
  }

  Part partTo(int64_t machine) const {
    Part part;
    part.holders.assign(sets.wordsPerSet(), 0);
    part.receivers = part.holders;
    sets.forEach(from, [&](int tile) {
      if (machines.of(tile) != machine)
        return;
      setBit(part.holders, tile);
      part.isHeldThere = true;
    });
    if (!part.isHeldThere)
      sets.forEach(from, [&](int tile) { setBit(part.holders, tile); });
    return part;
  }

  const TileSets &sets;
  const TileMachines &machines;
  TileSets::Id from = 0, to = 0;
  std::vector<Part> parts;
};

} // namespace

int64_t leastBetweenMachines(const std::vector<Piece> &pieces,
                             const TileSets &sets,
                             const TileMachines &machines) {
  PartsOfPieces partsOf(sets, machines);
  int64_t sum = 0;
  for (const Piece &piece : pieces)
    for (const Part &part : partsOf.of(piece))
      if (!part.isHeldThere)
        sum += piece.box.volume();
  return sum;
}

Result<> splitByMachine(std::vector<Piece> &pieces, TileSets &sets,
                        const TileMachines &machines) {
  PartsOfPieces partsOf(sets, machines);
  std::vector<Piece> result;
  result.reserve(pieces.size());
  for (const Piece &piece : pieces) {
    for (const Part &part : partsOf.of(piece))
      result.push_back({sets.intern(part.holders.data()),
                        sets.intern(part.receivers.data()), piece.box});
    if (result.size() > static_cast<std::size_t>(kMaxPlanPieces) ||
        sets.storedWords() > kMaxSetWords)
      return tooManyPieces();
  }
  pieces = std::move(result);
  return Success();
}

} // namespace npu
