// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing senders. Pieces that one tile alone holds decide themselves; for the
// rest the least possible maximum is a flow, and three ways to stay within it
// are tried from the one with the fewest cuts: none at all, cuts between whole
// slices of every box, cuts anywhere.

#include "AssignSenders.h"

#include "CutPieces.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace npu {
namespace {

/// (group, sender) pairs that a flow may have: some 500 MB of working memory.
constexpr std::size_t kMaxEdges = std::size_t(1) << 24;

class Assignment {
public:
  Assignment(std::vector<Piece> &pieces, const TileSets &sets,
             std::size_t tileCount)
      : pieces(pieces), sets(sets) {
    problem.forced.assign(tileCount, 0);
  }

  Result<int64_t> run() {
    takeForced();
    if (free.empty())
      return *std::max_element(problem.forced.begin(), problem.forced.end());
    if (Check failure = makeGroups())
      return *failure;
    SenderFlow flow(problem);
    limit = leastBusiest(problem, flow);
    if (!assignWhole() && !assignBySlices())
      assignShares(flow.shares());
    return limit;
  }

private:
  /// Keeps the pieces with one holder, whose sets become tiles, and moves the
  /// others to `free`.
  void takeForced() {
    std::size_t kept = 0;
    for (Piece &piece : pieces) {
      std::span<const uint64_t> bits = sets.bits(piece.from);
      std::size_t holders = 0;
      int holder = 0;
      for (std::size_t word = 0; word < bits.size() && holders < 2; ++word)
        if (bits[word] != 0) {
          holder = static_cast<int>(word * 64 + std::countr_zero(bits[word]));
          holders += std::popcount(bits[word]);
        }
      if (holders > 1) {
        free.push_back(piece);
        continue;
      }
      problem.forced[holder] += piece.box.volume();
      pieces[kept] = piece;
      pieces[kept++].from = static_cast<uint32_t>(holder);
    }
    pieces.resize(kept);
  }

  Check makeGroups() {
    std::vector<std::pair<uint64_t, uint32_t>> order(free.size());
    for (uint32_t i = 0; i < free.size(); ++i)
      order[i] = {uint64_t(free[i].from) << 32 | free[i].to, i};
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Piece &piece = free[order[i].second];
      if (i == 0 || piece.from != groupPieces.back().back().from) {
        groupPieces.emplace_back();
        problem.weight.push_back(0);
        sets.forEach(piece.from,
                     [&](int tile) { problem.holder.push_back(tile); });
        problem.edgeBegin.push_back(
            static_cast<uint32_t>(problem.holder.size()));
        if (problem.holder.size() > kMaxEdges)
          return Error{"expected at most " + std::to_string(kMaxEdges) +
                       " pairs of a piece and a tile that holds it, got more"};
      }
      groupPieces.back().push_back(piece);
      problem.weight.back() += piece.box.volume();
    }
    return std::nullopt;
  }

  /// Gives every piece whole to its least busy holder, largest pieces first.
  bool assignWhole() {
    struct Item {
      int64_t negatedVolume;
      uint32_t group;
      uint32_t piece;

      auto operator<=>(const Item &) const = default;
    };
    std::vector<Item> items;
    items.reserve(free.size());
    for (uint32_t group = 0; group < groupPieces.size(); ++group)
      for (uint32_t i = 0; i < groupPieces[group].size(); ++i)
        items.push_back({-groupPieces[group][i].box.volume(), group, i});
    std::sort(items.begin(), items.end());
    std::vector<int64_t> sent = problem.forced;
    std::vector<Piece> assigned;
    assigned.reserve(items.size());
    for (const Item &item : items) {
      auto begin = problem.holder.begin() + problem.edgeBegin[item.group];
      auto end = problem.holder.begin() + problem.edgeBegin[item.group + 1];
      int tile = *std::min_element(
          begin, end, [&](int a, int b) { return sent[a] < sent[b]; });
      sent[tile] -= item.negatedVolume;
      if (sent[tile] > limit)
        return false;
      assigned.push_back(groupPieces[item.group][item.piece]);
      assigned.back().from = static_cast<uint32_t>(tile);
    }
    pieces.insert(pieces.end(), assigned.begin(), assigned.end());
    return true;
  }

  /// Counts in slices that suit every box, when there are such: then no border
  /// needs rounding.
  bool assignBySlices() {
    int64_t unit = 1;
    for (const std::vector<Piece> &line : groupPieces)
      for (const Piece &piece : line) {
        int64_t longest = 1;
        for (const Range &range : piece.box)
          longest = std::max(longest, range.extent());
        int64_t slice = piece.box.volume() / longest;
        if (__builtin_mul_overflow(unit / std::gcd(unit, slice), slice, &unit))
          return false;
      }
    if (unit == 1)
      return false;
    for (const std::vector<Piece> &line : groupPieces)
      for (const Piece &piece : line)
        if (piece.box.volume() % unit != 0)
          return false;
    SenderFlow flow(problem, unit);
    if (!flow.route(limit))
      return false;
    assignShares(flow.shares());
    return true;
  }

  void assignShares(std::vector<int64_t> shares) {
    cancelCycles(problem, shares);
    std::vector<Piece> parts = cutPieces(
        problem, shares, orderGroups(problem, shares), groupPieces, limit);
    pieces.insert(pieces.end(), parts.begin(), parts.end());
  }

  std::vector<Piece> &pieces;
  const TileSets &sets;
  std::vector<Piece> free;
  std::vector<std::vector<Piece>> groupPieces;
  SenderProblem problem;
  int64_t limit = 0;
};

} // namespace

Result<int64_t> assignSenders(std::vector<Piece> &pieces, const TileSets &sets,
                              std::size_t tileCount) {
  return Assignment(pieces, sets, tileCount).run();
}

} // namespace npu
