// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the pieces of groups where the shares of senders end.
//
// The pieces of a group form a sequence, and its senders take consecutive parts
// of it. A border between two parts may fall inside a slice, which then goes to
// the later sender as a whole. Each sender but the root of its tree has exactly
// one border at its beginning, over all its groups, so that no sender gets more
// than one slice beyond its shares.

#include "CutPieces.h"

#include <algorithm>

namespace npu {
namespace {

class Cutter {
public:
  Cutter(const SenderProblem &problem, const std::vector<int64_t> &shares,
         const GroupPieces &groupPieces, const AllowedCuts &cuts)
      : problem(problem), shares(shares), groupPieces(groupPieces), cuts(cuts) {
  }

  std::vector<Piece> run(const GroupOrders &orders) {
    for (std::size_t i = 0; i < orders.size(); ++i)
      cutLine(orders[i]);
    return std::move(result);
  }

private:
  void give(uint32_t edge, const Piece &piece, const Box &part) {
    if (!part.isEmpty())
      result.push_back(
          {static_cast<uint32_t>(problem.holder[edge]), piece.to, part});
  }

  void cutLine(const GroupOrders::Order &order) {
    std::size_t sender = 0;
    // The elements that the sender still has to take.
    int64_t due = shares[order.edges[0]];
    for (const Piece &piece : groupPieces[order.group]) {
      // The offsets at which shares end inside this piece.
      offsets.clear();
      int64_t volume = piece.box.volume(), position = 0;
      std::size_t first = sender;
      while (due <= volume - position && sender + 1 < order.edges.size()) {
        position += due;
        offsets.push_back(position);
        due = shares[order.edges[++sender]];
      }
      due -= volume - position;
      Box rest = piece.box;
      if (!offsets.empty()) {
        std::size_t dim = cutDimension(piece.box, volume);
        int64_t slice = volume / piece.box[dim].extent();
        for (std::size_t i = 0; i < offsets.size(); ++i) {
          Box part = rest;
          part[dim].end = rest[dim].begin = cuts.atOrBefore(
              dim, piece.box[dim].begin + offsets[i] / slice, rest[dim]);
          give(order.edges[first + i], piece, part);
        }
      }
      give(order.edges[sender], piece, rest);
    }
  }

  /// The dimension of all cuts of a box: the first along which the cuts fall
  /// between slices, else the one with the smallest slices.
  std::size_t cutDimension(const Box &box, int64_t volume) const {
    std::size_t finest = 0;
    int64_t smallest = volume;
    for (std::size_t dim = 0; dim < box.rank(); ++dim) {
      int64_t slice = volume / box[dim].extent();
      if (std::all_of(offsets.begin(), offsets.end(), [&](int64_t offset) {
            int64_t position = box[dim].begin + offset / slice;
            return offset % slice == 0 &&
                   cuts.atOrBefore(dim, position, box[dim]) == position;
          }))
        return dim;
      int64_t thick = slice * cuts.thicknessOf(dim, box[dim]);
      if (thick < smallest) {
        finest = dim;
        smallest = thick;
      }
    }
    return finest;
  }

  const SenderProblem &problem;
  const std::vector<int64_t> &shares;
  const GroupPieces &groupPieces;
  const AllowedCuts &cuts;
  std::vector<int64_t> offsets;
  std::vector<Piece> result;
};

} // namespace

std::vector<Piece> cutPieces(const SenderProblem &problem,
                             const std::vector<int64_t> &shares,
                             const GroupOrders &orders,
                             const GroupPieces &groupPieces,
                             const AllowedCuts &cuts) {
  return Cutter(problem, shares, groupPieces, cuts).run(orders);
}

} // namespace npu
