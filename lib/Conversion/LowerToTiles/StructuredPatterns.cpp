// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rule for all structured operations: a tile runs the iterations that
// produce its memory box of the result, on the boxes that they read, with maps
// in the coordinates of these boxes.

#include "Patterns.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Dialect/NPU/Transforms/ShiftIndices.h"
#include "npu/Interfaces/LinearForm.h"
#include "npu/Interfaces/TileCoordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace npu {
namespace {

RankedTensorType tensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// An indexing map whose results follow the operand's memory order.
AffineMap inMemoryOrder(AffineMap map, const Permutation &order) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : order)
    exprs.push_back(map.getResult(dim));
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs,
                        map.getContext());
}

/// The box, in the coordinates of the loops: where a map adds to what it makes
/// of loops, the box begins so many behind what they make of it. In a tile's
/// own coordinates, nobody can see what was added.
Box inLoopCoordinates(Box box, AffineMap map) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (std::optional<LinearForm> form = asLinearForm(expr))
      box[dim] = {box[dim].begin - form->offset, box[dim].end - form->offset};
  return box;
}

/// What a tile's operation takes for an operand: the box its iterations read.
Value localOperand(TileBuilder &tiles, const OpAccess &access,
                   OpOperand &operand, ValueRange converted,
                   const Iteration &iteration, unsigned tile) {
  RankedTensorType type = tensorType(operand.get());
  if (!type)
    return converted.front();
  unsigned number = operand.getOperandNumber();
  Box box = access.spanned(number, iteration);
  Parts parts = partsOf(operand.get(), converted);
  if (isDistributed(type) && tile < parts.size() &&
      parts.held(tile).contains(box)) {
    Box held = parts.held(tile);
    auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
    if (!op)
      return tiles.slice(parts.values[tile], held, box, parts.order());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return tiles.sliceOther(parts.values[tile], held,
                            inLoopCoordinates(held, map),
                            inLoopCoordinates(box, map), parts.order());
  }
  // Nobody reads it: only its shape counts.
  Extents sizes = box.sizes();
  SmallVector<int64_t> shape;
  for (int64_t dim : getOrder(type))
    shape.push_back(sizes[dim]);
  return tiles.empty(RankedTensorType::get(shape, type.getElementType()));
}

/// Whether inputs say of all loops of a result where they begin.
bool beginFollows(Operation *op, OpResult result) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return true;
  auto readsAsItIs = [&](AffineExpr loop) {
    return llvm::any_of(structured.getDpsInputOperands(), [&](OpOperand *in) {
      return tensorType(in->get()) &&
             llvm::is_contained(
                 structured.getMatchingIndexingMap(in).getResults(), loop);
    });
  };
  return llvm::all_of(
      structured.getIndexingMapMatchingResult(result).getResults(),
      [&](AffineExpr expr) {
        return isa<AffineDimExpr>(expr) && readsAsItIs(expr);
      });
}

/// What a tile that runs nothing has of a result: nothing, or, where there is
/// nothing to reduce, the output that it was given.
Value withoutIterations(TileBuilder &tiles, Operation *op,
                        ArrayRef<ValueRange> operands, OpResult result,
                        unsigned tile) {
  OpOperand *output = tiedOutput(op, result.getResultNumber());
  if (output)
    return operands[output->getOperandNumber()][tile];
  return tiles.empty(localType(tensorType(result), tile));
}

/// The maps of a tile's generic: its own coordinates, each operand's dimensions
/// in its memory order.
void giveLocalMaps(linalg::GenericOp generic, Operation *whole,
                   const OpAccess &access, const Iteration &iteration) {
  SmallVector<AffineMap> maps;
  for (auto [map, operand] :
       llvm::zip(generic.getIndexingMapsArray(), whole->getOpOperands())) {
    RankedTensorType type = tensorType(operand.get());
    if (type) {
      Box box = access.spanned(operand.getOperandNumber(), iteration);
      map = inMemoryOrder(inTileCoordinates(map, iteration.loops, box),
                          getOrder(type));
    }
    maps.push_back(map);
  }
  generic.setIndexingMapsAttr(
      Builder(generic.getContext()).getAffineMapArrayAttr(maps));
}

/// What a tile holds of a result, from what its operation computed of it, which
/// is `produced`, or `written` in the coordinates of the loops.
Value localResult(TileBuilder &tiles, OpResult result, Value computed,
                  const Box &written, const Box &produced,
                  const OpAccess &access, ArrayRef<ValueRange> operands,
                  unsigned tile) {
  RankedTensorType type = tensorType(result);
  Box held = getPlacement(type)->memoryOf(tile);
  if (held.isEmpty())
    return tiles.empty(localType(type, tile));
  OpOperand *output = tiedOutput(result.getOwner(), result.getResultNumber());
  // Entries around those that are written stay what they were.
  if (output && access.reads(output->getOperandNumber())) {
    Value into = operands[output->getOperandNumber()][tile];
    return written == produced
               ? tiles.insert(computed, produced, into, held, getOrder(type))
               : tiles.insertOther(computed, written, produced, into, held,
                                   getOrder(type));
  }
  return tiles.sliceOther(computed, written, produced, held, getOrder(type));
}

class CutStructured : public ConversionPattern {
public:
  CutStructured(const TileTypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<linalg::LinalgOp, linalg::SoftmaxOp>(op) &&
        !OpTrait::hasElementwiseMappableTraits(op))
      return rewriter.notifyMatchFailure(op, "not a structured operation");
    std::optional<OpAccess> access = OpAccess::get(op);
    if (!access)
      return rewriter.notifyMatchFailure(op, "not understood");
    TileIterations iterations = iterationsForMemory(*access, op);
    TileResults results(op->getNumResults());
    for (auto [tile, iteration] : llvm::enumerate(iterations))
      cutOne(op, operands, *access, iteration, tile, results, rewriter);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  static void cutOne(Operation *op, ArrayRef<ValueRange> operands,
                     const OpAccess &access, const Iteration &iteration,
                     unsigned tile, TileResults &results,
                     ConversionPatternRewriter &rewriter) {
    TileBuilder tiles(rewriter, op->getLoc(), tile);
    // Other results may be on more tiles.
    auto isOnTile = [&](OpResult result) {
      return tile < getPlacement(tensorType(result))->tiles.size();
    };
    if (iteration.empty) {
      for (OpResult result :
           llvm::make_filter_range(op->getResults(), isOnTile))
        results[result.getResultNumber()].push_back(
            withoutIterations(tiles, op, operands, result, tile));
      return;
    }
    SmallVector<Value> locals;
    for (OpOperand &operand : op->getOpOperands())
      locals.push_back(localOperand(tiles, access, operand,
                                    operands[operand.getOperandNumber()],
                                    iteration, tile));
    // A softmax gives as many results as it reads, also where only a part of
    // them is this tile's.
    bool wholeRows = isa<linalg::SoftmaxOp>(op);
    if (wholeRows)
      locals[1] = tiles.empty(cast<RankedTensorType>(locals[0].getType()));
    SmallVector<Type> types;
    for (OpResult result : op->getResults()) {
      OpOperand *output = tiedOutput(op, result.getResultNumber());
      types.push_back(output ? locals[output->getOperandNumber()].getType()
                             : Type(localType(tensorType(result), tile)));
    }
    Operation *local = clone(rewriter, op, types, locals);
    tiles.mark(local);
    // Attributes that were found for the whole, or that name logical
    // dimensions.
    local->removeAttr("linalg.memoized_indexing_maps");
    local->removeAttr(paddingAttrName);
    if (auto generic = dyn_cast<linalg::GenericOp>(local)) {
      giveLocalMaps(generic, op, access, iteration);
      shiftIndices(generic, iteration, rewriter);
    }
    if (auto softmax = dyn_cast<linalg::SoftmaxOp>(local)) {
      Permutation where = inverse(getOrder(tensorType(op->getResult(0))));
      softmax.setDimension(where[softmax.getDimension()]);
    }
    for (OpResult result :
         llvm::make_filter_range(op->getResults(), isOnTile)) {
      unsigned number = result.getResultNumber();
      Box produced = wholeRows ? access.spanned(0, iteration)
                               : access.produced(number, iteration);
      Value computed = local->getResult(number);
      Box written = produced;
      if (auto structured = dyn_cast<linalg::LinalgOp>(op))
        written = inLoopCoordinates(
            produced, structured.getIndexingMapMatchingResult(result));
      // With several results, loops say of all but what only outputs are
      // indexed with.
      if (!beginFollows(op, result) && op->getNumResults() == 1)
        tiles.beginAt(computed, written, getOrder(tensorType(result)));
      results[number].push_back(localResult(tiles, result, computed, written,
                                            produced, access, operands, tile));
    }
  }
};

} // namespace

void populateStructuredPatterns(const TileTypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<CutStructured>(converter, patterns.getContext());
}

} // namespace npu
