// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CutStructured.h"
#include "npu/Interfaces/LinearForm.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/TileCoordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

/// Corrects the positions in the body of `op`, a tile's part of an operation:
/// the part runs `iteration` of the iteration domain, and its linalg.index
/// operations, which count from 0, get the begins of the ranges added.
/// Precondition: `op` is new, and nothing else refers to its body.
void shiftIndices(Operation *op, const IterationDomain &iteration,
                  OpBuilder &builder) {
  SmallVector<linalg::IndexOp> indices;
  op->walk([&](linalg::IndexOp index) { indices.push_back(index); });
  for (linalg::IndexOp index : indices) {
    int64_t begin = iteration.loops[index.getDim()].begin;
    if (begin == 0)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(index);
    Value shift =
        arith::ConstantIndexOp::create(builder, index.getLoc(), begin);
    auto sum = arith::AddIOp::create(builder, index.getLoc(), index, shift);
    index.getResult().replaceAllUsesExcept(sum, sum);
  }
}

/// An indexing map whose results follow the operand's memory order.
AffineMap inMemoryOrder(AffineMap map, const Permutation &order) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : order)
    exprs.push_back(map.getResult(dim));
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs,
                        map.getContext());
}

/// The box in the coordinates of the loops: where a map adds an offset to an
/// expression of loops, the box begins by the offset earlier. The maps in a
/// tile's own coordinates do not have the offset any more.
Box inLoopCoordinates(Box box, AffineMap map) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (std::optional<LinearForm> form = asLinearForm(expr))
      box[dim] = {box[dim].begin - form->offset, box[dim].end - form->offset};
  return box;
}

/// Whether the loops do not say where `box`, which is read at `map` of a tensor
/// of this type, begins: it is a part of a dimension that is read at a division
/// or a remainder of loops.
bool beginsUnsaid(const Box &box, AffineMap map, RankedTensorType type) {
  return llvm::any_of(llvm::enumerate(map.getResults()), [&](auto index) {
    return !asLinearForm(index.value()) &&
           box[index.index()].extent() != type.getDimSize(index.index());
  });
}

/// The operand of the tile's operation: the box that its iterations read, with
/// the indices that follow from the loops. Where they do not follow, the
/// operand says them itself.
Value localOperand(TilePart &part, OpOperand &operand, AffineMap map) {
  unsigned number = operand.getOperandNumber();
  RankedTensorType type = rankedType(operand.get());
  if (!type || !isDistributed(type))
    return part.operand(number);
  Parts parts = part.parts(number);
  Box box = part.access().spanned(number, part.iteration());
  if (part.tile() >= parts.size() || !parts.held(part.tile()).contains(box))
    return part.operand(number);
  Box held = parts.held(part.tile());
  TileBuilder tiles = part.tilesFor(operand);
  Value whole = parts.values[part.tile()];
  Box wanted = inLoopCoordinates(box, map);
  bool isAsHeld =
      held == box && wanted == box && !beginsUnsaid(box, map, type);
  // A view of what nobody has written would read it. An output that is only
  // written is made anew instead, with the indices that the loops give it.
  if (!isAsHeld && !part.access().reads(number) &&
      isUnwritten(operand.get()))
    return tiles.beginAt(tiles.empty(partType(type, box), parts.order()),
                         wanted, parts.order());
  Value value = tiles.sliceOther(whole, held, inLoopCoordinates(held, map),
                                 wanted, parts.order());
  if (!beginsUnsaid(box, map, type))
    return value;
  SmallVector<int64_t> begin = beginOf(wanted, parts.order());
  return value == whole ? tiles.rename(value, begin, begin)
                        : tiles.beginAt(value, wanted, parts.order());
}

/// Whether the begin of every loop of a result follows from an input that is
/// read at the plain loop.
bool beginFollows(linalg::LinalgOp op, OpResult result) {
  auto readsAsItIs = [&](AffineExpr loop) {
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *in) {
      return rankedType(in->get()) &&
             llvm::is_contained(op.getMatchingIndexingMap(in).getResults(),
                                loop);
    });
  };
  return llvm::all_of(op.getIndexingMapMatchingResult(result).getResults(),
                      [&](AffineExpr expr) {
                        return isa<AffineDimExpr>(expr) && readsAsItIs(expr);
                      });
}

/// Gives a tile's generic its maps: in the tile's own coordinates, with each
/// operand's dimensions in its memory order.
void giveLocalMaps(linalg::GenericOp generic, const TilePart &part) {
  SmallVector<AffineMap> maps;
  for (auto [map, operand] :
       llvm::zip(generic.getIndexingMapsArray(), part.op()->getOpOperands())) {
    RankedTensorType type = rankedType(operand.get());
    if (type) {
      Box box =
          part.access().spanned(operand.getOperandNumber(), part.iteration());
      map = inMemoryOrder(inTileCoordinates(map, part.iteration().loops, box),
                          getOrder(type));
    }
    maps.push_back(map);
  }
  generic.setIndexingMapsAttr(
      Builder(generic.getContext()).getAffineMapArrayAttr(maps));
}

/// The part of a result that the tile holds, from what its operation computed:
/// that is the box `produced`, or `written` in the coordinates of the loops.
Value localResult(TilePart &part, OpResult result, Value computed,
                  const Box &written, const Box &produced) {
  RankedTensorType type = rankedType(result);
  Box held = part.held(result);
  TileBuilder tiles = part.tilesFor(result);
  if (held.isEmpty())
    return tiles.empty(localType(type, part.tile()), getOrder(type));
  OpOperand *output = tiedOutput(part.op(), result.getResultNumber());
  // The entries that the operation does not write keep their values.
  if (output && part.access().reads(output->getOperandNumber())) {
    Value into = part.parts(output->getOperandNumber()).values[part.tile()];
    return written == produced
               ? tiles.insert(computed, produced, into, held, getOrder(type))
               : tiles.insertOther(computed, written, produced, into, held,
                                   getOrder(type));
  }
  return tiles.sliceOther(computed, written, produced, held, getOrder(type));
}

} // namespace

void cutStructured(linalg::LinalgOp op, TilePart &part) {
  if (part.iteration().empty)
    return part.giveNothing();
  SmallVector<Value> locals;
  for (OpOperand &operand : op->getOpOperands())
    locals.push_back(
        localOperand(part, operand, op.getMatchingIndexingMap(&operand)));
  Operation *local = part.cloneOn(locals);
  if (auto generic = dyn_cast<linalg::GenericOp>(local)) {
    giveLocalMaps(generic, part);
    shiftIndices(generic, part.iteration(), part.builder());
  }
  for (OpResult result : op->getResults()) {
    if (!part.isOnTile(result))
      continue;
    unsigned number = result.getResultNumber();
    Box produced = part.access().produced(number, part.iteration());
    Box written =
        inLoopCoordinates(produced, op.getIndexingMapMatchingResult(result));
    Value computed = local->getResult(number);
    // With several results, the begins of all results but those that only
    // outputs index follow from the loops.
    if (!beginFollows(op, result) && op->getNumResults() == 1)
      part.tiles().beginAt(computed, written, getOrder(rankedType(result)));
    part.give(result, localResult(part, result, computed, written, produced));
  }
}

} // namespace npu
