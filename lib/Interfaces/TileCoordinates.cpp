// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/TileCoordinates.h"
#include "AffineRanges.h"

using namespace mlir;

namespace npu {
namespace {

AffineExpr shifted(AffineExpr expr, ArrayRef<Range> loops,
                   ArrayRef<AffineExpr> shiftedLoops, int64_t begin) {
  // A linear expression moves by a constant, which is mostly 0: the map then
  // keeps its form.
  if (std::optional<LinearForm> form = asLinearForm(expr)) {
    int64_t moves = -begin;
    for (auto [loop, factor] : form->factors)
      moves += factor * loops[loop].begin;
    return moves == 0 ? expr : expr + moves;
  }
  return expr.replaceDims(shiftedLoops) - begin;
}

} // namespace

AffineMap inTileCoordinates(AffineMap map, ArrayRef<Range> loops,
                            const Box &box) {
  SmallVector<AffineExpr> shiftedLoops;
  for (auto [loop, range] : llvm::enumerate(loops))
    shiftedLoops.push_back(getAffineDimExpr(loop, map.getContext()) +
                           range.begin);
  SmallVector<AffineExpr> exprs;
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    exprs.push_back(shifted(expr, loops, shiftedLoops, box[dim].begin));
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs,
                        map.getContext());
}

} // namespace npu
