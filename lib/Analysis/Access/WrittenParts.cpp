// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

using namespace mlir;

namespace npu {

namespace {

/// The values that branches give a block as this argument; no values where one
/// of the branches is of an unknown kind.
SmallVector<Value> givenByBranches(BlockArgument argument) {
  SmallVector<Value> given;
  Block *block = argument.getOwner();
  for (auto from = block->pred_begin(); from != block->pred_end(); ++from) {
    auto branch = dyn_cast<BranchOpInterface>((*from)->getTerminator());
    Value value = branch
                      ? branch.getSuccessorOperands(
                            from.getSuccessorIndex())[argument.getArgNumber()]
                      : Value();
    if (!value)
      return {};
    given.push_back(value);
  }
  return given;
}

/// The values that an operation with regions may hand on as this result or
/// argument: first its own operand, then what its regions yield.
SmallVector<Value> givenByRegions(RegionBranchOpInterface op, Value value) {
  SmallVector<RegionBranchPoint> points = {RegionBranchPoint::parent()};
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (auto end =
              block.empty()
                  ? RegionBranchTerminatorOpInterface()
                  : dyn_cast<RegionBranchTerminatorOpInterface>(block.back()))
        points.push_back(RegionBranchPoint(end));
  SmallVector<Value> given;
  for (RegionBranchPoint point : points) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors)
      for (auto [input, operand] :
           llvm::zip(successor.getSuccessorInputs(),
                     op.getSuccessorOperands(point, successor)))
        if (input == value)
          given.push_back(operand);
  }
  return given;
}

} // namespace

SmallVector<Value> handedOnAs(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
      std::optional<APInt> rounds = loop.getStaticTripCount();
      return {rounds && rounds->isZero()
                  ? loop.getInitArgs()[result.getResultNumber()]
                  : loop.getYieldedValues()[result.getResultNumber()]};
    }
    auto op = dyn_cast<RegionBranchOpInterface>(result.getOwner());
    return op ? givenByRegions(op, value) : SmallVector<Value>();
  }
  auto argument = cast<BlockArgument>(value);
  if (!argument.getOwner()->isEntryBlock())
    return givenByBranches(argument);
  auto op =
      dyn_cast<RegionBranchOpInterface>(argument.getOwner()->getParentOp());
  return op ? givenByRegions(op, value) : SmallVector<Value>();
}

bool handsOn(Operation *op) {
  return isa<RegionBranchOpInterface>(op) ||
         (op->hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(op));
}

namespace {

/// Whether iterations that run at the same time write into the result, which
/// boxes do not say.
bool isCombined(Value value) {
  auto loop = value.getDefiningOp<scf::ForallOp>();
  return loop && !loop
                      .getCombiningOps(loop.getTiedBlockArgument(
                          loop.getTiedOpOperand(cast<OpResult>(value))))
                      .empty();
}

/// Whether `op` hands the entries of its operand on in a tensor of the same
/// shape.
bool keepsElements(Operation *op) {
  Value from = movedOrViewed(op);
  // A permute_cast may reorder, unless nothing of the type changes.
  if (isa<PermuteCastOp>(op) && from.getType() != op->getResult(0).getType())
    return false;
  auto type =
      from ? dyn_cast<RankedTensorType>(from.getType()) : RankedTensorType();
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && result && type.getShape() == result.getShape();
}

/// The most boxes that represent the part that one insertion writes.
constexpr int64_t maxBoxesOfInsertion = 1 << 16;

/// The boxes that an insertion with static offsets, sizes and strides writes:
/// one box for each entry along strided dimensions. Where these would be too
/// many, the entries between them count as written, too.
WrittenBoxes boxesOfInsertion(OffsetSizeAndStrideOpInterface insert) {
  if (llvm::is_contained(insert.getStaticSizes(), 0))
    return {};
  WrittenBoxes boxes = {Box(insert.getStaticOffsets().size())};
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(insert.getStaticOffsets(), insert.getStaticSizes(),
                       insert.getStaticStrides())) {
    int64_t last = offset + (size - 1) * stride;
    SmallVector<Range> ranges;
    if (stride != 1 &&
        size <= maxBoxesOfInsertion / static_cast<int64_t>(boxes.size()))
      for (int64_t i = 0; i < size; ++i)
        ranges.push_back({offset + i * stride, offset + i * stride + 1});
    else
      ranges.push_back({std::min(offset, last), std::max(offset, last) + 1});
    WrittenBoxes cut;
    for (const Box &box : boxes)
      for (Range range : ranges) {
        cut.push_back(box);
        cut.back()[dim] = range;
      }
    boxes = std::move(cut);
  }
  return boxes;
}

} // namespace

/// Goes from one tensor to all empty ones after it.
class WrittenParts::Collector {
public:
  explicit Collector(WrittenParts &parts) : parts(parts) {}

  void collect(Value value, WrittenBoxes boxes) {
    while (true) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.hasStaticShape() || type.getRank() > kMaxRank)
        return;
      value = parts.afterMoves(value);
      Operation *op = value.getDefiningOp();
      if (isUnwritten(value))
        return atEmpty(value, std::move(boxes));
      if (auto transfer = dyn_cast_if_present<TransferOp>(op)) {
        unsigned number = cast<OpResult>(value).getResultNumber();
        boxes.push_back(transfer.getDestPart(number));
        value = transfer.getDests()[number];
      } else if (Value into = op ? writtenOver(op) : Value()) {
        auto insert = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
        if (!insert || ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
            ShapedType::isDynamicShape(insert.getStaticSizes()) ||
            ShapedType::isDynamicShape(insert.getStaticStrides()))
          return;
        llvm::append_range(boxes, boxesOfInsertion(insert));
        value = into;
      } else if (auto write = op ? entryWrittenBy(op) : std::nullopt) {
        std::optional<SmallVector<int64_t>> at =
            getConstantIntValues(write->position);
        // A loop may write all entries, one by one.
        if (!at && !write->into.getDefiningOp<TransferOp>())
          return;
        if (at)
          boxes.push_back(Box::fromOffsetsAndSizes(
              toExtents(*at), toExtents(SmallVector<int64_t>(at->size(), 1))));
        value = write->into;
      } else if (Value from = op && op->getNumResults() == 1 ? movedOrViewed(op)
                                                             : Value()) {
        Operation *empty = parts.origins.emptyAfter(from);
        if (empty && !empty->hasAttr(paddingAttrName))
          ways.push_back(std::move(boxes));
        return;
      } else {
        if (!isCombined(value) && seen.insert(value).second)
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

  WrittenParts &parts;
  llvm::SmallPtrSet<Value, 4> seen;
};

Value WrittenParts::afterMoves(Value value) {
  SmallVector<Value> links;
  while (true) {
    if (auto it = moved.find(value); it != moved.end()) {
      value = it->second;
      break;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1 || !keepsElements(op) ||
        isUnwritten(value) || isa<TransferOp>(op) || writtenOver(op) ||
        entryWrittenBy(op))
      break;
    links.push_back(value);
    value = movedOrViewed(op);
  }
  for (Value link : links)
    moved[link] = value;
  return value;
}

SmallVector<WrittenBoxes, 1> WrittenParts::waysWritten(Value value) {
  Collector collector(*this);
  collector.collect(value, {});
  return std::move(collector.ways);
}

/// Whether `op` gives a part of a tensor, or all of it in another shape, to
/// operations that write over all of it: steps make their slices of a result
/// so.
static bool isWrittenOver(Operation *op) {
  if (!isPartOrReshape(op))
    return false;
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto structured = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!structured)
      return isWrittenOver(use.getOwner());
    return structured.isDpsInit(&use) &&
           !structured.payloadUsesValueFromOperand(&use) &&
           structured.getMatchingIndexingMap(&use).isProjectedPermutation();
  });
}

std::optional<Box> boxRead(Operation *op, OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || !type.hasStaticShape() || type.getRank() > kMaxRank ||
      asksForShapeOnly(op) || isWrittenOver(op))
    return std::nullopt;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (!structured.payloadUsesValueFromOperand(&operand))
      return std::nullopt;
  } else if (auto style = dyn_cast<DestinationStyleOpInterface>(op);
             style && style.isDpsInit(&operand)) {
    return std::nullopt;
  } else if (auto combining = dyn_cast<ParallelCombiningOpInterface>(op);
             combining &&
             llvm::is_contained(
                 llvm::make_pointer_range(combining.getUpdatedDestinations()),
                 &operand)) {
    return std::nullopt;
  }
  if (std::optional<OpAccess> access = OpAccess::get(op))
    return access->read(operand.getOperandNumber(), access->domain());
  return Box::whole(toExtents(type.getShape()));
}

bool mayMoveNothing(Operation *op) {
  return movedOrViewed(op) || isa<CallOpInterface>(op);
}

} // namespace npu
