// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views that each tile has of its own buffer.

#include "CompareBoxes.h"

#include "npu/Support/Naming.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {

/// The smaller one of two shapes in every dimension.
static Extents smaller(const Extents &a, const Extents &b) {
  Extents result = a;
  for (std::size_t dim = 0; dim < a.size(); ++dim)
    result[dim] = std::min(a[dim], b[dim]);
  return result;
}

static int64_t volumeOf(const Extents &shape) {
  return checkedProduct(shape.span()).value_or(0);
}

/// The shape of a tile's buffer. An alignment may make it larger than its box
/// inside of the tensor.
static Extents bufferOf(const DumpType &type, std::size_t tile) {
  return tile < type.boxes.tiles.size() ? type.boxes.tiles[tile].memory.sizes()
                                        : Extents(type.shape.size(), 0);
}

EdgeFinding compareTileSlice(const DumpType &from, const DumpType &to,
                             const std::vector<Extents> &perTile) {
  std::size_t rank = from.shape.size();
  if (to.shape.size() != rank)
    return unknownEdge("the two sides have different ranks",
                       MissingFact::Correspondence);
  std::size_t tiles = to.boxes.tiles.size();
  bool isRead = perTile.empty() || perTile.size() == tiles;
  for (const Extents &shape : perTile)
    isRead = isRead && shape.size() == rank;
  if (!isRead)
    return unknownEdge("its explicit_output_shapes are not one shape for each "
                       "tile of the result",
                       MissingFact::Attributes);
  EdgeFinding finding;
  finding.verdict = EdgeVerdict::Same;
  int64_t missing = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    Extents held = bufferOf(from, tile), wanted = bufferOf(to, tile);
    Extents taken = perTile.empty() ? wanted : perTile[tile];
    Extents given = smaller(held, taken);
    std::string words =
        fmt::format("{} takes {} of its own {}", nameOfTile(tile),
                    toString(taken), toString(held));
    int64_t lacking = volumeOf(wanted) - volumeOf(smaller(given, wanted));
    if (lacking && !missing)
      finding.reason = fmt::format("{}, and the result declares {}", words,
                                   toString(wanted));
    missing += lacking;
    if (held != wanted && finding.verdict == EdgeVerdict::Same) {
      finding.verdict = EdgeVerdict::Narrow;
      if (!missing)
        finding.reason =
            fmt::format("every tile takes a part of its own buffer: {}", words);
    }
  }
  if (missing) {
    finding.verdict = EdgeVerdict::Moves;
    finding.bad = true;
    finding.bytes = finding.bound = bytesOf(to, missing);
  } else if (finding.verdict == EdgeVerdict::Same) {
    finding.reason = "every tile takes all of its own buffer";
  }
  return finding;
}

EdgeFinding compareTilePart(const DumpType &from, const DumpType &to) {
  if (to.shape.size() != from.shape.size())
    return unknownEdge("the two sides have different ranks",
                       MissingFact::Correspondence);
  for (std::size_t tile = 0; tile < from.boxes.tiles.size(); ++tile) {
    Extents part = bufferOf(from, tile), buffer = bufferOf(to, tile);
    if (smaller(part, buffer) != part)
      return unknownEdge(fmt::format("{} has a part {} of a buffer {}",
                                     nameOfTile(tile), toString(part),
                                     toString(buffer)),
                         MissingFact::Correspondence);
  }
  EdgeFinding finding;
  finding.verdict = EdgeVerdict::Same;
  finding.reason = "every tile has a part of its own buffer";
  return finding;
}

} // namespace npu
