// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/PromptCase.h"

#include "npu-fuzz/Recipes/RunTimeLength.h"

#include "npu/Preprocess/Padding/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

#include <random>

using namespace mlir;

namespace npu {
namespace {

PadOptions randomOptions(std::mt19937_64 &random, int64_t maxLength) {
  PadOptions options;
  options.maxLength = maxLength;
  options.side = random() % 2 ? PaddingSide::Left : PaddingSide::Right;
  options.poison = true;
  return options;
}

/// Marks dimensions of the arguments of `main` as prompt dimensions.
std::optional<PadOptions> markPrompt(ModuleOp module, std::mt19937_64 &random) {
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
  return randomOptions(random,
                       first.extent + static_cast<int64_t>(random() % 6));
}

bool hasExtent(TypeRange types, int64_t extent) {
  return llvm::any_of(types, [&](Type type) {
    return llvm::is_contained(cast<RankedTensorType>(type).getShape(), extent);
  });
}

OwningOpRef<ModuleOp> withRunTimePrompt(const Recipe &recipe,
                                        MLIRContext &context,
                                        std::mt19937_64 &random,
                                        PromptCase &prompt) {
  std::optional<RunTimeLength> length = withRunTimeLength(recipe, random());
  if (!length)
    return nullptr;
  auto module =
      parseSourceString<ModuleOp>(toText(length->recipe, context), &context);
  if (!module)
    return nullptr;
  prompt.padding = randomOptions(random, length->longest);
  for (int64_t each = length->shortest; each <= length->longest; ++each)
    prompt.lengths.push_back(each);
  auto function = module->lookupSymbol<func::FuncOp>("main");
  // Arguments and results must not have the padded extent, because they get no
  // layout.
  if (!hasExtent(function.getArgumentTypes(), length->longest) &&
      !hasExtent(function.getResultTypes(), length->longest))
    prompt.tiles = 1 + static_cast<int64_t>(random() % 4);
  return module;
}

} // namespace

OwningOpRef<ModuleOp> withPrompt(const Recipe &recipe, uint64_t seed,
                                 MLIRContext &context, PromptCase &prompt) {
  std::mt19937_64 random(seed);
  if (random() % 2)
    if (auto module = withRunTimePrompt(recipe, context, random, prompt))
      return module;
  auto module = parseSourceString<ModuleOp>(toText(recipe, context), &context);
  if (module)
    prompt.padding = markPrompt(*module, random);
  return module;
}

LogicalResult pad(ModuleOp module, const PadOptions &padding) {
  PadToMaxPromptLenOptions options;
  options.maxPromptLen = padding.maxLength;
  options.side = padding.side == PaddingSide::Left ? "left" : "right";
  options.poison = padding.poison;
  options.withoutMask = padding.withoutMask;
  PassManager passes(module.getContext());
  passes.addPass(createPadToMaxPromptLen(options));
  return passes.run(module);
}

void splitOverTiles(ModuleOp module, int64_t extent, int64_t tiles) {
  auto split = [&](RankedTensorType type) -> RankedTensorType {
    auto found = llvm::find(type.getShape(), extent);
    if (!type.hasStaticShape() || found == type.getShape().end())
      return type;
    Layout layout;
    layout.distribution.emplace();
    layout.distribution->mode = Mode::Segmented;
    layout.distribution->tiles = Extents(type.getRank(), 1);
    layout.distribution->tiles[found - type.getShape().begin()] = tiles;
    return RankedTensorType::get(type.getShape(), type.getElementType(),
                                 LayoutAttr::get(type.getContext(), layout));
  };
  module->walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()))
        result.setType(split(type));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            elements.reshape(cast<ShapedType>(constant.getType())));
  });
}

std::string pipelineOf(const PromptCase &prompt, bool splitReductions) {
  std::string padding;
  if (const auto &options = prompt.padding)
    padding =
        fmt::format("max-prompt-len={}{} poison{}", options->maxLength,
                    options->side == PaddingSide::Left ? " side=left" : "",
                    options->withoutMask == 0 ? " without-mask=0" : "");
  std::string sums = splitReductions ? "" : "split-reductions=false";
  auto pass = [](const char *name, const std::string &options) {
    return options.empty() ? fmt::format("--{}", name)
                           : fmt::format("--{}='{}'", name, options);
  };
  const char *legalize = "npu-legalize-distributions";
  if (!prompt.padsFirst())
    return pass(legalize,
                padding + (padding.empty() || sums.empty() ? "" : " ") + sums);
  std::string split;
  if (prompt.tiles > 1)
    split = fmt::format("| python3 test/Execution/Inputs/split_over_tiles.py "
                        "{} {} | npu-opt ",
                        prompt.padding->maxLength, prompt.tiles);
  return fmt::format("{} {}{}", pass("npu-pad-to-max-prompt-len", padding),
                     split, pass(legalize, sums));
}

} // namespace npu
