// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-run-in-steps: makes loops of operations that carry `npu.steps`.

#include "npu/Dialect/NPU/Transforms/Steps/Passes.h"

#include "npu/Analysis/Choices/StepParts.h"
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
        firstReduction(steps.firstReduction(op)),
        parts(*partsOfLoops(
            group, steps,
            [&](StepUse use) { return isOnTiles(group.operandOf(use)); })),
        isInPlace(isOnTiles(init()) && isMadeInPlace(group, steps, parts)),
        loaded(slices.size()), made(group.size()) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    offsets.assign(extents.size(), rewriter.getIndexAttr(0));
    for (int64_t extent : extents)
      sizes.push_back(rewriter.getIndexAttr(extent));
  }

  /// The whole result, or null after an error.
  Value build() {
    rewriter.setInsertionPoint(op);
    for (ArrayRef<StepUse> uses : slices)
      divide(uses.front());
    divide(output());
    Value whole = init().get();
    if (!putsParts())
      return emit(0, whole);
    // Every entry is put by some step, and what it adds to may be read by
    // others.
    auto type = cast<RankedTensorType>(whole.getType());
    SmallVector<int64_t> dims = partsOf(output());
    PartedShape parted(type.getShape(), dims);
    Value begin =
        isInPlace && loadsOutput(op)
            ? divided.at({output().member, output().operand})
            : tensor::EmptyOp::create(
                  rewriter, loc, parted.shape, type.getElementType(),
                  isOnTiles(init()) ? partedLayout(getLayout(type), dims)
                                    : LayoutAttr());
    Value made = emit(0, begin);
    return made ? together(made, type, dims) : made;
  }

private:
  OpOperand &init() { return *op.getDpsInitOperand(0); }
  StepUse output() { return group.outputOf(group.size() - 1); }
  /// Whether each step puts its part of the result into the whole.
  bool putsParts() {
    return !isOnTiles(init()) || !group.isWhole(steps, output());
  }
  SmallVector<int64_t> partsOf(StepUse use) const {
    return partsOfDims(group, steps, parts, use);
  }

  /// The tensor with the parts of its dimensions apart.
  Value apart(Value value, ArrayRef<int64_t> dims) {
    if (llvm::all_of(dims, [](int64_t count) { return count == 1; }))
      return value;
    auto type = cast<RankedTensorType>(value.getType());
    PartedShape parted(type.getShape(), dims);
    auto to = RankedTensorType::get(parted.shape, type.getElementType(),
                                    partedLayout(getLayout(type), dims));
    return tensor::ExpandShapeOp::create(rewriter, loc, to, value,
                                         parted.groups);
  }
  /// The tensor of this type whose parts `value` has apart.
  Value together(Value value, RankedTensorType type, ArrayRef<int64_t> dims) {
    if (value.getType() == type)
      return value;
    return tensor::CollapseShapeOp::create(
        rewriter, loc, type, value, PartedShape(type.getShape(), dims).groups);
  }

  /// Takes the parts of what an operand is cut from apart, outside of loops.
  void divide(StepUse use) {
    Value whole = group.operandOf(use).get();
    bool isMade = isMadeAnywhere(whole) || !StepGroup::layoutOf(steps, use);
    if (!isMade && isa<RankedTensorType>(whole.getType()) &&
        !(use == output() && !loadsOutput(op)))
      divided[{use.member, use.operand}] = apart(whole, partsOf(use));
  }

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
    if (beginsSums && putsParts()) {
      part = partOf(output(), init().get());
      sums = isInPlace ? beginInPlace(part, carried) : beginSums(part);
    }
    if (!sums || failed(makeBefore(level)))
      return {};
    onTiles |= beginsSums;
    sums = level == steps.loops.size() ? compute(group.size() - 1, sums)
                                       : emitLoop(level, sums);
    if (!beginsSums || !sums)
      return sums;
    onTiles = false;
    return putsParts() ? store(sums, part, carried) : sums;
  }

  /// The slice of the output on tiles; null after an error.
  Value beginSums(const std::optional<linalg::SliceParameters> &part) {
    Value begin = init().get();
    LayoutAttr layout = StepGroup::layoutOf(steps, output());
    if (loadsOutput(op))
      return load(output(), part, layout);
    SmallVector<int64_t> shape = shapeOf(part, begin);
    return bring(isMadeAnywhere(begin) ? begin : unwritten(init(), shape),
                 layout, shape);
  }

  /// The same where it lies in the whole.
  Value beginInPlace(const std::optional<linalg::SliceParameters> &part,
                     Value whole) {
    Value begin = init().get();
    SmallVector<int64_t> dims = partsOf(output()), shape = shapeOf(part, begin);
    LayoutAttr layout = StepGroup::layoutOf(steps, output());
    Type element = getElementTypeOrSelf(begin.getType());
    if (!fits(layout, shape, element))
      return {};
    Value place = together(part ? slice(whole, apart(*part, dims)) : whole,
                           RankedTensorType::get(shape, element, layout), dims);
    if (!isMadeAnywhere(begin) || isUnwritten(begin))
      return place;
    Value written = bring(begin, layout, shape);
    OpOperand &over =
        written.getDefiningOp<linalg::LinalgOp>().getDpsInitsMutable()[0];
    Operation *elsewhere = over.get().getDefiningOp();
    over.set(place);
    rewriter.eraseOp(elsewhere);
    return written;
  }

  /// What tiles have made, in its place in the output.
  Value store(Value sums, const std::optional<linalg::SliceParameters> &part,
              Value carried) {
    SmallVector<int64_t> dims = partsOf(output());
    Value stored = apart(sums, dims);
    auto type = cast<RankedTensorType>(stored.getType());
    if (!isOnTiles(init()))
      stored = RedistributeOp::create(rewriter, loc, withLayout(type, nullptr),
                                      stored);
    if (!part)
      return stored;
    linalg::SliceParameters at = apart(*part, dims);
    auto inserted = tensor::InsertSliceOp::create(
        rewriter, loc, stored, carried, at.offsets, at.sizes, at.strides);
    inserted->setAttr(stepsAttrName, rewriter.getUnitAttr());
    return inserted;
  }

  /// Loops over steps of the same size, and between them single steps.
  Value emitLoop(size_t level, Value carried) {
    int64_t loop = steps.loops[level];
    OpFoldResult offset = offsets[loop], before = sizes[loop];
    for (const StepRounds &each : roundsAt(group, steps, level, place())) {
      sizes[loop] = rewriter.getIndexAttr(each.size);
      offsets[loop] = rewriter.getIndexAttr(each.begin / parts[level]);
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
    // Each part has as many rounds, of its pieces.
    int64_t begin = all.begin / parts[level], size = all.size / parts[level];
    auto each = scf::ForOp::create(rewriter, loc, index(begin),
                                   index(begin + all.rounds * size),
                                   index(size), carried);
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
      std::optional<linalg::SliceParameters> part = partOf(use, operand.get());
      if (layout && isOnTiles(operand) && !part) {
        known = operand.get();
        continue;
      }
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
      known = load(use, part, layout);
      if (!known)
        return failure();
    }
    return success();
  }

  /// The slice of an operand on tiles: loaded, or cut from what they hold. What
  /// has one value everywhere is made there. Null after an error.
  Value load(StepUse use, const std::optional<linalg::SliceParameters> &part,
             LayoutAttr layout) {
    OpOperand &operand = group.operandOf(use);
    SmallVector<int64_t> shape = shapeOf(part, operand.get());
    if (!part || isMadeAnywhere(operand.get()))
      return bring(operand.get(), layout, shape);
    SmallVector<int64_t> dims = partsOf(use);
    Value cut =
        slice(divided.at({use.member, use.operand}), apart(*part, dims));
    Type element = getElementTypeOrSelf(cut.getType());
    if (!fits(layout, shape, element))
      return {};
    if (!isOnTiles(operand))
      cut = bring(cut, partedLayout(layout, dims),
                  PartedShape(shape, dims).shape);
    if (!cut)
      return {};
    return together(cut, RankedTensorType::get(shape, element, layout), dims);
  }

  /// Loads what a step reads of a padded tensor. What lies beyond its ends is
  /// added later, when everything else is loaded.
  Value loadInsideOf(size_t number,
                     const std::optional<linalg::SliceParameters> &part,
                     LayoutAttr layout) {
    StepUse use = slices[number].front();
    ConstantPad pad = *asConstantPad(group.padOf(use));
    auto whole = cast<RankedTensorType>(group.operandOf(use).get().getType());
    SmallVector<int64_t> shape = shapeOf(part, group.operandOf(use).get());
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
      SmallVector<int64_t> shape = shapeOf(part, begin.get());
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

  static SmallVector<int64_t>
  shapeOf(const std::optional<linalg::SliceParameters> &part, Value whole) {
    return part ? shapeOf(*part)
                : llvm::to_vector(
                      cast<RankedTensorType>(whole.getType()).getShape());
  }

  /// The same slice of the tensor whose parts are apart: a piece of each.
  linalg::SliceParameters apart(const linalg::SliceParameters &part,
                                ArrayRef<int64_t> dims) {
    linalg::SliceParameters pieces;
    auto add = [&](OpFoldResult offset, OpFoldResult size) {
      pieces.offsets.push_back(offset);
      pieces.sizes.push_back(size);
      pieces.strides.push_back(rewriter.getIndexAttr(1));
    };
    SmallVector<int64_t> shape = shapeOf(part);
    for (auto [dim, count] : llvm::enumerate(dims)) {
      if (count > 1)
        add(rewriter.getIndexAttr(0), rewriter.getIndexAttr(count));
      add(part.offsets[dim], rewriter.getIndexAttr(shape[dim] / count));
    }
    return pieces;
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
    countIndicesByParts(member, step);
    return step->getResult(0);
  }

  /// Of a loop of several parts, the iterations of a step are pieces of these,
  /// which lie as far from each other as all of a part.
  void countIndicesByParts(const StepMember &member, linalg::LinalgOp step) {
    SmallVector<linalg::IndexOp> indices(
        step.getBlock()->getOps<linalg::IndexOp>());
    for (linalg::IndexOp index : indices) {
      const auto *loop = llvm::find(steps.loops, member.loops[index.getDim()]);
      size_t level = loop - steps.loops.begin();
      if (loop == steps.loops.end() || parts[level] == 1)
        continue;
      int64_t piece = *getConstantIntValue(sizes[*loop]) / parts[level],
              part = group.last().extents[*loop] / parts[level];
      if (piece == part)
        continue;
      AffineExpr at = rewriter.getAffineDimExpr(0);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfter(index);
      auto apart = affine::AffineApplyOp::create(
          rewriter, index.getLoc(), at + at.floorDiv(piece) * (part - piece),
          ValueRange{index});
      rewriter.replaceAllUsesExcept(index, apart, apart);
    }
  }

  IRRewriter &rewriter;
  const StepGroup &group;
  linalg::LinalgOp op;
  const OperationSteps &steps;
  Location loc;
  std::vector<SmallVector<StepUse, 1>> slices;
  size_t firstReduction;
  /// For each loop of the steps, of how many parts a step has a piece. Offsets
  /// of such a loop are those within a part.
  SmallVector<int64_t> parts;
  /// Whether steps make their slices of the result in a whole on tiles.
  bool isInPlace;
  SmallVector<OpFoldResult> offsets, sizes;
  /// Operands with the parts of their dimensions apart, by member and operand.
  std::map<std::pair<size_t, unsigned>, Value> divided;
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
    if (found.empty())
      return markAllAnalysesPreserved();
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
