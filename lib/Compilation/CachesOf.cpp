// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CachesOf.h"

#include "npu/Analysis/Causality/Causality.h"
#include "npu/Dialect/NPU/IR/CacheArguments.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// The argument of `function` that `offset` is, after casts and extractions.
std::optional<int64_t> argumentOf(func::FuncOp function, OpFoldResult offset) {
  auto value = dyn_cast<Value>(offset);
  while (value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != &function.front())
        return std::nullopt;
      return argument.getArgNumber();
    }
    Operation *op = value.getDefiningOp();
    value = op->getNumOperands() == 1 ? op->getOperand(0) : Value();
  }
  return std::nullopt;
}

} // namespace

std::vector<ArtefactCache> cachesOf(func::FuncOp function) {
  SmallVector<int64_t> offsets;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, cacheOffsetAttrName))
      offsets.push_back(i);
  SmallVector<CacheArgument> continued = cacheArguments(function);
  std::vector<ArtefactCache> caches;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto dim = function.getArgAttrOfType<IntegerAttr>(i, cacheDimAttrName);
    auto known = llvm::find_if(continued, [&](const CacheArgument &each) {
      return each.argument == i;
    });
    bool isContinued = known != continued.end();
    if (!dim && !isContinued)
      continue;
    ArtefactCache &cache = caches.emplace_back();
    cache.input = i;
    cache.dimension = isContinued ? known->dimension : dim.getInt();
    if (isContinued)
      cache.result = known->result;
    if (offsets.size() == 1)
      cache.offsetInput = offsets.front();
    for (Operation *user : function.getArgument(i).getUsers()) {
      // What writes a part of the cache: a slice whose destination it is.
      auto insert = dyn_cast<OffsetSizeAndStrideOpInterface>(user);
      auto written = dyn_cast<DestinationStyleOpInterface>(user);
      if (!insert || !written || written.getNumDpsInits() != 1 ||
          written.getDpsInits().front() != function.getArgument(i))
        continue;
      int64_t rows = insert.getStaticSizes()[cache.dimension];
      if (!ShapedType::isDynamic(rows))
        cache.rows = std::max(cache.rows, rows);
      auto argument =
          argumentOf(function, insert.getMixedOffsets()[cache.dimension]);
      if (argument && llvm::is_contained(offsets, *argument))
        cache.offsetInput = argument;
    }
  }
  return caches;
}

} // namespace npu
