// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding seen through slices that are cut out along it.

#include "npu/Analysis/Padding/PaddingAnalysis.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

static bool isNumber(AffineExpr expr, int64_t value) {
  auto number = dyn_cast_or_null<AffineConstantExpr>(expr);
  return number && number.getValue() == value;
}

MaybeRefused
PaddingAnalysis::visitExtractSlice(tensor::ExtractSliceOp extract) {
  const PaddingState &state = of(extract.getSource());
  llvm::SmallBitVector dropped = extract.getDroppedDims();
  PaddingState result;
  for (int64_t dim = 0; dim < extract.getSourceType().getRank(); ++dim) {
    std::optional<PaddedDim> kept;
    if (state[dim])
      if (MaybeRefused why = sliceOf(*state[dim], extract, dim, kept))
        return why;
    if (!dropped[dim])
      result.push_back(kept);
  }
  setResult(extract, std::move(result));
  return std::nullopt;
}

/// All of the real entries; all but some of the first and of the last; or a
/// number of them that is the same at every length, at a place that follows the
/// prompt (the last token, say), which keep no padding.
MaybeRefused PaddingAnalysis::sliceOf(const PaddedDim &dim,
                                      tensor::ExtractSliceOp slice,
                                      int64_t number,
                                      std::optional<PaddedDim> &kept) {
  AffineExpr size = exprOf(slice.getMixedSizes()[number]);
  AffineExpr offset = exprOf(slice.getMixedOffsets()[number]);
  AffineExpr stride = exprOf(slice.getMixedStrides()[number]);
  auto refuse = [&](const std::string &what) {
    return Refusal(fmt::format("of {{}}, which has {} real entries of {} along "
                               "dimension {}, {}",
                               spell(dim.real), dim.extent, number, what),
                   slice.getSource());
  };
  if (!size || !offset || !stride)
    return refuse("it takes entries that do not follow from the prompt length");
  if (!isNumber(stride, 1))
    return refuse(fmt::format("it takes entries {} apart", spell(stride)));
  bool dropped = slice.getDroppedDims()[number];
  if (size == dim.real && isNumber(offset, 0) && !dropped) {
    kept = dim;
    return std::nullopt;
  }
  std::string taken =
      fmt::format("it takes {} from {} on", spell(size), spell(offset));
  if (prompt.length)
    return refuse(taken);
  if (!dim.endsInPadding() && !dim.beginsWithPadding())
    return refuse(taken + ", around the padding in the middle");
  if (isa<AffineConstantExpr>(size))
    return std::nullopt;
  auto first = dyn_cast<AffineConstantExpr>(offset);
  auto less = dyn_cast<AffineConstantExpr>(simplify(dim.real - size));
  if (!first || !less || first.getValue() < 0 ||
      less.getValue() < first.getValue() || less.getValue() >= dim.extent)
    return refuse(taken + "; expected all but a constant number of the first "
                          "and of the last");
  // Between what is taken and the padding nothing real must be left over, if
  // the padding is to hold what it held; a row of fewer entries may have lost
  // the NaN that a padded one stands beside.
  bool besidePadding =
      dim.endsInPadding() ? less == first : first.getValue() == 0;
  kept = PaddedDim{size,
                   dim.endsInPadding() ? size : constant(0),
                   dim.extent - less.getValue(),
                   {}};
  if (besidePadding && dim.content.kind == PaddingContent::Constant)
    kept->content = dim.content;
  return std::nullopt;
}

} // namespace npu
