// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-to-tiles: lowers functions with verified distributions to the
// program of every tile.

#include "Boundary.h"
#include "GroupByTile.h"
#include "Patterns.h"
#include "TileLoops.h"
#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Choices/OperationSteps.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"
#include "npu/Interfaces/TileCoordinates.h"
#include "npu/Support/Naming.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOWERTOTILES
#include "npu/Conversion/LowerToTiles/Passes.h.inc"

namespace {

bool touchesLayouts(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), hasLayout) ||
         llvm::any_of(op->getResultTypes(), hasLayout);
}

bool isReordered(Value value) {
  LayoutAttr layout = getLayout(value.getType());
  return layout && !layout.getOrder().empty();
}

/// Whether the maps of the operation change in the coordinates of some tile.
bool changesInTileCoordinates(linalg::LinalgOp op) {
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access)
    return false;
  for (const IterationDomain &iteration : iterationsForMemory(*access, op))
    for (OpOperand &operand : op->getOpOperands()) {
      if (iteration.empty || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      Box box = access->spanned(operand.getOperandNumber(), iteration);
      if (inTileCoordinates(map, iteration.loops, box) != map)
        return true;
    }
  return false;
}

bool countsPositions(linalg::LinalgOp op) {
  return op->walk([](linalg::IndexOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Generalizes named operations whose maps change: the maps of a named
/// operation are fixed and begin at 0, while those of a generic can follow the
/// memory order and begin anywhere.
void generalizeWhereMapsChange(ModuleOp module) {
  SmallVector<linalg::LinalgOp> named;
  module.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op) && touchesLayouts(op) &&
        (llvm::any_of(op->getOperands(), isReordered) ||
         changesInTileCoordinates(op) || countsPositions(op)))
      named.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

/// Orders parallel loops by the output's memory order. Reductions keep their
/// order, because another one would round otherwise.
void followOutputMemory(ModuleOp module) {
  SmallVector<linalg::GenericOp> reordered;
  module.walk([&](linalg::GenericOp op) {
    if (op.getNumDpsInits() == 1 && op.getNumResults() == 1 &&
        op.getNumParallelLoops() == op.getNumLoops() &&
        op.getIndexingMapMatchingResult(op->getResult(0)).isPermutation() &&
        hasLayout(op->getResult(0).getType()))
      reordered.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (linalg::GenericOp op : reordered) {
    AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
    SmallVector<unsigned> loops;
    for (int64_t dim :
         getOrder(cast<RankedTensorType>(op->getResult(0).getType())))
      loops.push_back(map.getDimPosition(dim));
    rewriter.setInsertionPoint(op);
    (void)linalg::interchangeGenericOp(rewriter, op, loops);
  }
}

/// Replaces operations whose models do not say how a tile makes its part by
/// their structured forms, which can be cut.
LogicalResult structureUncut(ModuleOp module) {
  SmallVector<Operation *> composed;
  module.walk([&](Operation *op) {
    if (isLoweredAsStructured(op))
      composed.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (Operation *op : composed) {
    rewriter.setInsertionPoint(op);
    if (failed(
            cast<StructuredFormOpInterface>(op).rewriteAsStructured(rewriter)))
      return mlir::emitError(op->getLoc())
             << "expected the structured form that the model of '"
             << op->getName() << "' promises, got none";
  }
  return success();
}

/// Inlines every scf.execute_region of one block.
void inlineExecuteRegions(ModuleOp module) {
  SmallVector<scf::ExecuteRegionOp> regions;
  module.walk([&](scf::ExecuteRegionOp op) {
    if (op.getRegion().hasOneBlock())
      regions.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (scf::ExecuteRegionOp op : regions) {
    Block &body = op.getRegion().front();
    Operation *yield = body.getTerminator();
    SmallVector<Value> results(yield->getOperands());
    rewriter.inlineBlockBefore(&body, op);
    rewriter.eraseOp(yield);
    rewriter.replaceOp(op, results);
  }
}

/// Replaces moves of unwritten tensors by tensor.empty.
void rematerializeEmpties(ModuleOp module) {
  SmallVector<std::pair<Operation *, Operation *>> moves;
  EmptyOrigins origins;
  module.walk([&](Operation *op) {
    if (origins.isRematerializedAsEmpty(op))
      moves.push_back({op, origins.emptyAfter(op->getResult(0))});
  });
  for (auto [op, empty] : moves) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    OpBuilder builder(op);
    Value made =
        tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                type.getElementType(), type.getEncoding());
    setPadding(cast<OpResult>(made), paddingOf(op->getResult(0)));
    if (auto all = empty->getAttrOfType<UnitAttr>(paddingAttrName))
      made.getDefiningOp()->setAttr(paddingAttrName, all);
    op->getResult(0).replaceAllUsesWith(made);
    op->erase();
  }
}

/// Lets every operation work on linear tensors: images are unpacked in front of
/// it and packed after it, on each tile. Between operations they stay images.
void workOnLinear(ModuleOp module) {
  SmallVector<Operation *> found;
  auto isImage = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && getStorage(tensor) != Storage::Linear;
  };
  module.walk([&](Operation *op) {
    bool handsOn = isa<RegionBranchOpInterface, FunctionOpInterface>(op) ||
                   op->hasTrait<OpTrait::IsTerminator>();
    bool isUnread = op->getNumResults() == 1 && isUnwritten(op->getResult(0));
    if (!handsOn && !isUnread && !isa<ConvertStorageOp>(op) &&
        (llvm::any_of(op->getOperandTypes(), isImage) ||
         llvm::any_of(op->getResultTypes(), isImage)))
      found.push_back(op);
  });
  auto convert = [](OpBuilder &builder, Location loc, Value value,
                    RankedTensorType type) {
    auto made = ConvertStorageOp::create(builder, loc, type, value);
    setPadding(cast<OpResult>(made.getResult()), paddingOf(value));
    return made;
  };
  auto madeAs = [](OpBuilder &builder, Value value, RankedTensorType type) {
    return *cast<RematerializableOpInterface>(value.getDefiningOp())
                .rematerializeAs(builder, type);
  };
  auto linear = [](Value value) {
    return withStorage(cast<RankedTensorType>(value.getType()),
                       Storage::Linear);
  };
  // Readers come first: what they make anew for themselves, nobody has to pack.
  for (Operation *op : llvm::reverse(found)) {
    if (isOpTriviallyDead(op)) {
      op->erase();
      continue;
    }
    OpBuilder builder(op);
    llvm::SmallDenseMap<Value, Value> unpacked;
    for (OpOperand &operand : op->getOpOperands())
      if (Value value = operand.get(); isImage(value.getType())) {
        Value &made = unpacked[value];
        if (!made && isMadeAnywhere(value))
          made = madeAs(builder, value, linear(value));
        if (!made)
          made = convert(builder, op->getLoc(), value, linear(value));
        operand.set(made);
      }
    builder.setInsertionPointAfter(op);
    // The value of a constant repeats its type.
    if (op->getNumResults() == 1 &&
        dataNeedOf(op->getResult(0)) == DataNeed::Stored) {
      Value result = op->getResult(0);
      Value made = madeAs(builder, result, linear(result));
      result.replaceAllUsesWith(
          convert(builder, op->getLoc(), made,
                  cast<RankedTensorType>(result.getType())));
      op->erase();
      continue;
    }
    for (OpResult result : op->getResults())
      if (isImage(result.getType())) {
        auto image = cast<RankedTensorType>(result.getType());
        result.setType(linear(result));
        auto packed = convert(builder, op->getLoc(), result, image);
        result.replaceAllUsesExcept(packed, packed);
      }
  }
  // An unwritten image is written as a whole: nothing of it is padding yet.
  SmallVector<Operation *> unwritten;
  module.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isImage(op->getResult(0).getType()) &&
        isUnwritten(op->getResult(0)))
      unwritten.push_back(op);
  });
  for (Operation *op : unwritten) {
    op->removeDiscardableAttr(paddingAttrName);
    if (isOpTriviallyDead(op))
      op->erase();
  }
}

/// Attaches known padding to every redistribution, because the operations that
/// it follows from may change.
void writeDownPadding(ModuleOp module) {
  module.walk([](RedistributeOp op) {
    setPadding(cast<OpResult>(op.getResult()), paddingOf(op.getResult()));
  });
}

/// Converts the types of block arguments that branches give.
struct CutBlockArguments : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Block *> blocks;
    for (Block &block : op.getBody())
      if (llvm::any_of(block.getArgumentTypes(), hasLayout))
        blocks.push_back(&block);
    for (Block *block : blocks) {
      auto signature = getTypeConverter()->convertBlockSignature(block);
      if (!signature)
        return rewriter.notifyMatchFailure(op, "arguments of another kind");
      rewriter.applySignatureConversion(block, *signature, getTypeConverter());
    }
    rewriter.modifyOpInPlace(op, [] {});
    return success();
  }
};

struct LowerToTilesPass : impl::LowerToTilesBase<LowerToTilesPass> {
  using LowerToTilesBase::LowerToTilesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (verifyBefore && failed(verifyLayouts(module)))
      return signalPassFailure();
    FailureOr<Machines> machines = machinesOf(module);
    if (failed(machines))
      return signalPassFailure();
    // Tiles have no parts of what is loaded step by step.
    WalkResult areLoops = module.walk([](Operation *op) {
      return hasSteps(op) && touchesLayouts(op)
                 ? WalkResult(refuseWithoutLoops(op))
                 : WalkResult::advance();
    });
    if (areLoops.wasInterrupted())
      return signalPassFailure();
    inlineExecuteRegions(module);
    if (failed(structureUncut(module)))
      return signalPassFailure();
    recordTiles(module);
    passThroughDdrAtBoundaries(module);
    writeDownPadding(module);
    rematerializeEmpties(module);
    workOnLinear(module);
    lowerHostFallbacks(module);
    markUnwritten(module);
    generalizeWhereMapsChange(module);
    followOutputMemory(module);
    numberOperands(module);
    recordPaddings(module);
    if (failed(convert(module, *machines)))
      return signalPassFailure();
    forgetNumbers(module);
    forgetExtents(module);
    groupByTile(module);
    if (!verifyAfter)
      return;
    OpPassManager check(module.getOperationName());
    check.addPass(createVerifyTileProgram());
    if (failed(runPipeline(check, module)))
      return signalPassFailure();
  }

  LogicalResult verifyLayouts(ModuleOp module) {
    OpPassManager verify(module.getOperationName());
    VerifyDistributionsOptions options;
    options.gather = gather;
    verify.addPass(createVerifyDistributions(options));
    return runPipeline(verify, module);
  }

  /// Gives each operation that will be cut a number for its first operand, from
  /// which on the others and the results are counted (`npu.of`).
  static void numberOperands(ModuleOp module) {
    int64_t next = 0;
    Builder builder(module.getContext());
    module.walk([&](Operation *op) {
      if (!touchesLayouts(op) || isa<FunctionOpInterface>(op))
        return;
      op->setAttr(ofAttrName, builder.getI64IntegerAttr(next));
      next += op->getNumOperands() + op->getNumResults();
    });
  }

  /// Takes the numbers off operations that were not cut.
  static void forgetNumbers(ModuleOp module) {
    module.walk([](Operation *op) {
      if (!op->hasAttr(offsetAttrName))
        op->removeAttr(ofAttrName);
    });
  }

  /// Records how many tiles a function is for: as many as its most distributed
  /// value has.
  static void recordTiles(ModuleOp module) {
    module.walk([](func::FuncOp function) {
      size_t tiles = 0;
      auto count = [&](Type type) {
        if (auto tensor = dyn_cast<RankedTensorType>(type))
          if (const Placement *placement = getPlacement(tensor))
            tiles = std::max(tiles, placement->tiles.size());
      };
      llvm::for_each(function.getArgumentTypes(), count);
      function.walk(
          [&](Operation *op) { llvm::for_each(op->getResultTypes(), count); });
      if (tiles)
        function->setAttr(
            tilesAttrName,
            Builder(function.getContext()).getI64IntegerAttr(tiles));
    });
  }

  /// Takes the extents of loops off operations of tiles where they follow from
  /// tensors in DDR and slices of the model.
  static void forgetExtents(ModuleOp module) {
    TileLoops loops;
    module.walk([&](Operation *op) {
      if (op->hasAttr(tileAttrName) && op->hasAttr(extentsAttrName) &&
          !reassociationOf(op) && loops.followFromTensors(op))
        op->removeAttr(extentsAttrName);
    });
  }

  /// Records which paddings tensors of a function have, in memory order.
  static void recordPaddings(ModuleOp module) {
    module.walk([](func::FuncOp function) {
      llvm::SetVector<Attribute> paddings;
      auto record = [&](Value value) {
        Padding padding = paddingOf(value);
        if (padding.empty())
          return;
        Permutation where =
            inverse(getOrder(cast<RankedTensorType>(value.getType())));
        for (PaddedRange &padded : padding)
          padded.dim = where[padded.dim];
        llvm::sort(padding, [](const PaddedRange &a, const PaddedRange &b) {
          return a.dim < b.dim;
        });
        paddings.insert(toAttribute(function.getContext(), padding));
      };
      function.walk([&](Operation *op) {
        llvm::for_each(op->getResults(), record);
        for (Region &region : op->getRegions())
          llvm::for_each(region.getArguments(), record);
      });
      if (!paddings.empty())
        function->setAttr(
            paddingsAttrName,
            ArrayAttr::get(function.getContext(), paddings.getArrayRef()));
    });
  }

  static void lowerHostFallbacks(ModuleOp module) {
    SmallVector<std::pair<Operation *, HostFallback>> fallbacks;
    EmptyOrigins origins;
    HostFallbackQuery question(origins);
    module.walk([&](Operation *op) {
      if (std::optional<HostFallback> fallback = question.of(op))
        fallbacks.emplace_back(op, std::move(*fallback));
    });
    for (auto &[op, fallback] : fallbacks) {
      fallBackToHost(op);
      op->setAttr(hostAttrName,
                  StringAttr::get(op->getContext(), fallback.reason));
      if (fallback.bytes() == 0)
        continue;
      if (auto remark = mlir::remark::missed(
              op->getLoc(),
              mlir::remark::RemarkOpts::name("gather").category("npu").function(
                  nameOfFunction(op))))
        remark << mlir::remark::reason(
                      "{0}", fmt::format("'{}' cannot be cut into tiles' parts "
                                         "and falls back to the host",
                                         op->getName().getStringRef().str()))
               << mlir::remark::metric("bytes", fallback.bytes());
    }
  }

  static LogicalResult convert(ModuleOp module, Machines machines) {
    MLIRContext *context = module.getContext();
    TileTypeConverter converter;
    RewritePatternSet patterns(context);
    populateCutPattern(converter, patterns);
    populateLayoutPatterns(converter, patterns, machines);
    ConversionTarget target(*context);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    // Convert branches and the blocks that they lead to.
    cf::populateCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
    patterns.add<CutBlockArguments>(converter, context);
    target.markUnknownOpDynamicallyLegal([](Operation *op) {
      bool places = isa<LayoutChangeOpInterface>(op);
      // A permute_cast of a part in another order stands in DDR, too.
      if (touchesLayouts(op) ||
          (places && !op->hasAttr(tileAttrName) && !op->hasAttr(orderAttrName)))
        return false;
      return llvm::all_of(op->getRegions(), [](Region &region) {
        return llvm::all_of(region, [](Block &block) {
          return llvm::none_of(block.getArgumentTypes(), hasLayout);
        });
      });
    });
    // Upstream's folds ignore layouts: a transpose by the identity would become
    // its input, which other tiles hold.
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    return applyFullConversion(module, target, std::move(patterns), config);
  }
};

} // namespace
} // namespace npu
