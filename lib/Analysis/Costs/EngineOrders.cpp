// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Costs/EngineOrders.h"
#include "EngineWork.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace npu {
namespace {

using Dimensions = EngineOrders::Dimensions;

/// The dimensions that `loops` run along, in the order of loops, so that those
/// of two operands are in one order.
Dimensions dimensionsOf(AffineMap map, EngineWork::Loops loops) {
  llvm::sort(loops);
  Dimensions dimensions;
  for (unsigned loop : loops)
    for (auto [dim, position] : llvm::enumerate(map.getResults()))
      if (position == getAffineDimExpr(loop, map.getContext()))
        dimensions.push_back(static_cast<int64_t>(dim));
  return dimensions;
}

std::optional<EngineWork> contractionOf(Operation *op, const OpAccess &access) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  std::optional<EngineWork> work =
      structured ? findWindowsOrProducts(structured, access) : std::nullopt;
  if (work && work->kind == EngineKind::Pooling)
    return std::nullopt;
  return work;
}

std::optional<OpAccess> accessOfStructured(Operation *op) {
  return isa<linalg::LinalgOp>(op) ? OpAccess::get(op) : std::nullopt;
}

/// The loops that run through channels of the result.
EngineWork::Loops channelsOf(const EngineWork &work) {
  EngineWork::Loops made = work.outputs;
  if (work.kind == EngineKind::Depthwise)
    made.append(work.groups);
  return made;
}

} // namespace

SmallVector<unsigned> channelLoops(Operation *op, const OpAccess &access) {
  std::optional<EngineWork> work = contractionOf(op, access);
  if (!work)
    return {};
  return channelsOf(*work);
}

std::optional<std::pair<Type, Type>> widenedFactorsOf(Operation *op) {
  std::optional<OpAccess> access = accessOfStructured(op);
  std::optional<EngineWork> work =
      access ? contractionOf(op, *access) : std::nullopt;
  if (!work)
    return std::nullopt;
  Type wide = getElementTypeOrSelf(op->getOperand(work->image).getType());
  Type narrow = getElementTypeOrSelf(op->getOperand(work->weights).getType());
  if (wide.isInteger())
    std::swap(wide, narrow);
  if (!isa<FloatType>(wide) || !narrow.isInteger())
    return std::nullopt;
  return std::pair{wide, narrow};
}

std::optional<EngineOrders> engineOrdersOf(Operation *op) {
  std::optional<OpAccess> access = accessOfStructured(op);
  std::optional<EngineWork> work =
      access ? contractionOf(op, *access) : std::nullopt;
  if (!work)
    return std::nullopt;
  EngineWork::Loops summed =
      work->kind == EngineKind::Depthwise ? work->groups : work->inputs;
  AffineMap image = access->mapOf(work->image);
  AffineMap weights = access->mapOf(work->weights);
  // A factor that does not change along a loop has no channels there.
  llvm::erase_if(summed, [&](unsigned loop) {
    return !image.isFunctionOfDim(loop) || !weights.isFunctionOfDim(loop);
  });
  EngineOrders orders;
  orders.operands.resize(op->getNumOperands());
  orders.operands[work->image] = dimensionsOf(image, summed);
  orders.operands[work->weights] = dimensionsOf(weights, summed);
  auto structured = cast<linalg::LinalgOp>(op);
  orders.result = dimensionsOf(
      structured.getMatchingIndexingMap(structured.getDpsInitOperand(0)),
      channelsOf(*work));
  return orders;
}

Permutation withChannelsInnermost(RankedTensorType type,
                                  const Permutation &order,
                                  ArrayRef<int64_t> channels) {
  Permutation wanted;
  for (int64_t dim : order)
    if (!llvm::is_contained(channels, dim))
      wanted.push_back(dim);
  for (int64_t dim : channels)
    wanted.push_back(dim);
  return sameMemoryOrder(type.getShape(), order, wanted) ? order : wanted;
}

} // namespace npu
