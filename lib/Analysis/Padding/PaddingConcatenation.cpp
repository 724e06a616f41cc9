// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The padding of concatenated tensors.

#include "npu/Analysis/Padding/PaddingAnalysis.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

MaybeRefused PaddingAnalysis::concatenate(Operation *op,
                                          const Concatenation &parts) {
  int64_t along = parts.along;
  PaddingState result(
      cast<RankedTensorType>(op->getResult(0).getType()).getRank());
  std::optional<PaddedDim> hole;
  AffineExpr before = constant(0);
  int64_t more = 0;
  for (Value input : parts.parts) {
    const PaddingState &state = of(input);
    for (auto [dim, padded] : llvm::enumerate(state))
      if (padded && int64_t(dim) != along)
        result[dim] = PaddedDim{padded->real, padded->hole, padded->extent, {}};
    AffineExpr real = realExtent(input, along);
    if (!real)
      return Refusal(fmt::format("how many entries {{}} has along dimension {} "
                                 "does not follow from the prompt length",
                                 along),
                     input);
    if (int64_t(state.size()) > along && state[along]) {
      if (hole)
        return Refusal(fmt::format("{{}} is the second part with padding along "
                                   "dimension {}; expected one hole",
                                   along),
                       input);
      hole = PaddedDim{constant(0), simplified(before + state[along]->hole),
                       state[along]->extent,
                       besideOtherRows(state[along]->content)};
    } else if (auto number = dyn_cast<AffineConstantExpr>(real)) {
      more += number.getValue();
    } else {
      return Refusal(fmt::format("{{}} has {} entries along dimension {}, and "
                                 "no padding",
                                 spell(real), along),
                     input);
    }
    before = simplified(before + real);
  }
  if (hole) {
    hole->real = before;
    hole->extent += more;
    result[along] = hole;
  }
  setResult(op->getResult(0), std::move(result));
  concatenations[op] = parts;
  return std::nullopt;
}

} // namespace npu
