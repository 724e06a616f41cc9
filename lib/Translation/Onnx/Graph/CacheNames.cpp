// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CacheNames.h"

#include "npu/Dialect/NPU/IR/CacheArguments.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/IR/Builders.h"
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
    if (cacheArgument(function, i))
      continued.erase(found);
    else
      (void)function.removeArgAttr(i, cacheAttr);
  }
}

} // namespace npu
