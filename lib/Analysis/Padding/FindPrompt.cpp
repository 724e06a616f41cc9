// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the prompt of a function by attributes of its arguments or by their
// dynamic dimensions.

#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Dialect/NPU/IR/CacheArguments.h"
#include "npu/Dialect/NPU/IR/DimensionNames.h"

using namespace mlir;

namespace npu {
namespace {

/// The dimensions that the attribute of an argument names, or a diagnostic.
FailureOr<SmallVector<int64_t, 2>> marksOf(func::FuncOp function,
                                           unsigned argument) {
  SmallVector<int64_t, 2> dims;
  Attribute attr = function.getArgAttr(argument, promptDimAttrName);
  if (!attr)
    return dims;
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  auto fail = [&](const Twine &got) -> FailureOr<SmallVector<int64_t, 2>> {
    return emitError(function.getLoc())
           << "argument #" << argument << ": expected " << promptDimAttrName
           << " to be a dimension of " << function.getArgumentTypes()[argument]
           << " or an array of them, got " << got;
  };
  auto add = [&](Attribute each) {
    auto dim = dyn_cast<IntegerAttr>(each);
    if (!dim || !type || dim.getInt() < 0 || dim.getInt() >= type.getRank())
      return false;
    if (!llvm::is_contained(dims, dim.getInt()))
      dims.push_back(dim.getInt());
    return true;
  };
  std::string spelled;
  llvm::raw_string_ostream(spelled) << attr;
  if (auto array = dyn_cast<ArrayAttr>(attr)) {
    for (Attribute each : array)
      if (!add(each))
        return fail(spelled);
  } else if (auto array = dyn_cast<DenseI64ArrayAttr>(attr)) {
    for (int64_t each : array.asArrayRef())
      if (!add(Builder(function.getContext()).getI64IntegerAttr(each)))
        return fail(spelled);
  } else if (!add(attr)) {
    return fail(spelled);
  }
  return dims;
}

/// Gives the dynamic dimensions of each argument the numbers of prompts:
/// dimensions of one name have one length.
void numberPrompts(func::FuncOp function, Prompt &prompt, bool areNamed) {
  for (auto [argument, dims] : llvm::enumerate(prompt.dims)) {
    SmallVector<unsigned, 2> &numbers = prompt.symbols.emplace_back();
    for (int64_t dim : dims) {
      StringRef name =
          areNamed ? nameOfDimension(function, argument, dim) : StringRef();
      if (name.empty()) {
        numbers.push_back(0);
        continue;
      }
      auto *known = llvm::find(prompt.names, name);
      numbers.push_back(known - prompt.names.begin());
      if (known == prompt.names.end())
        prompt.names.push_back(name.str());
    }
  }
}

} // namespace

SmallVector<std::string> namesOfPrompts(func::FuncOp function) {
  llvm::SmallSetVector<StringRef, 2> names;
  bool isMarked = false;
  for (auto [argument, type] : llvm::enumerate(function.getArgumentTypes())) {
    isMarked |= function.getArgAttr(argument, promptDimAttrName) != nullptr;
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (int64_t dim = 0; tensor && dim < tensor.getRank(); ++dim)
      if (StringRef name = nameOfDimension(function, argument, dim);
          tensor.isDynamicDim(dim) && !name.empty())
        names.insert(name);
  }
  if (names.empty() || (isMarked && names.size() > 1))
    return {""};
  return llvm::map_to_vector(names, [](StringRef name) { return name.str(); });
}

FailureOr<Prompt> findPrompt(func::FuncOp function, int64_t maxLength,
                             PaddingSide side, bool &found) {
  Prompt prompt;
  prompt.maxLength = maxLength;
  prompt.side = side;
  struct Place {
    unsigned argument;
    int64_t dim;
    int64_t extent;
  };
  std::optional<Place> first;
  bool anyMark = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto marks = marksOf(function, i);
    if (failed(marks))
      return failure();
    anyMark |= !marks->empty();
    prompt.dims.push_back(*marks);
  }
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!type)
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      bool marked = llvm::is_contained(prompt.dims[i], dim);
      if (!marked && !type.isDynamicDim(dim))
        continue;
      if (!marked && anyMark)
        return emitError(function.getLoc())
               << "argument #" << i << ": dimension " << dim
               << " is dynamic, but not marked as the prompt's while others "
                  "are; mark it with "
               << promptDimAttrName << ", or give it a static extent";
      if (!marked)
        prompt.dims[i].push_back(dim);
      Place place{i, dim, type.getDimSize(dim)};
      if (!first)
        first = place;
      if (place.extent != first->extent) {
        auto spell = [](int64_t extent) {
          return ShapedType::isDynamic(extent) ? std::string("dynamic")
                                               : std::to_string(extent);
        };
        return emitError(function.getLoc())
               << "conflicting prompt dimensions: argument #" << first->argument
               << " dimension " << first->dim << " is " << spell(first->extent)
               << ", argument #" << i << " dimension " << dim << " is "
               << spell(place.extent);
      }
    }
  }
  found = first.has_value();
  numberPrompts(function, prompt,
                !anyMark && first && ShapedType::isDynamic(first->extent));
  if (!first)
    return prompt;
  if (ShapedType::isDynamic(first->extent)) {
    for (const CacheArgument &cache : cacheArguments(function))
      prompt.isOfCaches |=
          prompt.count() == 1 &&
          llvm::is_contained(prompt.dims[cache.argument], cache.dimension);
    return prompt;
  }
  prompt.length = first->extent;
  if (*prompt.length < 1)
    return emitError(function.getLoc())
           << "expected a prompt length of at least 1, got 0 (argument #"
           << first->argument << " dimension " << first->dim << ")";
  if (*prompt.length > maxLength)
    return emitError(function.getLoc())
           << "expected a prompt length of at most max-prompt-len = "
           << maxLength << ", got " << *prompt.length << " (argument #"
           << first->argument << " dimension " << first->dim << ")";
  return prompt;
}

} // namespace npu
