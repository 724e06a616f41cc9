// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/Padding.h"

#include "npu/Preprocess/Padding/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

bool hasExtent(TypeRange types, int64_t extent) {
  return llvm::any_of(types, [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), extent);
  });
}

} // namespace

OwningOpRef<ModuleOp> withPrompt(Session &session, const MadeFunction &made,
                                 const CaseOptions &options, PromptPlan &plan) {
  auto module = session.parse(made.text);
  if (!module || options.mode != CaseMode::Prompt)
    return module;
  std::mt19937_64 random(options.seed);
  if (made.paddedTo > 0)
    plan.padding = randomOptions(random, made.paddedTo);
  if (made.lengths) {
    auto [shortest, longest] = *made.lengths;
    for (int64_t each = shortest; each <= longest; ++each)
      plan.lengths.push_back(each);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    // Arguments and results must not have the padded extent, because they get
    // no layout.
    if (!hasExtent(function.getArgumentTypes(), longest) &&
        !hasExtent(function.getResultTypes(), longest))
      plan.tiles = 1 + static_cast<int64_t>(random() % 4);
  }
  if (plan.padding && options.broken == Break::DropMask)
    plan.padding->withoutMask = 0;
  return module;
}

LogicalResult pad(ModuleOp module, const PadOptions &padding) {
  PadToMaxPromptLenOptions options;
  options.maxPromptLen = padding.maxLength;
  options.side = padding.side == PaddingSide::Left ? "left" : "right";
  options.poison = padding.poison;
  options.withoutMask = padding.withoutMask;
  return run(module, createPadToMaxPromptLen(options));
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

std::string pipelineOf(const PromptPlan &prompt, bool splitReductions) {
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
