// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses senders. Pieces that one tile alone holds have no choice; for the
// others the least possible maximum is a flow, and three ways to stay within it
// are tried: no cuts at all, the shares of the flow rounded to slices, and
// tiles filled up to the limit with whole slices.

#include "AssignSenders.h"

#include "CutPieces.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

namespace npu {
namespace {

/// The most pairs of cuts that are tried for one plan.
constexpr int kMaxPairs = 128;

/// Pieces of a group that are not taken yet and have equal sizes, or the rest
/// of one piece that was cut. Groups of thousands of pieces have few sizes.
struct Alike {
  std::span<const Piece *const> pieces;
  /// The box of the first of them, or what is left of it.
  Box box;
  /// The volume of each.
  int64_t volume;
  /// The dimension along which the piece has been cut, which is then the only
  /// one.
  std::optional<std::size_t> cutDim;

  const Box &boxOf(std::size_t i) const {
    return i == 0 ? box : pieces[i]->box;
  }

  int64_t slice(std::size_t dim) const { return volume / box[dim].extent(); }

  bool mayCut(std::size_t dim) const {
    return box[dim].extent() > 1 && (!cutDim || *cutDim == dim);
  }
};

/// The first piece that is not taken whole, or of two cuts in one place the
/// second.
struct Cut {
  std::size_t alike;
  std::size_t dim;
  int64_t slices;
};

/// How many of each are taken whole, from the first on, and cuts that together
/// are `amount` elements.
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
    sortPieces(order.group);
    for (std::size_t i = order.edges.size(); i-- > 1;) {
      int tile = problem.holder[order.edges[i]];
      take(choose(limit - sent[tile]), tile);
    }
    int first = problem.holder[order.edges[0]];
    for (const Alike &alike : rest)
      for (std::size_t i = 0; i < alike.pieces.size(); ++i)
        give(first, *alike.pieces[i], alike.boxOf(i));
    return sent[first] <= limit;
  }

  /// Puts the pieces of a group in order, the largest first and equal sizes
  /// together.
  void sortPieces(uint32_t group) {
    std::vector<std::pair<int64_t, const Piece *>> order;
    for (const Piece &piece : groupPieces[group])
      order.emplace_back(-piece.box.volume(), &piece);
    std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
      if (a.first != b.first)
        return a.first < b.first;
      if (auto sizes = compareSizes(a.second->box, b.second->box); sizes != 0)
        return sizes < 0;
      return a.second < b.second;
    });
    sorted.clear();
    for (const auto &[volume, piece] : order)
      sorted.push_back(piece);
    rest.clear();
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
      const Box &box = sorted[begin]->box;
      while (end < sorted.size() && compareSizes(box, sorted[end]->box) == 0)
        ++end;
      rest.push_back({std::span(sorted).subspan(begin, end - begin), box,
                      -order[begin].first, std::nullopt});
    }
  }

  static std::strong_ordering compareSizes(const Box &a, const Box &b) {
    for (std::size_t dim = 0; dim < a.rank(); ++dim)
      if (auto order = a[dim].extent() <=> b[dim].extent(); order != 0)
        return order;
    return std::strong_ordering::equal;
  }

  void give(int tile, const Piece &piece, const Box &part) {
    sent[tile] += part.volume();
    result.push_back({static_cast<uint32_t>(tile), piece.to, part});
  }

  void take(const Choice &choice, int tile) {
    std::vector<Alike> left;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const Alike &alike = rest[i];
      std::size_t taken = 0;
      for (; taken < choice.whole[i]; ++taken)
        give(tile, *alike.pieces[taken], alike.boxOf(taken));
      for (const Cut &cut : choice.cuts) {
        if (cut.alike != i)
          continue;
        Box part = alike.boxOf(taken), remainder = part;
        part[cut.dim].begin = remainder[cut.dim].end -= cut.slices;
        give(tile, *alike.pieces[taken], part);
        left.push_back({alike.pieces.subspan(taken, 1), remainder,
                        remainder.volume(), cut.dim});
        ++taken;
      }
      if (taken < alike.pieces.size()) {
        left.push_back(alike);
        left.back().box = alike.boxOf(taken);
        left.back().pieces = alike.pieces.subspan(taken);
      }
    }
    rest = std::move(left);
    if (choice.cuts.size() > 1)
      --secondCuts;
  }

  /// The choice with the largest amount up to `room` that the search finds.
  Choice choose(int64_t room) {
    Choice greedy{0, std::vector<std::size_t>(rest.size()), {}};
    std::size_t last = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      auto fitting =
          static_cast<std::size_t>((room - greedy.amount) / rest[i].volume);
      greedy.whole[i] = std::min(fitting, rest[i].pieces.size());
      greedy.amount += static_cast<int64_t>(greedy.whole[i]) * rest[i].volume;
      if (greedy.whole[i] > 0)
        last = i;
    }
    Choice best = greedy;
    // Without the last whole piece there are more pieces to cut. Removing
    // further ones rarely helps.
    for (int turn = 0; turn < 2; ++turn) {
      if (best.amount < room)
        tryOneCut(greedy, room, best);
      if (best.amount < room && secondCuts > 0)
        tryTwoCuts(greedy, room, best);
      if (best.amount >= room || greedy.amount == 0)
        break;
      greedy.amount -= rest[last].volume;
      --greedy.whole[last];
    }
    return best;
  }

  /// How many pieces are not taken whole.
  std::size_t uncut(const Choice &choice, std::size_t i) const {
    return rest[i].pieces.size() - choice.whole[i];
  }

  void tryOneCut(const Choice &base, int64_t room, Choice &best) const {
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (uncut(base, i) == 0)
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
      for (std::size_t j = i; j < rest.size(); ++j) {
        if (uncut(base, i) == 0 || uncut(base, j) < (i == j ? 2 : 1))
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
  /// The pieces of the current group, and what no sender has taken of them yet.
  std::vector<const Piece *> sorted;
  std::vector<Alike> rest;
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

/// The least busy holder of each group while what tiles send only grows: a heap
/// for each group, in which entries are brought up to date when they come to
/// its top. A group may have thousands of holders and as many pieces.
class LeastBusyHolders {
public:
  LeastBusyHolders(const SenderProblem &problem,
                   const std::vector<int64_t> &sent)
      : problem(problem), sent(sent) {
    entries.reserve(problem.holder.size());
    for (uint32_t edge = 0; edge < problem.holder.size(); ++edge)
      entries.push_back({sent[problem.holder[edge]], edge});
    for (uint32_t group = 0; group < problem.groupCount(); ++group) {
      std::span<Entry> heap = heapOf(group);
      std::make_heap(heap.begin(), heap.end(), std::greater());
    }
  }

  /// The edge to the holder that sends least; of several the first.
  uint32_t of(uint32_t group) {
    std::span<Entry> heap = heapOf(group);
    for (;;) {
      Entry top = heap.front();
      int64_t now = sent[problem.holder[top.edge]];
      if (top.sent == now)
        return top.edge;
      std::pop_heap(heap.begin(), heap.end(), std::greater());
      heap.back().sent = now;
      std::push_heap(heap.begin(), heap.end(), std::greater());
    }
  }

private:
  struct Entry {
    int64_t sent;
    uint32_t edge;

    auto operator<=>(const Entry &) const = default;
  };

  std::span<Entry> heapOf(uint32_t group) {
    uint32_t begin = problem.edgeBegin[group];
    return std::span(entries).subspan(begin,
                                      problem.edgeBegin[group + 1] - begin);
  }

  const SenderProblem &problem;
  const std::vector<int64_t> &sent;
  std::vector<Entry> entries;
};

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
    // What stays within a bound needs no flow.
    limit = boundOfBusiest(problem);
    if (assignWhole())
      return limit;
    SenderFlow flow(problem);
    int64_t bound = limit;
    limit = leastBusiest(flow, bound);
    if (limit == bound || !assignWhole())
      assignShares(flow);
    return limit;
  }

private:
  /// Keeps the pieces with one holder, whose sets become tiles, and moves the
  /// others to `free`.
  void takeForced() {
    std::size_t kept = 0;
    for (Piece &piece : pieces) {
      std::optional<int> holder = sets.onlyTile(piece.from);
      if (!holder) {
        free.push_back(piece);
        continue;
      }
      problem.forced[*holder] += piece.box.volume();
      pieces[kept] = piece;
      pieces[kept++].from = static_cast<uint32_t>(*holder);
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
    suggestions.clear();
    suggestions.reserve(items.size());
    bool fits = true;
    LeastBusyHolders leastBusy(problem, sent);
    for (const Item &item : items) {
      uint32_t best = leastBusy.of(item.group);
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
