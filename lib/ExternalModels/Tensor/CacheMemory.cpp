// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Tensor/CacheMemory.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether a value is an argument of a function that is marked as a cache.
bool isCache(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast_or_null<FunctionOpInterface>(
                                 argument.getOwner()->getParentOp())
                           : FunctionOpInterface();
  if (!function || !argument.getOwner()->isEntryBlock())
    return false;
  unsigned number = argument.getArgNumber();
  return function.getArgAttr(number,
                             NPUDialect::CacheAttrHelper::getNameStr()) ||
         function.getArgAttr(number,
                             NPUDialect::CacheDimAttrHelper::getNameStr());
}

/// Whether a slice begins at the first entry and leaves none out.
bool isBeginning(OffsetSizeAndStrideOpInterface slice) {
  return slice.hasUnitStride() &&
         llvm::all_of(slice.getMixedOffsets(), isZeroInteger);
}

} // namespace

bool addsToCache(Operation *op) {
  auto insertion = dyn_cast<tensor::InsertSliceOp>(op);
  while (insertion) {
    if (isCache(insertion.getDest()) || isCache(insertion.getSource()))
      return true;
    insertion = insertion.getDest().getDefiningOp<tensor::InsertSliceOp>();
  }
  return false;
}

Operation *enlargementOf(BlockArgument argument) {
  tensor::InsertSliceOp found;
  for (Operation *user : argument.getUsers()) {
    if (isa<tensor::DimOp>(user))
      continue;
    auto insertion = dyn_cast<tensor::InsertSliceOp>(user);
    if (!insertion || found || insertion.getSource() != argument ||
        !insertion.getDest().getDefiningOp<tensor::EmptyOp>() ||
        !isBeginning(insertion))
      return nullptr;
    found = insertion;
  }
  return found;
}

Value wholeOf(Value part, ArrayRef<int64_t> shape) {
  auto slice = part.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getDroppedDims().any() || !isBeginning(slice) ||
      slice.getSourceType().getShape() != shape ||
      slice.getSourceType().getEncoding())
    return {};
  return slice.getSource();
}

} // namespace npu
