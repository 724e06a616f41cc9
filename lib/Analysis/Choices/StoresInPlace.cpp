// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/StoresInPlace.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// The insertion of a tensor into a part of another one; null for others.
DestinationStyleOpInterface asInsertion(Operation *op) {
  return isa<OffsetSizeAndStrideOpInterface>(op)
             ? dyn_cast<DestinationStyleOpInterface>(op)
             : DestinationStyleOpInterface();
}

/// What `value` was before parts of it were stored: a value that no store and
/// no loop has made.
Value beforeStores(Value value) {
  while (Operation *maker = value.getDefiningOp()) {
    if (storesInPlace(maker))
      value = asInsertion(maker).getDpsInits()[0];
    else if (handsOnInPlace(maker))
      value =
          cast<scf::ForOp>(maker).getTiedLoopInit(cast<OpResult>(value))->get();
    else
      break;
  }
  return value;
}

} // namespace

int64_t slotsOf(Operation *loop) {
  auto slots = loop->getAttrOfType<IntegerAttr>(slotsAttrName);
  return slots ? slots.getInt() : 1;
}

bool storesInPlace(Operation *op) {
  auto insert = asInsertion(op);
  if (!insert || !op->hasAttr(stepsAttrName) ||
      hasLayout(op->getResult(0).getType()))
    return false;
  // Steps that add to what was there have read it before.
  for (Operation *user : insert.getDpsInits()[0].getUsers())
    if (user != op && !(cutsOut(user) && user->getBlock() == op->getBlock() &&
                        user->isBeforeInBlock(op)))
      return false;
  auto store = op->getOperand(0).getDefiningOp<RedistributeOp>();
  return store && store->hasOneUse() &&
         isDistributed(store.getInput().getType());
}

/// What `value` is written over or seen as, through any number of operations
/// and loops: a slice that steps have cut, or a value that none of these makes.
static Value beforeWrites(Value value) {
  while (Operation *maker = value.getDefiningOp()) {
    if (cutsOut(maker))
      break;
    if (isView(maker)) {
      value = maker->getOperand(0);
      continue;
    }
    auto result = cast<OpResult>(value);
    if (auto writer = dyn_cast<DestinationStyleOpInterface>(maker)) {
      value = writer.getTiedOpOperand(result)->get();
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(maker);
    unsigned number = result.getResultNumber();
    if (!loop || beforeWrites(loop.getYieldedValues()[number]) !=
                     loop.getRegionIterArg(number))
      break;
    value = loop.getInitArgs()[number];
  }
  return value;
}

bool putsBackInPlace(Operation *op) {
  auto insert = asInsertion(op);
  if (!insert || !op->hasAttr(stepsAttrName) ||
      !isDistributed(op->getResult(0).getType()))
    return false;
  Operation *cut = beforeWrites(op->getOperand(0)).getDefiningOp();
  if (!cut || !cutsOut(cut) || !cut->hasAttr(stepsAttrName) ||
      cut->getOperand(0) != insert.getDpsInits()[0])
    return false;
  auto from = cast<OffsetSizeAndStrideOpInterface>(cut),
       to = cast<OffsetSizeAndStrideOpInterface>(op);
  return from.isSameAs(to, isEqualConstantIntOrValue);
}

bool handsOnInPlace(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !op->hasAttr(stepsAttrName))
    return false;
  for (auto [argument, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    if (!isa<RankedTensorType>(argument.getType()) ||
        hasLayout(argument.getType()))
      continue;
    if (beforeStores(yielded) != argument)
      return false;
  }
  return true;
}

} // namespace npu
