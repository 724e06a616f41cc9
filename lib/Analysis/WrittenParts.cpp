// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/WrittenParts.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

SmallVector<Value> handedOnAs(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    unsigned number = result.getResultNumber();
    Operation *op = result.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return {loop.getYieldedValues()[number]};
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return {loop.getConditionOp().getArgs()[number]};
    SmallVector<Value> yielded;
    if (isa<scf::IfOp>(op))
      for (Region &region : op->getRegions())
        yielded.push_back(region.front().getTerminator()->getOperand(number));
    return yielded;
  }
  auto argument = cast<BlockArgument>(value);
  Operation *op = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && number > 0)
    return {loop.getInitArgs()[number - 1],
            loop.getYieldedValues()[number - 1]};
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (argument.getOwner() == loop.getAfterBody())
      return {loop.getConditionOp().getArgs()[number]};
    return {loop.getInits()[number], loop.getYieldOp().getOperand(number)};
  }
  return {};
}

namespace {

/// Operations that hand on what there is, of the same shape.
bool keepsElements(Operation *op) {
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(cast.getType());
    return from && to && from.getShape() == to.getShape();
  }
  return isa<DistributionCastOp, RedistributeOp>(op);
}

/// The same for another shape, or a part. Nothing is nothing in every shape.
bool changesShape(Operation *op) {
  return isa<PermuteCastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp>(op);
}

/// The tensor.empty of which a value is a view or a part, if any.
Operation *emptyBehind(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && (keepsElements(op) || changesShape(op)))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<tensor::EmptyOp>(op) ? op : nullptr;
}

class Collector {
public:
  void collect(Value value, WrittenBoxes boxes) {
    while (true) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.hasStaticShape() || type.getRank() > kMaxRank)
        return;
      Operation *op = value.getDefiningOp();
      if (isa_and_nonnull<tensor::EmptyOp>(op))
        return atEmpty(value, std::move(boxes));
      if (auto transfer = dyn_cast_if_present<TransferOp>(op)) {
        unsigned number = cast<OpResult>(value).getResultNumber();
        boxes.push_back(
            Box::fromOffsetsAndSizes(toExtents(transfer.getDestOffset(number)),
                                     toExtents(transfer.getDestSizes())));
        value = transfer.getDests()[number];
      } else if (auto insert = dyn_cast_if_present<tensor::InsertSliceOp>(op)) {
        if (ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
            ShapedType::isDynamicShape(insert.getStaticSizes()) ||
            !insert.hasUnitStride())
          return;
        boxes.push_back(
            Box::fromOffsetsAndSizes(toExtents(insert.getStaticOffsets()),
                                     toExtents(insert.getStaticSizes())));
        value = insert.getDest();
      } else if (op && keepsElements(op)) {
        value = op->getOperand(0);
      } else if (op && changesShape(op)) {
        Operation *empty = emptyBehind(op->getOperand(0));
        if (empty && !empty->hasAttr(paddingAttrName))
          ways.push_back(std::move(boxes));
        return;
      } else {
        if (seen.insert(value).second)
          for (Value before : handedOnAs(value))
            collect(before, boxes);
        return;
      }
    }
  }

  SmallVector<WrittenBoxes, 1> ways;

private:
  void atEmpty(Value value, WrittenBoxes boxes) {
    if (value.getDefiningOp()->getAttrOfType<UnitAttr>(paddingAttrName))
      return;
    Padding padding = paddingOf(value);
    if (!padding.empty())
      llvm::append_range(
          boxes,
          paddingIn(Box::whole(toExtents(
                        cast<RankedTensorType>(value.getType()).getShape())),
                    padding));
    ways.push_back(std::move(boxes));
  }

  llvm::SmallPtrSet<Value, 4> seen;
};

} // namespace

SmallVector<WrittenBoxes, 1> waysWritten(Value value) {
  Collector collector;
  collector.collect(value, {});
  return std::move(collector.ways);
}

bool isMadeOfNothing(Value value) { return emptyBehind(value) != nullptr; }

} // namespace npu
