// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses senders. Pieces that one tile alone holds have no choice; for the
// others the least possible maximum is a flow, and three ways to stay within it
// are tried: no cuts at all, the shares of the flow rounded to slices, and
// tiles filled up to the limit with whole slices.

#include "AssignSenders.h"

#include "CutPieces.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>

namespace npu {
namespace {

/// The most pairs of cuts that are tried for one plan.
constexpr int kMaxPairs = 128;

/// The part of a piece that is not taken yet, and the dimension along which it
/// has been cut.
struct Remainder {
  const Piece *piece;
  Box box;
  /// The volume of `box`, which is needed often.
  int64_t volume;
  std::optional<std::size_t> cutDim;

  int64_t slice(std::size_t dim) const { return volume / box[dim].extent(); }

  bool mayCut(std::size_t dim) const {
    return box[dim].extent() > 1 && (!cutDim || *cutDim == dim);
  }
};

struct Cut {
  std::size_t piece;
  std::size_t dim;
  int64_t slices;
};

/// Whole pieces (by index) and cuts that together are `amount` elements.
struct Choice {
  int64_t amount = -1;
  std::vector<std::size_t> whole;
  std::vector<Cut> cuts;
};

/// x with a*x = 1 modulo m; a and m have no common factor.
int64_t inverseModulo(int64_t a, int64_t m) {
  int64_t r = m, next = a % m, x = 0, nextX = 1;
  while (next != 0) {
    int64_t quotient = r / next;
    std::tie(r, next) = std::pair(next, r - quotient * next);
    std::tie(x, nextX) = std::pair(nextX, x - quotient * nextX);
  }
  return x < 0 ? x + m : x;
}

/// The least x in 1 ... maxX with a*x + b*y = sum for some y in 1 ... maxY.
std::optional<int64_t> solvePair(int64_t sum, int64_t a, int64_t maxX,
                                 int64_t b, int64_t maxY) {
  int64_t divisor = std::gcd(a, b);
  if (sum % divisor != 0)
    return std::nullopt;
  int64_t modulus = b / divisor;
  int64_t x = static_cast<int64_t>(
      __int128(sum / divisor) * inverseModulo(a / divisor, modulus) % modulus);
  __int128 least = __int128(sum) - __int128(b) * maxY;
  __int128 from = least > 0 ? (least + a - 1) / a : 0;
  from = std::max<__int128>(from, 1);
  if (x < from)
    x += static_cast<int64_t>((from - x + modulus - 1) / modulus * modulus);
  if (x > maxX || __int128(a) * x + b > sum)
    return std::nullopt;
  return x;
}

class Filler {
public:
  Filler(const SenderProblem &problem, const GroupOrders &orders,
         const GroupPieces &groupPieces, int64_t limit)
      : problem(problem), orders(orders), groupPieces(groupPieces),
        limit(limit), sent(problem.forced) {
    // Every tile but the roots may cut once; tiles that need no cut leave
    // theirs as second cuts to others.
    secondCuts = static_cast<int64_t>(problem.forced.size());
    for (std::size_t i = 0; i < orders.size(); ++i)
      secondCuts -= static_cast<int64_t>(orders[i].edges.size()) - 1;
  }

  std::optional<std::vector<Piece>> run() {
    for (std::size_t i = orders.size(); i-- > 0;)
      if (!fillGroup(orders[i]))
        return std::nullopt;
    return std::move(result);
  }

private:
  /// Fills the senders of one group: from the last to the second, each takes as
  /// much as it can, and the first takes the rest.
  bool fillGroup(const GroupOrders::Order &order) {
    rest.clear();
    for (const Piece &piece : groupPieces[order.group])
      rest.push_back({&piece, piece.box, piece.box.volume(), std::nullopt});
    std::sort(
        rest.begin(), rest.end(), [](const Remainder &a, const Remainder &b) {
          return std::pair(-a.volume, a.piece) < std::pair(-b.volume, b.piece);
        });
    for (std::size_t i = order.edges.size(); i-- > 1;) {
      int tile = problem.holder[order.edges[i]];
      Choice choice = choose(limit - sent[tile]);
      take(choice, tile);
    }
    int first = problem.holder[order.edges[0]];
    for (const Remainder &remainder : rest)
      give(first, *remainder.piece, remainder.box);
    return sent[first] <= limit;
  }

  void give(int tile, const Piece &piece, const Box &part) {
    sent[tile] += part.volume();
    result.push_back({static_cast<uint32_t>(tile), piece.to, part});
  }

  void take(const Choice &choice, int tile) {
    for (const Cut &cut : choice.cuts) {
      Remainder &remainder = rest[cut.piece];
      Box part = remainder.box;
      remainder.volume -= cut.slices * remainder.slice(cut.dim);
      part[cut.dim].begin = remainder.box[cut.dim].end -= cut.slices;
      remainder.cutDim = cut.dim;
      give(tile, *remainder.piece, part);
    }
    for (std::size_t whole : choice.whole) {
      give(tile, *rest[whole].piece, rest[whole].box);
      rest[whole].volume = 0;
    }
    if (choice.cuts.size() > 1)
      --secondCuts;
    std::erase_if(
        rest, [](const Remainder &remainder) { return remainder.volume == 0; });
  }

  /// The choice with the largest amount up to `room` that the search finds.
  Choice choose(int64_t room) {
    Choice greedy;
    greedy.amount = 0;
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (greedy.amount + rest[i].volume <= room) {
        greedy.amount += rest[i].volume;
        greedy.whole.push_back(i);
      }
    Choice best = greedy;
    // Without the last whole piece there are more pieces to cut. Removing
    // further ones rarely helps.
    for (int turn = 0; turn < 2; ++turn) {
      if (best.amount < room)
        tryOneCut(greedy, room, best);
      if (best.amount < room && secondCuts > 0)
        tryTwoCuts(greedy, room, best);
      if (best.amount >= room || greedy.whole.empty())
        break;
      greedy.amount -= rest[greedy.whole.back()].volume;
      greedy.whole.pop_back();
    }
    return best;
  }

  bool isWhole(const Choice &choice, std::size_t piece) const {
    return std::find(choice.whole.begin(), choice.whole.end(), piece) !=
           choice.whole.end();
  }

  void tryOneCut(const Choice &base, int64_t room, Choice &best) const {
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (isWhole(base, i))
        continue;
      const Box &box = rest[i].box;
      for (std::size_t dim = 0; dim < box.rank(); ++dim) {
        if (!rest[i].mayCut(dim))
          continue;
        int64_t slice = rest[i].slice(dim);
        int64_t slices =
            std::min(box[dim].extent() - 1, (room - base.amount) / slice);
        int64_t amount = base.amount + slices * slice;
        if (slices > 0 && amount > best.amount)
          best = {amount, base.whole, {{i, dim, slices}}};
      }
    }
  }

  void tryTwoCuts(const Choice &base, int64_t room, Choice &best) {
    for (std::size_t i = 0; i < rest.size(); ++i)
      for (std::size_t j = i + 1; j < rest.size(); ++j) {
        if (isWhole(base, i) || isWhole(base, j))
          continue;
        const Box &a = rest[i].box, &b = rest[j].box;
        for (std::size_t dimA = 0; dimA < a.rank(); ++dimA)
          for (std::size_t dimB = 0; dimB < b.rank(); ++dimB) {
            if (!rest[i].mayCut(dimA) || !rest[j].mayCut(dimB))
              continue;
            if (++pairs > kMaxPairs)
              return;
            int64_t sliceA = rest[i].slice(dimA);
            int64_t sliceB = rest[j].slice(dimB);
            int64_t sum = room - base.amount;
            std::optional<int64_t> slices =
                solvePair(sum, sliceA, a[dimA].extent() - 1, sliceB,
                          b[dimB].extent() - 1);
            if (!slices)
              continue;
            best = {room,
                    base.whole,
                    {{i, dimA, *slices},
                     {j, dimB, (sum - *slices * sliceA) / sliceB}}};
            return;
          }
      }
  }

  const SenderProblem &problem;
  const GroupOrders &orders;
  const GroupPieces &groupPieces;
  int64_t limit;
  std::vector<int64_t> sent;
  int64_t secondCuts = 0;
  int pairs = 0;
  /// The pieces of the current group that no sender has taken yet.
  std::vector<Remainder> rest;
  std::vector<Piece> result;
};

/// Searches for an assignment of whole slices under which no tile sends more
/// than `limit`. The search is not exhaustive, and bounded in time. Cuts each
/// box along one dimension and adds at most one piece per tile. Nothing where
/// none is found.
std::optional<std::vector<Piece>> fillSenders(const SenderProblem &problem,
                                              const GroupOrders &orders,
                                              const GroupPieces &groupPieces,
                                              int64_t limit) {
  return Filler(problem, orders, groupPieces, limit).run();
}

class Assignment {
public:
  Assignment(std::vector<Piece> &pieces, const TileSets &sets,
             std::size_t tileCount, const AllowedCuts &cuts)
      : pieces(pieces), sets(sets), cuts(cuts) {
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
  /// suggestions and with them. Tiles are filled up where cuts may stand
  /// anywhere, without which no filling is likely to be exact.
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
      parts = cutPieces(problem, shares, orders[suggested], groups, cuts);
      if (staysWithinLimit(parts))
        return append(parts);
    }
    if (cuts.areFree())
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
  const AllowedCuts &cuts;
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
                              std::size_t tileCount, const AllowedCuts &cuts) {
  return Assignment(pieces, sets, tileCount, cuts).run();
}

} // namespace npu
