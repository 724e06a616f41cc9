// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/StepProbe.h"

#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// The slice of an operand where its operation runs so many iterations; null
/// where the layout does not fit it.
RankedTensorType sliceType(linalg::LinalgOp op, OpOperand &operand,
                           ArrayRef<int64_t> iterations, LayoutAttr layout) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  auto slice = RankedTensorType::get(
      sliceShape(op.getMatchingIndexingMap(&operand), iterations),
      type.getElementType(), layout);
  return layout && !getPlacement(slice) ? RankedTensorType() : slice;
}

/// What stands for an operand from outside of the block.
Value fromOutside(OpBuilder &builder, Block &block, Value operand,
                  RankedTensorType slice) {
  if (isMadeAnywhere(operand))
    return *cast<RematerializableOpInterface>(operand.getDefiningOp())
                .rematerializeAs(builder, slice);
  return block.addArgument(slice, operand.getLoc());
}

linalg::LinalgOp cloneOn(OpBuilder &builder, linalg::LinalgOp op,
                         ArrayRef<Value> operands) {
  Value init = operands[op.getDpsInitOperand(0)->getOperandNumber()];
  auto made = cast<linalg::LinalgOp>(
      mlir::clone(builder, op, {init.getType()}, operands));
  made->removeAttr(stepsAttrName);
  // Padding is marked in places of the whole result.
  made->removeAttr(paddingAttrName);
  return made;
}

} // namespace

StepProbe::StepProbe(linalg::LinalgOp op, ArrayRef<int64_t> iterations) {
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(
        isa<RankedTensorType>(operand.get().getType())
            ? fromOutside(builder, block, operand.get(),
                          sliceType(op, operand, iterations, nullptr))
            : operand.get());
  made = cloneOn(builder, op, operands);
}

GroupProbe::GroupProbe(const StepGroup &group, const OperationSteps &steps,
                       size_t level, const StepPlace &place) {
  linalg::LinalgOp last = group.last().op;
  OpBuilder builder(last.getContext());
  builder.setInsertionPointToEnd(&block);
  llvm::DenseMap<size_t, Value> made;
  llvm::DenseMap<std::pair<size_t, LayoutAttr>, Value> moved;
  std::vector<SmallVector<StepUse, 1>> slices = group.slicesIn(steps);
  llvm::DenseMap<size_t, Value> loaded;
  // An engine may add for an operation in a loop further inside.
  auto readInside = [&](StepUse use, Value whole) {
    OpBuilder into(last.getContext());
    into.setInsertionPointToEnd(&inside);
    const StepMember &member = group.members()[use.member];
    SmallVector<Value> operands;
    for (OpOperand &operand : member.op->getOpOperands()) {
      StepUse other{use.member, operand.getOperandNumber()};
      if (other == use || !isa<RankedTensorType>(operand.get().getType())) {
        operands.push_back(other == use ? whole : operand.get());
        continue;
      }
      RankedTensorType slice =
          sliceType(member.op, operand, member.iterations(place.counts),
                    StepGroup::layoutOf(steps, other));
      if (!slice)
        return;
      operands.push_back(inside.addArgument(slice, operand.get().getLoc()));
    }
    cloneOn(into, member.op, operands);
  };
  for (auto [number, uses] : llvm::enumerate(slices)) {
    StepUse use = uses.front();
    Operation *pad = group.padOf(use);
    LayoutAttr layout = StepGroup::layoutOf(steps, use);
    if (!pad || !layout || group.levelOf(steps, use) != level)
      continue;
    AddedEntries added = addedAt(group, use, place);
    if (!added.any())
      continue;
    const StepMember &member = group.members()[use.member];
    RankedTensorType slice = sliceType(member.op, group.operandOf(use),
                                       member.iterations(place.counts), layout);
    RankedTensorType before =
        slice ? typeBeforePad(slice, added) : RankedTensorType();
    if (!before) {
      valid = false;
      return;
    }
    Value whole = padSlice(
        builder, pad, block.addArgument(before, pad->getLoc()), slice, added);
    loaded[number] = whole;
    for (StepUse each : uses)
      if (group.levelOf(steps, each.member) != level)
        readInside(each, whole);
  }
  for (size_t number = 0; number < group.size(); ++number) {
    if (group.levelOf(steps, number) != level)
      continue;
    StepMember member = group.members()[number];
    SmallVector<int64_t> own = member.iterations(place.counts);
    SmallVector<Value> operands;
    for (OpOperand &operand : member.op->getOpOperands()) {
      StepUse use{number, operand.getOperandNumber()};
      if (!isa<RankedTensorType>(operand.get().getType())) {
        operands.push_back(operand.get());
        continue;
      }
      LayoutAttr layout = StepGroup::layoutOf(steps, use);
      RankedTensorType slice = sliceType(member.op, operand, own, layout);
      std::optional<size_t> maker =
          member.op.isDpsInit(&operand) ? std::nullopt : group.makerOf(use);
      RankedTensorType before = maker
                                    ? sliceType(member.op, operand, own,
                                                group.layoutMade(steps, *maker))
                                    : slice;
      if (!slice || !before) {
        valid = false;
        return;
      }
      auto same = llvm::find_if(slices, [&](ArrayRef<StepUse> others) {
        return llvm::is_contained(others, use);
      });
      Value value;
      if (maker) {
        Value &known = made[*maker];
        if (!known)
          known = block.addArgument(before, operand.get().getLoc());
        value = known;
        if (before != slice) {
          Value &brought = moved[{*maker, layout}];
          if (!brought)
            brought = bringBetweenTiles(builder, value, slice);
          value = brought;
        }
      } else if (same != slices.end()) {
        Value &known = loaded[same - slices.begin()];
        if (!known)
          known = fromOutside(builder, block, operand.get(), slice);
        value = known;
      } else {
        value = fromOutside(builder, block, operand.get(), slice);
      }
      operands.push_back(value);
    }
    made[number] = cloneOn(builder, member.op, operands)->getResult(0);
  }
}

} // namespace npu
