// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns for operations of this dialect, and for values that need no
// data.

#include "EmitRedistribution.h"
#include "Patterns.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Dialect/NPU/IR/CycleMarks.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
          types.push_back(storedType(type, tile));
        return success();
      });
}

namespace {

using Values = SmallVector<SmallVector<Value>>;

/// A permute_cast becomes a reshape on every tile.
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
      // A tile beyond the last one of the input holds nothing of input and
      // result.
      if (tile >= adaptor.getInput().size()) {
        results[0].push_back(tiles.empty(local, getOrder(op.getType())));
        continue;
      }
      Value part = adaptor.getInput()[tile];
      Value seen =
          tiles.reshape(part, ddrType(op.getInput().getType()).getShape(),
                        local.getShape(), ddrType(op.getType()).getShape());
      Permutation order = getOrder(op.getType());
      if (seen != part) {
        seen = distributed
                   ? tiles.beginAt(seen,
                                   getPlacement(op.getType())->memoryOf(tile),
                                   order)
                   : tiles.inOrder(seen, order);
      } else {
        // The part has the same shape in memory, but may have another begin in
        // its tensor, lie in another order, or have dimensions of 1 that are
        // other dimensions of the tensor.
        auto begin = [&](RankedTensorType type) {
          return beginOf(getPlacement(type)->memoryOf(tile), getOrder(type));
        };
        if (getOrder(op.getInput().getType()) != order ||
            ddrType(op.getInput().getType()).getShape() !=
                ddrType(op.getType()).getShape())
          seen = tiles.viewInOrder(seen, order);
        if (distributed && local.getNumElements() > 0)
          if (auto from = begin(op.getInput().getType()),
              to = begin(op.getType());
              from != to)
            seen = tiles.rename(seen, from, to);
      }
      results[0].push_back(seen);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// A distribution_cast becomes a slice of what each tile holds.
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
              ? tiles.empty(localType(op.getResult().getType(), tile),
                            source.order())
              : tiles.slice(source.values[tile], source.held(tile),
                            boxes.memory, source.order()));
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// Builds the transfers between the layouts of the operand and the result of
/// `op`.
LogicalResult lowerMove(Operation *op, ValueRange parts, Machines machines,
                        ConversionPatternRewriter &rewriter) {
  Value input = op->getOperand(0);
  auto target = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto source = dyn_cast<RankedTensorType>(input.getType());
  if (!source || !target || source.getShape() != target.getShape())
    return rewriter.notifyMatchFailure(op, "shapes differ");
  Padding padding = paddingOf(op->getResult(0));
  Result<RedistributionPlan> plan =
      planBetween(source, target, padding, machines);
  if (!plan)
    return rewriter.notifyMatchFailure(op, plan.error().message);
  Values results(1);
  results[0] = emitRedistribution(rewriter, op->getLoc(), partsOf(input, parts),
                                  target, *plan, padding)
                   .values;
  rewriter.replaceOpWithMultiple(op, std::move(results));
  return success();
}

/// Every tile packs what it holds, or unpacks it.
struct LowerConvertStorage : OpConversionPattern<ConvertStorageOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConvertStorageOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType plain =
        op.packs() ? op.getInput().getType() : op.getResult().getType();
    Permutation order = getOrder(plain),
                inOrder = identityPermutation(plain.getRank());
    const Placement &placement = *getPlacement(plain);
    Values results(1);
    for (auto [tile, part] : llvm::enumerate(adaptor.getInput())) {
      TileBuilder tiles(rewriter, op.getLoc(), tile);
      const Box &box = placement.tiles[tile].memory;
      // Two distributions that are equal may write an empty box in two ways.
      auto convert = [&](Value value, RankedTensorType type) {
        Value made;
        if (box.isEmpty())
          made = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                         type.getElementType());
        else
          made = ConvertStorageOp::create(rewriter, op.getLoc(), type, value);
        tiles.mark(made.getDefiningOp());
        return made;
      };
      if (op.packs()) {
        results[0].push_back(
            convert(tiles.reorder(part, order, inOrder),
                    storedType(op.getResult().getType(), tile)));
        continue;
      }
      Value unpacked = convert(part, partType(withLayout(plain, {}), box));
      unpacked = tiles.beginAt(unpacked, box, inOrder);
      results[0].push_back(tiles.reorder(unpacked, inOrder, order));
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// Marks what a redistribution becomes: a transfer of one that takes nothing
/// takes nothing, and each tile's last operation takes what it takes the tile
/// to put what it holds into another order.
void markMoves(const CycleMark &cycles, ArrayRef<Operation *> made) {
  bool isFree = cycles.cycles.size() == 1 && cycles.cycles.front() == 0;
  llvm::SmallDenseSet<int64_t> seen;
  for (Operation *op : llvm::reverse(made)) {
    if (isFree && isa<TransferOp>(op))
      markCycles(op, {{0}});
    auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName);
    if (!tile || !isa<linalg::LinalgOp>(op))
      continue;
    size_t number = tile.getInt();
    bool isLast = seen.insert(tile.getInt()).second;
    markCycles(op,
               {{isLast && number < cycles.cycles.size() ? cycles.cycles[number]
                                                         : 0}});
  }
}

struct LowerRedistribution : OpConversionPattern<RedistributeOp> {
  LowerRedistribution(const TypeConverter &converter, MLIRContext *context,
                      PatternBenefit benefit, Machines machines)
      : OpConversionPattern(converter, context, benefit), machines(machines) {}

  LogicalResult
  matchAndRewrite(RedistributeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<CycleMark> cycles = readCycles(op);
    Operation *before = op->getPrevNode();
    if (failed(lowerMove(op, adaptor.getInput(), machines, rewriter)))
      return failure();
    if (!cycles)
      return success();
    SmallVector<Operation *> made;
    for (Operation *each = before ? before->getNextNode()
                                  : &op->getBlock()->front();
         each && each != op; each = each->getNextNode())
      made.push_back(each);
    markMoves(*cycles, made);
    return success();
  }

private:
  Machines machines;
};

/// Every tile makes its part of a value that needs no data. A constant whose
/// entries differ is in DDR and is loaded.
struct LowerRematerializable : ConversionPattern {
  LowerRematerializable(const TypeConverter &converter, MLIRContext *context,
                        PatternBenefit benefit, Machines machines)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), benefit, context),
        machines(machines) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange>,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = op->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                    : RankedTensorType();
    DataNeed need = type ? dataNeedOf(op->getResult(0)) : DataNeed::Computed;
    // Structured operations have outputs as operands, and are cut.
    if (need == DataNeed::Computed || isa<linalg::LinalgOp>(op))
      return rewriter.notifyMatchFailure(op, "made of other tensors");
    Values results(1);
    if (need == DataNeed::Stored) {
      if (failed(load(op, type, results[0], rewriter)))
        return failure();
    } else {
      SmallVector<Type> types;
      if (failed(getTypeConverter()->convertType(type, types)))
        return failure();
      const Placement *placement = getPlacement(type);
      for (auto [tile, part] : llvm::enumerate(types)) {
        TileBuilder tiles(rewriter, op->getLoc(),
                          placement ? std::optional<unsigned>(tile)
                                    : std::nullopt);
        Box box = placement ? placement->memoryOf(tile)
                            : Box::whole(toExtents(type.getShape()));
        results[0].push_back(
            make(op, cast<RankedTensorType>(part), need, box, tiles, rewriter));
      }
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// Makes the part that holds `box` of the tensor. In an unwritten part,
  /// padding is marked.
  static Value make(Operation *op, RankedTensorType part, DataNeed need,
                    const Box &box, TileBuilder tiles, OpBuilder &builder) {
    Value whole = op->getResult(0);
    Permutation order = getOrder(cast<RankedTensorType>(whole.getType()));
    if (need != DataNeed::Unwritten) {
      Value made =
          *cast<RematerializableOpInterface>(op).rematerializeAs(builder, part);
      tiles.mark(made.getDefiningOp());
      return tiles.inOrder(made, order);
    }
    Value empty = tiles.empty(part, order);
    Padding padding = paddingOf(whole);
    if (op->getAttrOfType<UnitAttr>(paddingAttrName))
      empty.getDefiningOp()->setAttr(paddingAttrName, builder.getUnitAttr());
    else if (!padding.empty())
      markPadding(empty, box, order, padding);
    return empty;
  }

  LogicalResult load(Operation *op, RankedTensorType type,
                     SmallVector<Value> &values,
                     ConversionPatternRewriter &rewriter) const {
    RankedTensorType plain = withLayout(type, {});
    Padding padding = paddingOf(op->getResult(0));
    Result<RedistributionPlan> plan =
        planBetween(plain, type, padding, machines);
    if (!plan)
      return rewriter.notifyMatchFailure(op, plan.error().message);
    Value whole =
        *cast<RematerializableOpInterface>(op).rematerializeAs(rewriter, plain);
    values = emitRedistribution(rewriter, op->getLoc(), Parts{plain, {whole}},
                                type, *plan, padding)
                 .values;
    return success();
  }

  Machines machines;
};

/// A tensor.cast between layouts becomes transfers, like a redistribution.
struct LowerTensorCast : ConversionPattern {
  LowerTensorCast(const TypeConverter &converter, MLIRContext *context,
                  PatternBenefit benefit, Machines machines)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), benefit, context),
        machines(machines) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isTensorCast(op))
      return rewriter.notifyMatchFailure(op, "no cast");
    return lowerMove(op, operands[0], machines, rewriter);
  }

private:
  Machines machines;
};

} // namespace

void populateLayoutPatterns(const TileTypeConverter &converter,
                            RewritePatternSet &patterns, Machines machines) {
  patterns.add<LowerPermuteCast, LowerDistributionCast, LowerConvertStorage>(
      converter, patterns.getContext(), 2);
  patterns.add<LowerRedistribution, LowerTensorCast, LowerRematerializable>(
      converter, patterns.getContext(), 2, machines);
}

} // namespace npu
