// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnmarkedPrefill.h"

#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Support/NoteNode.h"
#include "npu/Support/RefusalKind.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// An argument, and what the model calls it.
std::string describe(func::FuncOp function, BlockArgument argument) {
  std::string text = fmt::format("argument #{}", argument.getArgNumber());
  if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        "npu.name"))
    text += fmt::format(" '{}'", name.getValue().str());
  return text;
}

/// Whether `value` is `argument`, perhaps of another type.
bool isArgument(Value value, BlockArgument argument) {
  while (value.getDefiningOp() && isTensorCast(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value == argument;
}

/// A concatenation, and an argument that is one of its operands.
struct GrowingCache {
  Operation *concatenation = nullptr;
  int64_t dim = 0;
  BlockArgument cache;
};

/// The first concatenation, in the function's order, of an argument that has no
/// rows of the prompt with tensors that follow from it: a cache that is longer
/// after every chunk.
std::optional<GrowingCache> findGrowing(func::FuncOp function,
                                        const Prompt &prompt) {
  for (Operation &op : function.front()) {
    std::optional<int64_t> dim = concatenatedAlong(&op);
    if (!dim ||
        !cast<RankedTensorType>(op.getResult(0).getType()).isDynamicDim(*dim))
      continue;
    for (BlockArgument argument : function.getArguments())
      // Rows of the prompt are no cache; those of another prompt are.
      if (!llvm::is_contained(prompt.symbols[argument.getArgNumber()], 0) &&
          llvm::any_of(op.getOperands(), [&](Value operand) {
            return isArgument(operand, argument);
          }))
        return GrowingCache{&op, *dim, argument};
  }
  return std::nullopt;
}

} // namespace

LogicalResult refuseUnmarked(func::FuncOp function, bool assumeFinite) {
  auto expectMarks = [&] {
    return function.emitError()
           << "expected a function to run in chunks: mark its caches with "
           << cacheDimAttrName << " and the position of the prompt's first row "
           << "with " << cacheOffsetAttrName;
  };
  bool hasPrompt = false;
  // The length stands for one that is not known.
  constexpr int64_t most = 1 << 20;
  auto prompt = findPrompt(function, most, PaddingSide::Right, hasPrompt);
  if (failed(prompt))
    return failure();
  if (!hasPrompt || prompt->length || !function.getBody().hasOneBlock())
    return expectMarks();
  if (auto growing = findGrowing(function, *prompt)) {
    std::string cache = describe(function, growing->cache);
    InFlightDiagnostic error =
        growing->concatenation->emitError()
        << "'" << growing->concatenation->getName()
        << "' cannot be run in chunks: " << cache
        << " is a cache that grows along dimension " << growing->dim
        << " by the prompt's rows, so that every chunk would get one of "
           "another shape";
    noteNode(error, growing->concatenation);
    error.attachNote(function.getLoc())
        << "a cache of static shape can be run in chunks into which the "
           "prompt's rows are put at an offset: "
        << cacheDimAttrName << " marks it, and " << cacheOffsetAttrName
        << " the offset";
    return marked(std::move(error), RefusalKind::NotChunked);
  }
  // What is there of rows that follow from others is found in a copy that has
  // an offset, and no cache.
  OwningOpRef<func::FuncOp> copy = function.clone();
  copy->getBody().addArgument(IndexType::get(function.getContext()),
                              function.getLoc());
  Prefill prefill;
  prefill.prompt = *prompt;
  prefill.prompt.dims.emplace_back();
  prefill.prompt.symbols.emplace_back();
  prefill.cacheDims.resize(copy->getNumArguments() + 1);
  prefill.offset = copy->front().getNumArguments() - 1;
  prefill.capacity = most;
  if (prompt->count() == 1 &&
      failed(Causality(*copy, prefill, assumeFinite).run())) {
    mlir::emitRemark(function.getLoc())
        << "what rows follow from has to come from a cache, and no argument is "
           "marked as one with "
        << cacheDimAttrName << ", and none as an offset with "
        << cacheOffsetAttrName;
    return failure();
  }
  return expectMarks();
}

} // namespace npu
