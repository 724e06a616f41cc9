// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CacheNames.h"

#include "npu/Dialect/NPU/IR/CacheArguments.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace npu {
namespace {

/// The name without the word that tells a cache and its continuation apart, and
/// without "_key_values" after it; empty where that word is not in it. Example:
/// "past_key_values.0.key" and "present.0.key" both become "#.0.key".
std::string withoutWord(StringRef name, StringRef word) {
  auto [before, after] = name.split(word);
  if (before.size() == name.size())
    return "";
  after.consume_front("_key_values");
  return (before + "#" + after).str();
}

/// The dimension of the positions of a buffer of static shape that a function
/// returns with new rows in it: the only one in which a slice that is put into
/// it begins at a number of run time. Nothing where there is none: what always
/// begins at the same entry continues nothing.
std::optional<int64_t> positionsOfBuffer(Value result, BlockArgument buffer) {
  std::optional<int64_t> found;
  while (Operation *op = result.getDefiningOp()) {
    auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
    auto written = dyn_cast<DestinationStyleOpInterface>(op);
    if (!slice || !written || written.getNumDpsInits() != 1)
      return std::nullopt;
    for (auto [number, offset] : llvm::enumerate(slice.getMixedOffsets())) {
      auto dim = static_cast<int64_t>(number);
      if (!isa<Value>(offset))
        continue;
      if (found.value_or(dim) != dim)
        return std::nullopt;
      found = dim;
    }
    result = written.getDpsInits().front();
  }
  return result == buffer ? found : std::nullopt;
}

/// Marks a buffer of static shape as a cache, if that is what it is.
bool markBuffer(FunctionOpInterface function, unsigned argument) {
  StringRef dimAttr = NPUDialect::CacheDimAttrHelper::getNameStr();
  auto name = function.getArgAttrOfType<StringAttr>(
      argument, NPUDialect::CacheAttrHelper::getNameStr());
  Operation *end = function.getFunctionBody().back().getTerminator();
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (function.getResultAttr(i, NPUDialect::NameAttrHelper::getNameStr()) !=
        name)
      continue;
    auto dim =
        positionsOfBuffer(end->getOperand(i), function.getArgument(argument));
    if (!dim)
      return false;
    function.setArgAttr(argument, dimAttr,
                        Builder(function.getContext()).getI64IntegerAttr(*dim));
    if (cacheArgument(function, argument))
      return true;
    (void)function.removeArgAttr(argument, dimAttr);
    return false;
  }
  return false;
}

} // namespace

void markCachesByName(FunctionOpInterface function) {
  StringRef nameAttr = NPUDialect::NameAttrHelper::getNameStr(),
            cacheAttr = NPUDialect::CacheAttrHelper::getNameStr();
  llvm::StringMap<StringAttr> continued;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto name = function.getResultAttrOfType<StringAttr>(i, nameAttr))
      if (std::string key = withoutWord(name, "present"); !key.empty())
        continued.try_emplace(key, name);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, nameAttr);
    std::string key = name ? withoutWord(name, "past") : "";
    auto found = key.empty() ? continued.end() : continued.find(key);
    if (found == continued.end())
      continue;
    function.setArgAttr(i, cacheAttr, found->second);
    if (cacheArgument(function, i) || markBuffer(function, i))
      continued.erase(found);
    else
      (void)function.removeArgAttr(i, cacheAttr);
  }
}

} // namespace npu
