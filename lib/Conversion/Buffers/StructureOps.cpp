// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-structure-ops: applies upstream's rewrites to one operation at a time, so
// that the new operations are known to be of its tile.

#include "LowerTosa.h"
#include "StructureScalars.h"
#include "npu/Analysis/Body/NestedIndices.h"
#include "npu/Conversion/Buffers/Passes.h"
#include "npu/Conversion/ElementwiseToLinalg.h"
#include "npu/Dialect/NPU/IR/CycleMarks.h"
#include "npu/Dialect/NPU/IR/TensorSizes.h"
#include "npu/ExternalModels/Arith/DropPromises.h"
#include "npu/ExternalModels/Tensor/StructureSlices.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/ReadsOperand.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"
#include "npu/Preprocess/Padding/AskedExtent.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_STRUCTUREOPS
#include "npu/Conversion/Buffers/Passes.h.inc"

namespace {

/// Gives every new operation the tile of the operation that is rewritten.
struct TileListener : RewriterBase::Listener {
  Attribute tile;
  /// The structured operations that have been made.
  SmallVector<Operation *> made;

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    // Operations inside a structured one's region work on its elements.
    if (tile && !isa_and_nonnull<linalg::LinalgOp>(op->getParentOp()))
      op->setAttr(tileAttrName, tile);
    if (isa<linalg::LinalgOp>(op))
      made.push_back(op);
  }
};

/// Whether `op` is a large constant of one value. LLVM's constants have every
/// element, in the compiler's memory and in the program's, and count them in 32
/// bits.
bool isLargeSplat(arith::ConstantOp op) {
  auto values = dyn_cast<SplatElementsAttr>(op.getValue());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!values || !type ||
      !(type.getElementType().isIntOrIndexOrFloat() ||
        isa<ComplexType>(type.getElementType())))
    return false;
  constexpr int64_t small = 1 << 20;
  std::optional<int64_t> bytes =
      bufferBytes(type.getElementType(), type.getShape());
  return !bytes || *bytes > small;
}

/// Replaces the constant by a fill, whose memory is counted before the program
/// runs.
void fillAtRunTime(RewriterBase &rewriter, arith::ConstantOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  auto values = cast<SplatElementsAttr>(op.getValue());
  Value one = arith::ConstantOp::create(
      rewriter, loc,
      values.resizeSplat(RankedTensorType::get({}, type.getElementType())));
  Value element = tensor::ExtractOp::create(rewriter, loc, one, ValueRange());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  rewriter.replaceOpWithNewOp<linalg::FillOp>(op, element, empty);
}

/// Replaces a dim of a computed dimension, so that nothing is read at a
/// computed place.
void replaceComputedDim(RewriterBase &rewriter, ShapedDimOpInterface op) {
  auto type = dyn_cast<RankedTensorType>(op.getShapedValue().getType());
  if (!type || type.getRank() == 0 || getConstantIntValue(op.getDimension()))
    return;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    extents.push_back(
        tensor::DimOp::create(rewriter, op.getLoc(), op.getShapedValue(), dim));
  rewriter.replaceOp(op, askedExtent(rewriter, op, extents));
}

/// Rewrites an scf.index_switch to a chain of scf.if: upstream's bufferization
/// knows that results of an scf.if are those that its regions yield, but not
/// those of an scf.index_switch.
void replaceByIfs(RewriterBase &rewriter, scf::IndexSwitchOp op) {
  Location loc = op.getLoc();
  auto moveInto = [&](Region &from, Block *block) {
    Operation *old =
        block->mightHaveTerminator() ? block->getTerminator() : nullptr;
    if (old)
      rewriter.eraseOp(old);
    rewriter.inlineBlockBefore(&from.front(), block, block->end());
  };
  rewriter.setInsertionPoint(op);
  Attribute tile = op->getAttr(tileAttrName);
  SmallVector<Value> results;
  for (auto [number, value] : llvm::enumerate(op.getCases())) {
    Value asked = arith::ConstantIndexOp::create(rewriter, loc, value);
    Value chosen = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, op.getArg(), asked);
    auto choice = scf::IfOp::create(rewriter, loc, op.getResultTypes(), chosen,
                                    /*withElseRegion=*/true);
    if (tile)
      choice->setAttr(tileAttrName, tile);
    moveInto(op.getCaseRegions()[number], choice.thenBlock());
    if (number == 0) {
      results.assign(choice.getResults().begin(), choice.getResults().end());
    } else {
      rewriter.setInsertionPointAfter(choice);
      scf::YieldOp::create(rewriter, loc, choice.getResults());
    }
    Block *otherwise = choice.elseBlock();
    if (otherwise->mightHaveTerminator())
      rewriter.eraseOp(otherwise->getTerminator());
    rewriter.setInsertionPointToEnd(otherwise);
  }
  if (op.getCases().empty()) {
    auto yield =
        cast<scf::YieldOp>(op.getDefaultRegion().front().getTerminator());
    results.assign(yield.getOperands().begin(), yield.getOperands().end());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&op.getDefaultRegion().front(), op);
  } else {
    Block *last = rewriter.getInsertionBlock();
    rewriter.inlineBlockBefore(&op.getDefaultRegion().front(), last,
                               last->end());
  }
  rewriter.replaceOp(op, results);
}

/// The tile of the values that other branches hand on where one branch hands on
/// `poison`: the tile of an operation that defines or uses one of them.
Attribute tileInsteadOf(OpOperand &poison) {
  SmallVector<Value> values;
  llvm::SmallPtrSet<Value, 8> seen;
  auto add = [&](Value value) {
    if (!value.getDefiningOp<ub::PoisonOp>() && seen.insert(value).second)
      values.push_back(value);
  };
  auto follow = [&](OpOperand &use) {
    Operation *parent = use.getOwner()->getParentOp();
    if (isa<scf::YieldOp>(use.getOwner()) &&
        isa<scf::IfOp, scf::IndexSwitchOp>(parent))
      add(parent->getResult(use.getOperandNumber()));
  };
  follow(poison);
  // The list grows while it is walked.
  // NOLINTNEXTLINE(modernize-loop-convert)
  for (std::size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    Operation *def = value.getDefiningOp();
    if (def && def->hasAttr(tileAttrName))
      return def->getAttr(tileAttrName);
    if (isa_and_nonnull<scf::IfOp, scf::IndexSwitchOp>(def))
      for (Region &region : def->getRegions())
        if (!region.empty())
          add(region.front().getTerminator()->getOperand(
              cast<OpResult>(value).getResultNumber()));
    for (OpOperand &use : value.getUses()) {
      if (use.getOwner()->hasAttr(tileAttrName))
        return use.getOwner()->getAttr(tileAttrName);
      follow(use);
    }
  }
  return {};
}

/// Replaces a poison, as which lifted control flow yields an undefined value,
/// by an empty tensor on the tile of the other branches' values.
void makePoison(RewriterBase &rewriter, ub::PoisonOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return;
  SmallVector<Value> sizes;
  if (!type.hasStaticShape())
    sizes.assign(type.getNumDynamicDims(),
                 arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0));
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
    auto empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type, sizes);
    if (Attribute tile = tileInsteadOf(use))
      empty->setAttr(tileAttrName, tile);
    use.set(empty);
  }
  rewriter.eraseOp(op);
}

/// Gives an operation new tensors for the outputs that it does not read.
///
/// Upstream's conversion of elementwise operations takes an operand for the
/// output. In a chain of them, each would then write over what the one before
/// it has made, and one-shot bufferization compares all reads with all writes
/// of the whole chain, for each operand: 500 operations take ten seconds. New
/// tensors leave it nothing to compare. Which of them share memory is decided
/// on buffers (npu-reuse-buffers, npu-plan-scratchpad). What a loop hands on is
/// best written in place: operations in regions stay as they are.
void separateOutputs(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !isa<func::FuncOp>(op->getParentOp()))
    return;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    auto type = dyn_cast<RankedTensorType>(output.get().getType());
    if (!type || isUnwritten(output.get()) || readsOperand(op, output))
      continue;
    Value unwritten = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        tensor::getMixedSizes(rewriter, op.getLoc(), output.get()),
        type.getElementType());
    if (unwritten.getType() != type)
      unwritten =
          tensor::CastOp::create(rewriter, op.getLoc(), type, unwritten);
    output.set(unwritten);
  }
}

struct StructureOpsPass : impl::StructureOpsBase<StructureOpsPass> {
  using StructureOpsBase::StructureOpsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    StructureOpsBase::getDependentDialects(registry);
    registerTosaDependencies(registry);
  }

  void runOnOperation() override {
    if (failed(checkTensorSizes(getOperation())))
      return signalPassFailure();
    // Both sides of npu-run's comparison pass here: flags that let a compiler
    // choose the bits of a result, depending on how it cuts a loop, are
    // removed.
    dropPromises(getOperation());
    TileListener listener;
    IRRewriter rewriter(&getContext(), &listener);
    auto run = [&](OpPassManager &passes, Operation *op) {
      return runPipeline(passes, op);
    };
    if (failed(lowerTosa(getOperation(), rewriter, run, [&](Operation *op) {
          listener.tile = op->getAttr(tileAttrName);
        })))
      return signalPassFailure();
    listener.tile = Attribute();
    structureTensorOps(rewriter, listener);
    listener.tile = Attribute();
    structureScalarOps(rewriter);
  }

private:
  /// Rewrites operations on tensors; new operations get the tile of the one
  /// that they replace.
  void structureTensorOps(IRRewriter &rewriter, TileListener &listener) {
    // What a tile calls the indices of its part is of no use from here on.
    getOperation()->walk([&](PermuteCastOp op) {
      if (op.getInput().getType() == op.getType())
        rewriter.replaceOp(op, op.getInput());
    });
    SmallVector<Operation *> elementwise;
    SmallVector<Operation *> composed;
    SmallVector<arith::ConstantOp> splats;
    SmallVector<ub::PoisonOp> poisons;
    getOperation()->walk([&](Operation *op) {
      if (isElementwiseOnTensors(op))
        elementwise.push_back(op);
      else if (modelOf<StructuredFormOpInterface>(op))
        composed.push_back(op);
      else if (auto poison = dyn_cast<ub::PoisonOp>(op))
        poisons.push_back(poison);
      else if (auto constant = dyn_cast<arith::ConstantOp>(op);
               constant && isLargeSplat(constant))
        splats.push_back(constant);
    });

    auto rewriteEach = [&](auto &ops, auto rewrite) {
      for (auto op : ops) {
        listener.tile = op->getAttr(tileAttrName);
        rewriter.setInsertionPoint(op);
        rewrite(op);
      }
    };
    rewriteEach(composed, [&](Operation *op) {
      std::optional<CycleMark> cycles = readCycles(op);
      listener.made.clear();
      (void)cast<StructuredFormOpInterface>(op).rewriteAsStructured(rewriter);
      passCyclesOn(cycles, listener.made);
    });
    rewriteEach(poisons, [&](ub::PoisonOp op) { makePoison(rewriter, op); });
    rewriteEach(splats,
                [&](arith::ConstantOp op) { fillAtRunTime(rewriter, op); });
    if (failed(refuseNestedIndices(getOperation())))
      return signalPassFailure();
    // Include slices that the rewrites above have made.
    SmallVector<Operation *> slices;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<tensor::TensorDialect>(op->getDialect()))
        slices.push_back(op);
    });
    rewriteEach(slices, [&](Operation *op) {
      std::optional<CycleMark> cycles = readCycles(op);
      listener.made.clear();
      structureSlice(rewriter, op);
      passCyclesOn(cycles, listener.made);
    });
    // Operations of one tile that follow each other share one set of patterns.
    for (ArrayRef<Operation *> rest = elementwise; !rest.empty();) {
      listener.tile = rest.front()->getAttr(tileAttrName);
      ArrayRef<Operation *> ofTile = rest.take_while([&](Operation *op) {
        return op->getAttr(tileAttrName) == listener.tile;
      });
      rest = rest.drop_front(ofTile.size());
      elementwiseToLinalg(ofTile, &listener);
    }
    SmallVector<linalg::LinalgOp> structured;
    getOperation()->walk([&](linalg::LinalgOp op) {
      structured.push_back(op);
      // What an operation on tensors takes is now done by the loops around it.
      op.getBlock()->walk([&](Operation *inner) {
        if (std::optional<CycleMark> cycles = takeCycles(inner))
          markCycles(op, *cycles);
      });
    });
    rewriteEach(structured,
                [&](linalg::LinalgOp op) { separateOutputs(rewriter, op); });
  }

  void structureScalarOps(IRRewriter &rewriter) {
    SmallVector<scf::IndexSwitchOp> switches;
    SmallVector<ShapedDimOpInterface> dims;
    SmallVector<Operation *> extremes;
    SmallVector<math::IPowIOp> powers;
    getOperation()->walk([&](Operation *op) {
      if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
        switches.push_back(choice);
      else if (auto dim = dyn_cast<ShapedDimOpInterface>(op))
        dims.push_back(dim);
      else if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op) &&
               isa<FloatType>(op->getResult(0).getType()))
        extremes.push_back(op);
      else if (auto power = dyn_cast<math::IPowIOp>(op))
        powers.push_back(power);
    });
    for (scf::IndexSwitchOp op : switches)
      replaceByIfs(rewriter, op);
    for (ShapedDimOpInterface op : dims)
      replaceComputedDim(rewriter, op);
    for (Operation *op : extremes)
      orderZeros(rewriter, op);
    for (math::IPowIOp op : powers) {
      rewriter.setInsertionPoint(op);
      guardPower(rewriter, op);
    }
  }
};

} // namespace
} // namespace npu
