// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins pieces whose union is a box: runs along one dimension after the other,
// until a round changes nothing.

#include "MergePieces.h"

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

} // namespace

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

} // namespace npu
