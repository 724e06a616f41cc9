// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where shares end, and on which side of a slice they are cut.
//
// The pieces of a group stand in a line, and its senders take consecutive
// parts of it. A border between two parts may fall inside a slice, which then
// goes to one side whole. Each sender but the root of its tree has exactly one
// border at its beginning, over all its groups: when every such slice goes to
// the later sender, nobody gets more than one.

#include "CutPieces.h"

#include <algorithm>

namespace npu {
namespace {

struct Border {
  /// The tile that sends what lies before the border, and that behind it.
  int before = 0;
  int behind = 0;
  /// Where the line is cut, in elements of the piece.
  uint32_t group = 0;
  uint32_t piece = 0;
  int64_t offset = 0;
  /// Elements to the next possible cuts downwards and upwards.
  int64_t below = 0;
  int64_t above = 0;
  bool up = false;

  int64_t cut() const { return up ? offset + above : offset - below; }
};

class Cutter {
public:
  Cutter(const SenderProblem &problem, const std::vector<int64_t> &shares,
         const std::vector<std::vector<Piece>> &groupPieces, int64_t limit)
      : problem(problem), shares(shares), groupPieces(groupPieces),
        limit(limit), sent(problem.forced) {}

  std::vector<Piece> run(const std::vector<GroupOrder> &orders) {
    for (const GroupOrder &order : orders)
      findBorders(order);
    roundBorders();
    std::size_t border = 0;
    for (const GroupOrder &order : orders)
      cutGroup(order, border);
    return std::move(result);
  }

private:
  const std::vector<Piece> &line(uint32_t group) const {
    return groupPieces[group];
  }

  void findBorders(const GroupOrder &order) {
    const std::vector<Piece> &pieces = line(order.group);
    std::size_t piece = 0;
    int64_t pieceBegin = 0, position = 0;
    for (std::size_t i = 0; i < order.edges.size(); ++i) {
      int tile = problem.holder[order.edges[i]];
      sent[tile] += shares[order.edges[i]];
      if (i + 1 == order.edges.size())
        break;
      position += shares[order.edges[i]];
      while (position - pieceBegin > pieces[piece].box.volume())
        pieceBegin += pieces[piece++].box.volume();
      Border border;
      border.before = tile;
      border.behind = problem.holder[order.edges[i + 1]];
      border.group = order.group;
      border.piece = static_cast<uint32_t>(piece);
      border.offset = position - pieceBegin;
      borders.push_back(border);
    }
    chooseDimensions(order.group);
  }

  static int64_t sliceOf(const Box &box, std::size_t dim) {
    return box.volume() / box[dim].extent();
  }

  /// One dimension for all borders inside a piece: the first along which they
  /// fall between slices, else the one with the smallest slices.
  void chooseDimensions(uint32_t group) {
    cutDim.resize(std::max<std::size_t>(cutDim.size(), group + 1));
    cutDim[group].assign(line(group).size(), 0);
    std::size_t begin = borders.size();
    while (begin > 0 && borders[begin - 1].group == group)
      --begin;
    for (std::size_t end = begin; begin < borders.size(); begin = end) {
      uint32_t piece = borders[begin].piece;
      while (end < borders.size() && borders[end].piece == piece)
        ++end;
      const Box &box = line(group)[piece].box;
      std::size_t best = 0;
      auto exact = [&](std::size_t dim) {
        return std::all_of(borders.begin() + begin, borders.begin() + end,
                           [&](const Border &border) {
                             return border.offset % sliceOf(box, dim) == 0;
                           });
      };
      for (std::size_t dim = 0; dim < box.rank(); ++dim) {
        if (exact(dim)) {
          best = dim;
          break;
        }
        if (sliceOf(box, dim) < sliceOf(box, best))
          best = dim;
      }
      cutDim[group][piece] = best;
      for (std::size_t i = begin; i < end; ++i) {
        int64_t slice = sliceOf(box, best);
        borders[i].below = borders[i].offset % slice;
        borders[i].above = borders[i].below ? slice - borders[i].below : 0;
      }
    }
  }

  void move(const Border &border, int sign) {
    int64_t change = border.up ? border.above : -border.below;
    sent[border.before] += sign * change;
    sent[border.behind] -= sign * change;
  }

  bool fits() const {
    return std::all_of(sent.begin(), sent.end(),
                       [&](int64_t elements) { return elements <= limit; });
  }

  /// A later border's tile is a leaf once the borders behind it are decided:
  /// it takes the slice when it can, and leaves it to the earlier tile when
  /// not. When that does not work out either, the later tile always takes it.
  void roundBorders() {
    for (Border &border : borders)
      move(border, 1);
    if (fits())
      return;
    for (std::size_t i = borders.size(); i-- > 0;) {
      Border &border = borders[i];
      bool room = i + 1 == borders.size() ||
                  borders[i + 1].group != border.group ||
                  borders[i + 1].piece != border.piece ||
                  borders[i + 1].cut() >= border.offset + border.above;
      if (sent[border.behind] <= limit || border.above == 0 || !room)
        continue;
      move(border, -1);
      border.up = true;
      move(border, 1);
    }
    if (fits())
      return;
    for (Border &border : borders)
      border.up = false;
  }

  void cutGroup(const GroupOrder &order, std::size_t &border) {
    const std::vector<Piece> &pieces = line(order.group);
    std::size_t sender = 0;
    for (uint32_t i = 0; i < pieces.size(); ++i) {
      std::size_t dim = cutDim[order.group][i];
      const Box &box = pieces[i].box;
      Box rest = box;
      auto take = [&](const Box &part) {
        int tile = problem.holder[order.edges[sender]];
        if (!part.isEmpty())
          result.push_back({static_cast<uint32_t>(tile), pieces[i].to, part});
      };
      for (; border < borders.size() && borders[border].group == order.group &&
             borders[border].piece == i;
           ++border, ++sender) {
        Box part = rest;
        part[dim].end = rest[dim].begin =
            box[dim].begin + borders[border].cut() / sliceOf(box, dim);
        take(part);
      }
      take(rest);
    }
  }

  const SenderProblem &problem;
  const std::vector<int64_t> &shares;
  const std::vector<std::vector<Piece>> &groupPieces;
  int64_t limit;
  std::vector<int64_t> sent;
  std::vector<Border> borders;
  std::vector<std::vector<std::size_t>> cutDim;
  std::vector<Piece> result;
};

} // namespace

std::vector<Piece> cutPieces(const SenderProblem &problem,
                             const std::vector<int64_t> &shares,
                             const std::vector<GroupOrder> &orders,
                             const std::vector<std::vector<Piece>> &groupPieces,
                             int64_t limit) {
  return Cutter(problem, shares, groupPieces, limit).run(orders);
}

} // namespace npu
