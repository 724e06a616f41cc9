// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-run-in-steps: makes loops of operations that carry `npu.steps`.

#include "npu/Dialect/NPU/Transforms/Steps/Passes.h"

#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Analysis/Costs/StepCosts.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
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

/// Builds the loops of one operation.
class StepBuilder {
public:
  StepBuilder(IRRewriter &rewriter, linalg::LinalgOp op,
              const OperationSteps &steps)
      : rewriter(rewriter), op(op), steps(steps), loc(op.getLoc()),
        extents(op.getStaticLoopRanges()) {
    offsets.assign(extents.size(), rewriter.getIndexAttr(0));
    for (int64_t extent : extents)
      sizes.push_back(rewriter.getIndexAttr(extent));
    loaded.resize(op->getNumOperands());
    firstReduction = steps.firstReduction(op);
  }

  /// The whole result, or null after an error.
  Value build() {
    rewriter.setInsertionPoint(op);
    Value output = init().get();
    // Every entry is stored by some step.
    if (!loadsOutput(op) && !isOnTiles(init()))
      output = unwritten(init(),
                         cast<RankedTensorType>(output.getType()).getShape());
    return emit(0, output);
  }

private:
  OpOperand &init() { return *op.getDpsInitOperand(0); }

  static bool isOnTiles(OpOperand &operand) {
    return isDistributed(operand.get().getType());
  }

  /// Emits the loops from `level` on. `carried` is the whole output in DDR, or,
  /// inside of loops that reduce, the sums on tiles. Returns what it becomes.
  Value emit(size_t level, Value carried) {
    SmallVector<Value> outside(loaded);
    Value made;
    if (failed(loadInvariant(level)))
      return {};
    if (level == firstReduction && !onTiles)
      made = emitSums(level, carried);
    else if (level == steps.loops.size())
      made = compute(carried);
    else
      made = emitLoop(level, carried);
    loaded = outside;
    return made;
  }

  /// The slice of the output on tiles, what the rest of the loops makes of it,
  /// and its place in the output.
  Value emitSums(size_t level, Value carried) {
    if (isOnTiles(init())) {
      onTiles = true;
      Value sums = emit(level, init().get());
      onTiles = false;
      return sums;
    }
    std::optional<linalg::SliceParameters> part = partOf(init(), carried);
    SmallVector<int64_t> shape =
        part ? shapeOf(*part)
             : llvm::to_vector(
                   cast<RankedTensorType>(carried.getType()).getShape());
    Value begin = carried;
    if (!loadsOutput(op))
      begin = isMadeAnywhere(init().get()) ? init().get()
                                           : unwritten(init(), shape);
    else if (part)
      begin = slice(carried, *part);
    Value sums = bring(begin, steps.layouts[init().getOperandNumber()], shape);
    if (!sums)
      return {};
    onTiles = true;
    sums = emit(level, sums);
    onTiles = false;
    if (!sums)
      return {};
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

  /// A loop over the full steps, and after it what is left.
  Value emitLoop(size_t level, Value carried) {
    int64_t loop = steps.loops[level], size = steps.sizes[level],
            full = extents[loop] / size * size;
    auto index = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, number);
    };
    OpFoldResult offset = offsets[loop], before = sizes[loop];
    sizes[loop] = rewriter.getIndexAttr(size);
    if (full == size) {
      offsets[loop] = rewriter.getIndexAttr(0);
      carried = emit(level + 1, carried);
    } else {
      auto each = scf::ForOp::create(rewriter, loc, index(0), index(full),
                                     index(size), carried);
      each->setAttr(stepsAttrName, rewriter.getUnitAttr());
      if (steps.slots[level] > 1)
        each->setAttr(slotsAttrName,
                      rewriter.getI64IntegerAttr(steps.slots[level]));
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(each.getBody());
      offsets[loop] = each.getInductionVar();
      Value made = emit(level + 1, each.getRegionIterArg(0));
      if (!made)
        return {};
      scf::YieldOp::create(rewriter, loc, made);
      carried = each.getResult(0);
    }
    if (carried && full < extents[loop]) {
      offsets[loop] = rewriter.getIndexAttr(full);
      sizes[loop] = rewriter.getIndexAttr(extents[loop] - full);
      carried = emit(level + 1, carried);
    }
    offsets[loop] = offset;
    sizes[loop] = before;
    return carried;
  }

  /// Loads the inputs that no loop further inside changes.
  LogicalResult loadInvariant(size_t level) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Value &known = loaded[operand->getOperandNumber()];
      if (known || steps.cutFrom(level, op.getMatchingIndexingMap(operand)))
        continue;
      LayoutAttr layout = steps.layouts[operand->getOperandNumber()];
      if (!layout && isa<RankedTensorType>(operand->get().getType())) {
        std::optional<linalg::SliceParameters> part =
            partOf(*operand, operand->get());
        known = part ? unwritten(*operand, shapeOf(*part)) : operand->get();
        continue;
      }
      if (!layout || isOnTiles(*operand)) {
        known = operand->get();
        continue;
      }
      std::optional<linalg::SliceParameters> part =
          partOf(*operand, operand->get());
      // What has one value everywhere is made on tiles.
      bool isRead = part && !isMadeAnywhere(operand->get());
      Value read = isRead ? slice(operand->get(), *part) : operand->get();
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

  /// The part of `value`, which stands for the operand, that a step touches;
  /// nothing for all of it.
  std::optional<linalg::SliceParameters> partOf(OpOperand &operand,
                                                Value value) {
    SmallVector<OpFoldResult> bounds;
    for (int64_t extent : extents)
      bounds.push_back(rewriter.getIndexAttr(extent));
    SmallVector<Value> values(op->getOperands());
    values[operand.getOperandNumber()] = value;
    std::optional<linalg::SliceParameters> part =
        linalg::computeAllSliceParameters(
            rewriter, loc, op, values, offsets, sizes, bounds,
            /*omitPartialTileCheck=*/true)[operand.getOperandNumber()];
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
    return tensor::ExtractSliceOp::create(rewriter, loc, value, part.offsets,
                                          part.sizes, part.strides);
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
    auto refuse = [&] {
      return op->emitOpError() << "with '" << stepsAttrName << "', in a step: ";
    };
    if (failed(layout.verifyEncoding(shape, element, refuse)))
      return {};
    auto type = RankedTensorType::get(shape, element, layout);
    if (isMadeAnywhere(value))
      return *cast<RematerializableOpInterface>(value.getDefiningOp())
                  .rematerializeAs(rewriter, type);
    return RedistributeOp::create(rewriter, loc, type, value);
  }

  /// The operation on what is on tiles.
  Value compute(Value sums) {
    SmallVector<Value> operands(loaded);
    operands[init().getOperandNumber()] = sums;
    auto step = cast<linalg::LinalgOp>(
        mlir::clone(rewriter, op, {sums.getType()}, operands));
    step->removeAttr(stepsAttrName);
    // Padding is marked in places of the whole result.
    step->removeAttr(paddingAttrName);
    linalg::offsetIndices(rewriter, step, offsets);
    return step->getResult(0);
  }

  IRRewriter &rewriter;
  linalg::LinalgOp op;
  const OperationSteps &steps;
  Location loc;
  SmallVector<int64_t> extents;
  size_t firstReduction;
  SmallVector<OpFoldResult> offsets, sizes;
  /// The inputs on tiles, as far as they are loaded.
  SmallVector<Value> loaded;
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
      auto op = dyn_cast<linalg::LinalgOp>(each);
      if (!op) {
        each->emitOpError() << "with '" << stepsAttrName
                            << "': expected an operation of linalg";
        return signalPassFailure();
      }
      Result<OperationSteps> steps = readSteps(op);
      if (!steps) {
        (void)refuseSteps(op, steps.error());
        return signalPassFailure();
      }
      Value made = StepBuilder(rewriter, op, *steps).build();
      if (!made)
        return signalPassFailure();
      rewriter.replaceOp(op, made);
    }
  }
};

} // namespace
} // namespace npu
