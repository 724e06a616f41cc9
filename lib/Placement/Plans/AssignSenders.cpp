// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses senders. Pieces that one tile alone holds have no choice; for the
// others the least possible maximum is a flow, and three ways to stay within it
// are tried: no cuts at all, the shares of the flow rounded to slices, and
// tiles filled up to the limit with whole slices.

#include "AssignSenders.h"

#include "CutPieces.h"
#include "FillSenders.h"

#include <algorithm>
#include <bit>

namespace npu {
namespace {

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
    if (Result<> failure = makeGroups(); !failure)
      return failure.error();
    SenderFlow flow(problem);
    limit = leastBusiest(problem, flow);
    if (!assignWhole())
      assignShares(flow);
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

  Result<> makeGroups() {
    std::vector<std::pair<uint64_t, uint32_t>> order(free.size());
    for (uint32_t i = 0; i < free.size(); ++i)
      order[i] = {uint64_t(free[i].from) << 32 | free[i].to, i};
    std::sort(order.begin(), order.end());
    groups.pieces.reserve(free.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Piece &piece = free[order[i].second];
      if (i == 0 || piece.from != groups.pieces.back().from) {
        groups.begin.push_back(static_cast<uint32_t>(i));
        problem.weight.push_back(0);
        sets.forEach(piece.from,
                     [&](int tile) { problem.holder.push_back(tile); });
        problem.edgeBegin.push_back(
            static_cast<uint32_t>(problem.holder.size()));
        if (problem.holder.size() > kMaxEdges)
          return Error{"expected at most " + std::to_string(kMaxEdges) +
                       " pairs of a piece and a tile that holds it, got more"};
      }
      groups.pieces.push_back(piece);
      groups.begin.back() = static_cast<uint32_t>(i + 1);
      problem.weight.back() += piece.box.volume();
    }
    return Success();
  }

  /// Gives every piece whole to its least busy holder, largest pieces first. A
  /// piece that exceeds the limit of the holder becomes a suggestion for the
  /// flow.
  bool assignWhole() {
    struct Item {
      int64_t negatedVolume;
      uint32_t group;
      uint32_t piece;

      auto operator<=>(const Item &) const = default;
    };
    std::vector<Item> items;
    items.reserve(groups.pieces.size());
    for (uint32_t group = 0; group < problem.groupCount(); ++group)
      for (uint32_t i = groups.begin[group]; i < groups.begin[group + 1]; ++i)
        items.push_back({-groups.pieces[i].box.volume(), group, i});
    std::sort(items.begin(), items.end());
    std::vector<int64_t> sent = problem.forced;
    suggestions.reserve(items.size());
    bool fits = true;
    for (const Item &item : items) {
      uint32_t best = problem.edgeBegin[item.group];
      for (uint32_t edge = best; edge < problem.edgeBegin[item.group + 1];
           ++edge)
        if (sent[problem.holder[edge]] < sent[problem.holder[best]])
          best = edge;
      int tile = problem.holder[best];
      int64_t volume = -item.negatedVolume;
      int64_t taken = std::min(volume, limit - sent[tile]);
      fits &= taken == volume;
      sent[tile] += taken;
      suggestions.emplace_back(best, taken);
    }
    if (!fits)
      return false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      pieces.push_back(groups.pieces[items[i].piece]);
      pieces.back().from =
          static_cast<uint32_t>(problem.holder[suggestions[i].first]);
    }
    return true;
  }

  /// Assigns the shares of the flow, rounded to slices. Whether that stays
  /// within the limit depends on the forest, so that two are tried: without
  /// suggestions and with them.
  void assignShares(SenderFlow &flow) {
    SenderForest forest(problem);
    GroupOrders orders[2];
    std::vector<Piece> parts;
    for (bool suggested : {false, true}) {
      if (suggested) {
        flow.restart();
        for (auto [edge, amount] : suggestions)
          flow.suggest(edge, amount, limit);
        flow.route(limit);
      }
      std::vector<int64_t> shares = flow.shares();
      forest.cancelCycles(shares);
      orders[suggested] = forest.order(shares);
      parts = cutPieces(problem, shares, orders[suggested], groups);
      if (staysWithinLimit(parts))
        return append(parts);
    }
    for (bool suggested : {true, false})
      if (std::optional<std::vector<Piece>> filled =
              fillSenders(problem, orders[suggested], groups, limit))
        return append(*filled);
    append(parts);
  }

  void append(const std::vector<Piece> &parts) {
    pieces.insert(pieces.end(), parts.begin(), parts.end());
  }

  bool staysWithinLimit(const std::vector<Piece> &parts) const {
    std::vector<int64_t> sent = problem.forced;
    for (const Piece &part : parts)
      sent[part.from] += part.box.volume();
    return std::ranges::all_of(
        parts, [&](const Piece &part) { return sent[part.from] <= limit; });
  }

  std::vector<Piece> &pieces;
  const TileSets &sets;
  std::vector<Piece> free;
  GroupPieces groups;
  SenderProblem problem;
  int64_t limit = 0;
  /// Suggested flows: an edge, and the elements of the piece that it would
  /// carry.
  std::vector<std::pair<uint32_t, int64_t>> suggestions;
};

} // namespace

Result<int64_t> assignSenders(std::vector<Piece> &pieces, const TileSets &sets,
                              std::size_t tileCount) {
  return Assignment(pieces, sets, tileCount).run();
}

} // namespace npu
