// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-run-in-steps: makes loops of operations that carry `npu.steps`.

#include "npu/Dialect/NPU/Transforms/Steps/Passes.h"

#include "npu/Analysis/Choices/StepPlace.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/ConstantPad.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_RUNINSTEPS
#include "npu/Dialect/NPU/Transforms/Steps/Passes.h.inc"

namespace {

/// Builds the loops of one operation, and of those in its steps.
class StepBuilder {
public:
  StepBuilder(IRRewriter &rewriter, const StepGroup &group,
              const OperationSteps &steps)
      : rewriter(rewriter), group(group), op(group.last().op), steps(steps),
        loc(op.getLoc()), slices(group.slicesIn(steps)),
        firstReduction(steps.firstReduction(op)), loaded(slices.size()),
        made(group.size()) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    offsets.assign(extents.size(), rewriter.getIndexAttr(0));
    for (int64_t extent : extents)
      sizes.push_back(rewriter.getIndexAttr(extent));
  }

  /// The whole result, or null after an error.
  Value build() {
    rewriter.setInsertionPoint(op);
    Value output = init().get();
    // Every entry is stored by some step, and what it adds to may be read by
    // others.
    if (!isOnTiles(init()))
      output = unwritten(init(),
                         cast<RankedTensorType>(output.getType()).getShape());
    return emit(0, output);
  }

private:
  OpOperand &init() { return *op.getDpsInitOperand(0); }
  StepUse output() { return group.outputOf(group.size() - 1); }

  static bool isOnTiles(OpOperand &operand) {
    return isDistributed(operand.get().getType());
  }

  /// Emits the loops from `level` on. `carried` is the whole output in DDR, or,
  /// inside of loops that reduce, the sums on tiles. Returns what it becomes.
  Value emit(size_t level, Value carried) {
    if (failed(loadInvariant(level)))
      return {};
    bool beginsSums = level == firstReduction && !onTiles;
    // Everything is loaded before tiles work.
    std::optional<linalg::SliceParameters> part;
    Value sums = carried;
    if (beginsSums && !isOnTiles(init())) {
      part = partOf(output(), carried);
      sums = beginSums(part, carried);
    }
    if (!sums || failed(makeBefore(level)))
      return {};
    onTiles |= beginsSums;
    sums = level == steps.loops.size() ? compute(group.size() - 1, sums)
                                       : emitLoop(level, sums);
    if (!beginsSums || !sums)
      return sums;
    onTiles = false;
    return isOnTiles(init()) ? sums : store(sums, part, carried);
  }

  /// The slice of the output on tiles; null after an error.
  Value beginSums(const std::optional<linalg::SliceParameters> &part,
                  Value carried) {
    SmallVector<int64_t> shape =
        part ? shapeOf(*part)
             : llvm::to_vector(
                   cast<RankedTensorType>(carried.getType()).getShape());
    Value begin = init().get();
    if (!loadsOutput(op))
      begin = isMadeAnywhere(init().get()) ? init().get()
                                           : unwritten(init(), shape);
    else if (part)
      begin = slice(begin, *part);
    return bring(begin, StepGroup::layoutOf(steps, output()), shape);
  }

  /// What tiles have made, in its place in the output.
  Value store(Value sums, const std::optional<linalg::SliceParameters> &part,
              Value carried) {
    auto type = cast<RankedTensorType>(sums.getType());
    Value stored =
        RedistributeOp::create(rewriter, loc, withLayout(type, nullptr), sums);
    if (!part)
      return stored;
    auto inserted = tensor::InsertSliceOp::create(rewriter, loc, stored,
                                                  carried, part->offsets,
                                                  part->sizes, part->strides);
    inserted->setAttr(stepsAttrName, rewriter.getUnitAttr());
    return inserted;
  }

  /// Loops over steps of the same size, and between them single steps.
  Value emitLoop(size_t level, Value carried) {
    int64_t loop = steps.loops[level];
    OpFoldResult offset = offsets[loop], before = sizes[loop];
    for (const StepRounds &each : roundsAt(group, steps, level, place())) {
      sizes[loop] = rewriter.getIndexAttr(each.size);
      offsets[loop] = rewriter.getIndexAttr(each.begin);
      carried = each.rounds == 1 ? emit(level + 1, carried)
                                 : emitRounds(level, each, carried);
      if (!carried)
        return {};
    }
    offsets[loop] = offset;
    sizes[loop] = before;
    return carried;
  }

  Value emitRounds(size_t level, const StepRounds &all, Value carried) {
    auto index = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, number);
    };
    int64_t end = all.begin + all.rounds * all.size;
    auto each = scf::ForOp::create(rewriter, loc, index(all.begin), index(end),
                                   index(all.size), carried);
    each->setAttr(stepsAttrName, rewriter.getUnitAttr());
    if (steps.slots[level] > 1)
      each->setAttr(slotsAttrName,
                    rewriter.getI64IntegerAttr(steps.slots[level]));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(each.getBody());
    offsets[steps.loops[level]] = each.getInductionVar();
    Value made = emit(level + 1, each.getRegionIterArg(0));
    if (!made)
      return {};
    scf::YieldOp::create(rewriter, loc, made);
    return each.getResult(0);
  }

  /// Where the loops around the builder are.
  StepPlace place() const {
    StepPlace here;
    for (auto [offset, size] : llvm::zip_equal(offsets, sizes)) {
      here.begins.push_back(getConstantIntValue(offset));
      here.counts.push_back(*getConstantIntValue(size));
    }
    return here;
  }

  /// Loads the inputs that no loop further inside changes.
  LogicalResult loadInvariant(size_t level) {
    for (auto [number, uses] : llvm::enumerate(slices)) {
      StepUse use = uses.front();
      if (group.levelOf(steps, use) != level)
        continue;
      OpOperand &operand = group.operandOf(use);
      Value &known = loaded[number];
      LayoutAttr layout = StepGroup::layoutOf(steps, use);
      if (layout && isOnTiles(operand)) {
        known = operand.get();
        continue;
      }
      std::optional<linalg::SliceParameters> part = partOf(use, operand.get());
      if (!layout) {
        known = part ? unwritten(operand, shapeOf(*part)) : operand.get();
        continue;
      }
      if (group.padOf(use)) {
        known = loadInsideOf(number, part, layout);
        if (!known)
          return failure();
        continue;
      }
      // What has one value everywhere is made on tiles.
      bool isRead = part && !isMadeAnywhere(operand.get());
      Value read = isRead ? slice(operand.get(), *part) : operand.get();
      SmallVector<int64_t> shape =
          part ? shapeOf(*part)
               : llvm::to_vector(
                     cast<RankedTensorType>(read.getType()).getShape());
      known = bring(read, layout, shape);
      if (!known)
        return failure();
    }
    return success();
  }

  /// Loads what a step reads of a padded tensor. What lies beyond its ends is
  /// added later, when everything else is loaded.
  Value loadInsideOf(size_t number,
                     const std::optional<linalg::SliceParameters> &part,
                     LayoutAttr layout) {
    StepUse use = slices[number].front();
    ConstantPad pad = *asConstantPad(group.padOf(use));
    auto whole = cast<RankedTensorType>(group.operandOf(use).get().getType());
    SmallVector<int64_t> shape =
        part ? shapeOf(*part) : llvm::to_vector(whole.getShape());
    AddedEntries added = addedAt(group, use, place());
    if (!fits(layout, shape, whole.getElementType()))
      return {};
    auto padded = RankedTensorType::get(shape, whole.getElementType(), layout);
    linalg::SliceParameters inside;
    inside.strides.assign(shape.size(), rewriter.getIndexAttr(1));
    AffineExpr at = rewriter.getAffineDimExpr(0);
    for (auto [dim, extent] : llvm::enumerate(added.removedFrom(shape))) {
      OpFoldResult begin =
          part ? part->offsets[dim] : OpFoldResult(rewriter.getIndexAttr(0));
      int64_t before = pad.low[dim] - added.low[dim];
      inside.offsets.push_back(affine::makeComposedFoldedAffineApply(
          rewriter, loc, at - before, {begin}));
      inside.sizes.push_back(rewriter.getIndexAttr(extent));
    }
    Value read = pad.source->get();
    if (ArrayRef<int64_t>(shapeOf(inside)) != pad.sourceType().getShape())
      read = slice(read, inside);
    RankedTensorType type = added.any() ? typeBeforePad(padded, added) : padded;
    if (added.any())
      toPad.push_back({number, padded, std::move(added)});
    return RedistributeOp::create(rewriter, loc, type, read);
  }

  /// Adds what lies beyond the ends of padded tensors, and makes the slices of
  /// the operations before the last one that no loop further inside changes.
  LogicalResult makeBefore(size_t level) {
    for (ToPad &each : toPad)
      loaded[each.slice] =
          padSlice(rewriter, group.padOf(slices[each.slice].front()),
                   loaded[each.slice], each.padded, each.added);
    toPad.clear();
    brought.clear();
    for (size_t number = 0; number + 1 < group.size(); ++number) {
      if (group.levelOf(steps, number) != level)
        continue;
      StepUse use = group.outputOf(number);
      OpOperand &begin = group.operandOf(use);
      std::optional<linalg::SliceParameters> part = partOf(use, begin.get());
      SmallVector<int64_t> shape =
          part ? shapeOf(*part)
               : llvm::to_vector(
                     cast<RankedTensorType>(begin.get().getType()).getShape());
      Value onTiles = bring(
          isMadeAnywhere(begin.get()) ? begin.get() : unwritten(begin, shape),
          group.layoutMade(steps, number), shape);
      if (!onTiles)
        return failure();
      made[number] = compute(number, onTiles);
      if (!made[number])
        return failure();
    }
    return success();
  }

  SmallVector<OpFoldResult> ofMember(const StepMember &member,
                                     ArrayRef<OpFoldResult> ofLast,
                                     ArrayRef<int64_t> whole) {
    SmallVector<OpFoldResult> own;
    for (auto [number, loop] : llvm::enumerate(member.loops))
      own.push_back(loop >= 0 ? ofLast[loop]
                              : rewriter.getIndexAttr(whole[number]));
    return own;
  }

  SmallVector<OpFoldResult> offsetsOf(const StepMember &member) {
    return ofMember(member, offsets,
                    SmallVector<int64_t>(member.loops.size(), 0));
  }

  /// The part of `value`, which stands for the operand, that a step touches;
  /// nothing for all of it.
  std::optional<linalg::SliceParameters> partOf(StepUse use, Value value) {
    StepMember member = group.members()[use.member];
    SmallVector<OpFoldResult> bounds;
    for (int64_t extent : member.extents)
      bounds.push_back(rewriter.getIndexAttr(extent));
    SmallVector<Value> values(member.op->getOperands());
    values[use.operand] = value;
    std::optional<linalg::SliceParameters> part =
        linalg::computeAllSliceParameters(
            rewriter, loc, member.op, values, offsetsOf(member),
            ofMember(member, sizes, member.extents), bounds,
            /*omitPartialTileCheck=*/true)[use.operand];
    bool isWhole =
        part && ArrayRef<int64_t>(shapeOf(*part)) ==
                    cast<RankedTensorType>(value.getType()).getShape();
    return isWhole ? std::nullopt : part;
  }

  Value unwritten(OpOperand &operand, ArrayRef<int64_t> shape) {
    return tensor::EmptyOp::create(
        rewriter, loc, shape, getElementTypeOrSelf(operand.get().getType()));
  }

  Value slice(Value value, const linalg::SliceParameters &part) {
    auto sliced = tensor::ExtractSliceOp::create(
        rewriter, loc, value, part.offsets, part.sizes, part.strides);
    sliced->setAttr(stepsAttrName, rewriter.getUnitAttr());
    return sliced;
  }

  static SmallVector<int64_t> shapeOf(const linalg::SliceParameters &part) {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : part.sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    return shape;
  }

  /// A slice of DDR on tiles, which has `shape`; null after an error where the
  /// layout does not fit it.
  Value bring(Value value, LayoutAttr layout, ArrayRef<int64_t> shape) {
    Type element = getElementTypeOrSelf(value.getType());
    if (!fits(layout, shape, element))
      return {};
    auto type = RankedTensorType::get(shape, element, layout);
    if (isMadeAnywhere(value))
      return *cast<RematerializableOpInterface>(value.getDefiningOp())
                  .rematerializeAs(rewriter, type);
    return RedistributeOp::create(rewriter, loc, type, value);
  }

  bool fits(LayoutAttr layout, ArrayRef<int64_t> shape, Type element) {
    auto refuse = [&] {
      return op->emitOpError() << "with '" << stepsAttrName << "', in a step: ";
    };
    return succeeded(layout.verifyEncoding(shape, element, refuse));
  }

  /// What an operand of a member is in this step; null after an error.
  Value operandIn(StepUse use) {
    OpOperand &operand = group.operandOf(use);
    if (!isa<RankedTensorType>(operand.get().getType()))
      return operand.get();
    std::optional<size_t> maker = group.makerOf(use);
    if (!maker) {
      auto same = llvm::find_if(slices, [&](ArrayRef<StepUse> others) {
        return llvm::is_contained(others, use);
      });
      return loaded[same - slices.begin()];
    }
    auto before = cast<RankedTensorType>(made[*maker].getType());
    LayoutAttr layout = StepGroup::layoutOf(steps, use);
    if (getLayout(before) == layout)
      return made[*maker];
    if (!fits(layout, before.getShape(), before.getElementType()))
      return {};
    Value &moved = brought[{*maker, layout}];
    if (!moved)
      moved =
          bringBetweenTiles(rewriter, made[*maker], withLayout(before, layout));
    return moved;
  }

  /// The operation on what is on tiles; null after an error.
  Value compute(size_t number, Value begin) {
    StepMember member = group.members()[number];
    SmallVector<Value> operands;
    for (OpOperand &operand : member.op->getOpOperands()) {
      operands.push_back(member.op.isDpsInit(&operand)
                             ? begin
                             : operandIn({number, operand.getOperandNumber()}));
      if (!operands.back())
        return {};
    }
    auto step = cast<linalg::LinalgOp>(
        mlir::clone(rewriter, member.op, {begin.getType()}, operands));
    step->removeAttr(stepsAttrName);
    // Padding is marked in places of the whole result.
    step->removeAttr(paddingAttrName);
    SmallVector<OpFoldResult> own = offsetsOf(member);
    linalg::offsetIndices(rewriter, step, own);
    return step->getResult(0);
  }

  IRRewriter &rewriter;
  const StepGroup &group;
  linalg::LinalgOp op;
  const OperationSteps &steps;
  Location loc;
  std::vector<SmallVector<StepUse, 1>> slices;
  size_t firstReduction;
  SmallVector<OpFoldResult> offsets, sizes;
  /// What is on tiles of `slices`, and of what the operations before the last
  /// one make.
  SmallVector<Value> loaded, made;
  /// A loaded slice to which tiles have to add.
  struct ToPad {
    size_t slice;
    RankedTensorType padded;
    AddedEntries added;
  };
  SmallVector<ToPad, 1> toPad;
  /// What operations of one level read under another layout than it was made.
  llvm::DenseMap<std::pair<size_t, LayoutAttr>, Value> brought;
  /// Whether what is carried is on tiles.
  bool onTiles = false;
};

struct RunInStepsPass : impl::RunInStepsBase<RunInStepsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (hasSteps(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *each : found) {
      if (Result<> fit = checkSteps(each); !fit) {
        (void)refuseSteps(each, fit.error());
        return signalPassFailure();
      }
      if (isInStepsOfReader(each))
        continue;
      auto op = cast<linalg::LinalgOp>(each);
      OperationSteps steps = *readSteps(op);
      StepGroup group = StepGroup::marked(op);
      Value made = StepBuilder(rewriter, group, steps).build();
      if (!made)
        return signalPassFailure();
      rewriter.replaceOp(op, made);
      for (const StepMember &member :
           llvm::reverse(group.members().drop_back()))
        rewriter.eraseOp(member.op);
      for (Operation *pad : group.pads())
        rewriter.eraseOp(pad);
    }
  }
};

} // namespace
} // namespace npu
