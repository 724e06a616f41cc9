// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SummedPrompts.h"

#include "../Build/NumberBounds.h"

#include "npu/Dialect/NPU/IR/DimensionNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The extents that a name is the sum of; none where it is no sum.
TensorBuilder::Sizes termsOf(StringRef name, FunctionOpInterface function,
                             Numbers numbers) {
  SmallVector<StringRef> terms = namesInSum(name);
  if (terms.size() < 2)
    return {};
  // The entries of a cache are in front of new ones, in whatever order they are
  // added up.
  TensorBuilder::Sizes extents;
  for (bool isOfCache : {true, false})
    for (StringRef term : terms)
      if (term.contains_insensitive("past") == isOfCache) {
        int64_t number = 0;
        if (!term.getAsInteger(10, number)) {
          extents.push_back(numbers.constant(number));
          continue;
        }
        auto found = findPromptDim(
            function, [&](StringRef each) { return each == term; });
        if (!found)
          return {};
        extents.push_back(numbers.extentOf(found->argument, found->dim));
      }
  return extents;
}

} // namespace

Value inPartsOfPrompts(TensorBuilder &build, FunctionOpInterface function,
                       BlockArgument argument, StringRef name) {
  Value whole = argument;
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
    Numbers numbers = build.numbersHere();
    TensorBuilder::Sizes extents =
        type.isDynamicDim(dim)
            ? termsOf(PromptDim{argument, dim}.name(), function, numbers)
            : TensorBuilder::Sizes();
    if (extents.empty())
      continue;
    TensorBuilder::Sizes offsets(type.getRank(), numbers.constant(0)),
        sizes = build.sizes(whole);
    SmallVector<Value> parts;
    Number sum = numbers.constant(0);
    for (Number extent : extents) {
      offsets[dim] = sum;
      sizes[dim] = extent;
      parts.push_back(build.sliceAt(whole, offsets, sizes,
                                    SmallVector<int64_t>(type.getRank(), 1)));
      sum = numbers.add(sum, extent);
    }
    OpBuilder &builder = build.builder;
    Value isSum = arith::CmpIOp::create(
        builder, build.loc, arith::CmpIPredicate::eq,
        numbers.valueOf(numbers.extentOf(argument, dim)), numbers.valueOf(sum));
    cf::AssertOp::create(
        builder, build.loc, isSum,
        fmt::format("expected dimension {} of '{}' to have the entries of its "
                    "parts together, {}",
                    dim, name.str(), PromptDim{argument, dim}.name().str()));
    whole = build.concat(parts, dim);
  }
  return whole;
}

} // namespace npu
