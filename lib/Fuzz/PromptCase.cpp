// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PromptCase.h"

#include <fmt/format.h>

#include <random>

using namespace mlir;

namespace npu {

std::optional<PadOptions> markPrompt(ModuleOp module, uint64_t seed) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  struct Place {
    unsigned argument;
    int64_t dim, extent;
  };
  std::vector<Place> places;
  for (auto [argument, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
        if (int64_t extent = tensor.getDimSize(dim); extent > 0)
          places.push_back({static_cast<unsigned>(argument), dim, extent});
  if (places.empty())
    return std::nullopt;
  std::mt19937_64 random(seed);
  const Place &first = places[random() % places.size()];
  std::vector<SmallVector<int64_t>> dims(function.getNumArguments());
  for (const Place &place : places) {
    bool same = place.argument == first.argument && place.dim == first.dim;
    if (same || (place.extent == first.extent && random() % 4 != 0))
      dims[place.argument].push_back(place.dim);
  }
  Builder builder(module.getContext());
  for (auto [argument, marked] : llvm::enumerate(dims))
    if (!marked.empty())
      function.setArgAttr(argument, promptDimAttrName,
                          builder.getI64ArrayAttr(marked));
  PadOptions options;
  options.maxLength = first.extent + static_cast<int64_t>(random() % 6);
  options.side = random() % 2 ? PaddingSide::Left : PaddingSide::Right;
  options.poison = true;
  return options;
}

std::string toString(const PadOptions &options) {
  return fmt::format("max-prompt-len={}{}{}", options.maxLength,
                     options.side == PaddingSide::Left ? " side=left" : "",
                     options.poison ? " poison" : "");
}

} // namespace npu
