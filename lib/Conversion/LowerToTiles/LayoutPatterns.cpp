// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This dialect's own operations, and values that need no data.

#include "EmitRedistribution.h"
#include "Patterns.h"
#include "npu/Analysis/Choices/Movement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace npu {

Parts partsOf(Value original, ValueRange converted) {
  return Parts{cast<RankedTensorType>(original.getType()),
               SmallVector<Value>(converted)};
}

TileTypeConverter::TileTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion(
      [](RankedTensorType type,
         SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        if (!getLayout(type)) {
          types.push_back(type);
          return success();
        }
        const Placement *placement = getPlacement(type);
        if (!placement) {
          types.push_back(ddrType(type));
          return success();
        }
        for (unsigned tile = 0; tile < placement->tiles.size(); ++tile)
          types.push_back(localType(type, tile));
        return success();
      });
}

namespace {

using Values = SmallVector<SmallVector<Value>>;

/// The same bytes on every tile, under another shape and nothing else.
struct LowerPermuteCast : OpConversionPattern<PermuteCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PermuteCastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Values results(1);
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    bool distributed = isDistributed(op.getType());
    for (auto [tile, type] : llvm::enumerate(types)) {
      TileBuilder tiles(rewriter, op.getLoc(),
                        distributed ? std::optional<unsigned>(tile)
                                    : std::nullopt);
      auto local = cast<RankedTensorType>(type);
      // A tile beyond the input's last one has nothing on both sides.
      if (tile >= adaptor.getInput().size()) {
        results[0].push_back(tiles.empty(local));
        continue;
      }
      Value part = adaptor.getInput()[tile];
      Value seen = tiles.reshape(part, local.getShape());
      if (distributed && seen != part) {
        seen = tiles.beginAt(seen, getPlacement(op.getType())->memoryOf(tile),
                             getOrder(op.getType()));
      } else if (distributed) {
        // The same shape, dimension by dimension of memory, but perhaps another
        // part of it.
        auto begin = [&](RankedTensorType type) {
          return beginOf(getPlacement(type)->memoryOf(tile), getOrder(type));
        };
        auto from = begin(op.getInput().getType()), to = begin(op.getType());
        if (from != to && local.getNumElements() > 0)
          seen = tiles.rename(seen, from, to);
      }
      results[0].push_back(seen);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// What each tile keeps of what it holds.
struct LowerDistributionCast : OpConversionPattern<DistributionCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DistributionCastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Parts source = partsOf(op.getInput(), adaptor.getInput());
    const Placement &target = *getPlacement(op.getResult().getType());
    Values results(1);
    for (auto [tile, boxes] : llvm::enumerate(target.tiles)) {
      TileBuilder tiles(rewriter, op.getLoc(), tile);
      results[0].push_back(
          boxes.memory.isEmpty()
              ? tiles.empty(localType(op.getResult().getType(), tile))
              : tiles.slice(source.values[tile], source.held(tile),
                            boxes.memory, source.order()));
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

template <typename Op>
struct LowerRedistribution : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value input = op->getOperand(0);
    auto target = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    auto source = dyn_cast<RankedTensorType>(input.getType());
    if (!source || !target || source.getShape() != target.getShape())
      return rewriter.notifyMatchFailure(op, "shapes differ");
    Padding padding = paddingOf(op->getResult(0));
    Result<RedistributionPlan> plan = planBetween(source, target, padding);
    if (!plan)
      return rewriter.notifyMatchFailure(op, plan.error());
    Values results(1);
    results[0] = emitRedistribution(rewriter, op.getLoc(),
                                    partsOf(input, adaptor.getOperands()[0]),
                                    target, *plan, padding)
                     .values;
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct LowerEmpty : OpConversionPattern<tensor::EmptyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::EmptyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    Values results(1);
    const Placement *placement = getPlacement(op.getType());
    bool distributed = placement != nullptr;
    bool allPadding = op->getAttrOfType<UnitAttr>(paddingAttrName) != nullptr;
    Padding padding = paddingOf(op.getResult());
    for (auto [tile, type] : llvm::enumerate(types)) {
      TileBuilder tiles(rewriter, op.getLoc(),
                        distributed ? std::optional<unsigned>(tile)
                                    : std::nullopt);
      Value empty = tiles.empty(cast<RankedTensorType>(type));
      if (allPadding)
        empty.getDefiningOp()->setAttr(paddingAttrName, rewriter.getUnitAttr());
      else if (!padding.empty())
        markPadding(empty,
                    distributed
                        ? placement->memoryOf(tile)
                        : Box::whole(toExtents(op.getType().getShape())),
                    getOrder(op.getType()), padding);
      results[0].push_back(empty);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// The same value on every tile.
struct LowerSplat : OpConversionPattern<tensor::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::SplatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (!op.getType().hasStaticShape() ||
        failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    Values results(1);
    bool distributed = isDistributed(op.getType());
    for (auto [tile, type] : llvm::enumerate(types)) {
      TileBuilder tiles(rewriter, op.getLoc(),
                        distributed ? std::optional<unsigned>(tile)
                                    : std::nullopt);
      auto local = tensor::SplatOp::create(rewriter, op.getLoc(),
                                           adaptor.getInput().front(), type);
      tiles.mark(local);
      results[0].push_back(local);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// One value everywhere is a constant on every tile; any other constant lies in
/// DDR and is loaded.
struct LowerConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    auto elements = dyn_cast<ElementsAttr>(op.getValue());
    if (!type || !elements)
      return rewriter.notifyMatchFailure(op, "not a tensor");
    Values results(1);
    auto splat = dyn_cast<SplatElementsAttr>(elements);
    const Placement *placement = getPlacement(type);
    if (splat && placement) {
      for (unsigned tile = 0; tile < placement->tiles.size(); ++tile) {
        RankedTensorType local = localType(type, tile);
        Operation *constant = arith::ConstantOp::create(
            rewriter, op.getLoc(), local, splat.resizeSplat(local));
        TileBuilder(rewriter, op.getLoc(), tile).mark(constant);
        results[0].push_back(constant->getResult(0));
      }
      rewriter.replaceOpWithMultiple(op, std::move(results));
      return success();
    }
    RankedTensorType plain = withLayout(type, {});
    ElementsAttr value;
    if (auto dense = dyn_cast<DenseElementsAttr>(elements))
      value = dense.isSplat() ? dense.resizeSplat(plain) : dense.reshape(plain);
    else if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
      value = DenseResourceElementsAttr::get(plain, resource.getRawHandle());
    else if (auto sparse = dyn_cast<SparseElementsAttr>(elements))
      value = DenseElementsAttr::get(
          plain, llvm::to_vector(sparse.getValues<Attribute>()));
    else
      return rewriter.notifyMatchFailure(op, "elements of another kind");
    Value whole =
        arith::ConstantOp::create(rewriter, op.getLoc(), plain, value);
    Padding padding = paddingOf(op.getResult());
    Result<RedistributionPlan> plan = planBetween(plain, type, padding);
    if (!plan)
      return rewriter.notifyMatchFailure(op, plan.error());
    results[0] = emitRedistribution(rewriter, op.getLoc(),
                                    Parts{plain, {whole}}, type, *plan, padding)
                     .values;
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

} // namespace

void populateLayoutPatterns(const TileTypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<LowerPermuteCast, LowerDistributionCast,
               LowerRedistribution<RedistributeOp>,
               LowerRedistribution<tensor::CastOp>, LowerEmpty, LowerSplat,
               LowerConstant>(converter, patterns.getContext(), 2);
}

} // namespace npu
