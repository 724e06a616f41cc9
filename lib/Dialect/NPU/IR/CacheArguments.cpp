// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/IR/CacheArguments.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace npu {
namespace {

/// The result of that name (`npu.name`), or of that number, as in "#1".
std::optional<unsigned> resultNamed(FunctionOpInterface function,
                                    StringRef name) {
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto known = function.getResultAttrOfType<StringAttr>(
        i, NPUDialect::NameAttrHelper::getNameStr());
    if (known && known.getValue() == name)
      return i;
  }
  unsigned number = 0;
  if (name.consume_front("#") && !name.getAsInteger(10, number) &&
      number < function.getNumResults())
    return number;
  return std::nullopt;
}

std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The only dimension of which `holds` is true, or -1.
int64_t onlyDimension(int64_t rank, llvm::function_ref<bool(int64_t)> holds) {
  int64_t found = -1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!holds(dim))
      continue;
    if (found >= 0)
      return -1;
    found = dim;
  }
  return found;
}

} // namespace

Result<CacheArgument> cacheArgument(FunctionOpInterface function,
                                    unsigned argument) {
  auto name = function.getArgAttrOfType<StringAttr>(
      argument, NPUDialect::CacheAttrHelper::getNameStr());
  if (!name)
    return Error{"expected 'npu.cache' to be a string"};
  std::optional<unsigned> result = resultNamed(function, name.getValue());
  if (!result)
    return Error{"expected 'npu.cache' to be the npu.name of a result, or its "
                 "number as in \"#1\", got \"" +
                 name.getValue().str() + "\""};
  auto before =
      dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  auto after = dyn_cast<RankedTensorType>(function.getResultTypes()[*result]);
  std::string types = spell(function.getArgumentTypes()[argument]) +
                      " and, as result #" + std::to_string(*result) + ", " +
                      spell(function.getResultTypes()[*result]);
  if (!before || !after || before.getElementType() != after.getElementType() ||
      before.getRank() != after.getRank())
    return Error{"expected a cache and the result that continues it to be "
                 "tensors of one element type and rank, got " +
                 types};
  int64_t rank = before.getRank();
  auto differs = [&](int64_t dim) {
    return before.getDimSize(dim) != after.getDimSize(dim);
  };
  auto isDynamic = [&](int64_t dim) { return before.isDynamicDim(dim); };
  int64_t different = llvm::count_if(llvm::seq<int64_t>(0, rank), differs);
  int64_t dimension = onlyDimension(rank, differs);
  if (auto marked = function.getArgAttrOfType<IntegerAttr>(
          argument, NPUDialect::CacheDimAttrHelper::getNameStr()))
    dimension = marked.getInt();
  else if (dimension < 0)
    dimension = onlyDimension(rank, isDynamic);
  if (different > 1 || (different == 1 && !differs(dimension)))
    return Error{"expected a cache and the result that continues it to have "
                 "one shape but for the dimension of the positions, got " +
                 types};
  if (dimension < 0 || dimension >= rank)
    return Error{"expected 'npu.cache_dim' to say which dimension of the cache "
                 "has one entry for each position, which its type does not: " +
                 spell(before)};
  return CacheArgument{argument, *result, dimension};
}

SmallVector<CacheArgument> cacheArguments(FunctionOpInterface function) {
  SmallVector<CacheArgument> caches;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!function.getArgAttr(i, NPUDialect::CacheAttrHelper::getNameStr()))
      continue;
    if (Result<CacheArgument> cache = cacheArgument(function, i))
      caches.push_back(*cache);
  }
  return caches;
}

} // namespace npu
