// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the attributes of a prefill function's arguments.

#include "npu/Analysis/Causality/Causality.h"

using namespace mlir;

namespace npu {
namespace {

FailureOr<std::optional<int64_t>> cacheDimOf(func::FuncOp function,
                                             unsigned argument) {
  Attribute attr = function.getArgAttr(argument, cacheDimAttrName);
  if (!attr)
    return std::optional<int64_t>();
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  auto dim = dyn_cast<IntegerAttr>(attr);
  if (!type || !dim || dim.getInt() < 0 || dim.getInt() >= type.getRank())
    return function.emitError()
           << "argument #" << argument << ": expected " << cacheDimAttrName
           << " to be a dimension of " << function.getArgumentTypes()[argument]
           << ", got " << attr;
  if (!type.hasStaticShape())
    return function.emitError()
           << "argument #" << argument
           << ": expected a cache of static shape, got " << type;
  return std::optional<int64_t>(dim.getInt());
}

} // namespace

FailureOr<Prefill> findPrefill(func::FuncOp function, bool &found) {
  Prefill prefill;
  std::optional<unsigned> offset, cache;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto dim = cacheDimOf(function, i);
    if (failed(dim))
      return failure();
    prefill.cacheDims.push_back(*dim);
    Type type = function.getArgumentTypes()[i];
    if (*dim) {
      int64_t entries = cast<RankedTensorType>(type).getDimSize(**dim);
      prefill.capacity = cache ? std::min(prefill.capacity, entries) : entries;
      cache = i;
    }
    if (!function.getArgAttr(i, cacheOffsetAttrName))
      continue;
    if (offset)
      return function.emitError()
             << "expected one argument with " << cacheOffsetAttrName
             << ", got #" << *offset << " and #" << i;
    offset = i;
  }
  found = cache || offset;
  if (!found)
    return prefill;
  if (!cache || !offset)
    return function.emitError()
           << "expected both a cache (" << cacheDimAttrName
           << ") and the position of the prompt's first row ("
           << cacheOffsetAttrName << ") to be marked, got the "
           << (cache ? "cache" : "position") << " alone";
  prefill.offset = *offset;
  if (auto type = dyn_cast<IntegerType>(function.getArgumentTypes()[*offset]);
      type && !llvm::isIntN(type.getWidth(), prefill.capacity))
    return function.emitError()
           << "argument #" << *offset << ": expected " << cacheOffsetAttrName
           << " on a type that counts the cache's " << prefill.capacity
           << " entries, got " << type;
  bool hasPrompt = false;
  auto prompt =
      findPrompt(function, prefill.capacity, PaddingSide::Right, hasPrompt);
  if (failed(prompt))
    return failure();
  if (!hasPrompt)
    return function.emitError()
           << "expected a prompt dimension to divide into chunks: make it "
              "dynamic";
  if (prompt->length)
    return function.emitError()
           << "expected a prompt length that is known at run time alone, got "
           << *prompt->length << ": make its dimensions dynamic";
  if (prompt->count() > 1)
    return function.emitError()
           << "expected one prompt to divide into chunks, got "
           << prompt->count() << ", '" << prompt->names[0] << "' and '"
           << prompt->names[1] << "': give one of them a static extent";
  prefill.prompt = std::move(*prompt);
  return prefill;
}

} // namespace npu
