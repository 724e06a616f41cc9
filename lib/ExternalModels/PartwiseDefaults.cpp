// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default models of PartwiseOpInterface, by upstream's interfaces and
// traits.

#include "Defaults.h"
#include "npu/Interfaces/LinearForm.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/ReadsOperand.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/TileCoordinates.h"
#include "npu/TileProgram/TilePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/IndexingMapOpInterface.h"

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
  bool isAsHeld = held == box && wanted == box && !beginsUnsaid(box, map, type);
  // A view of what nobody has written would read it. An output that is only
  // written is made anew instead, with the indices that the loops give it.
  if (!isAsHeld && !part.access().reads(number) && isUnwritten(operand.get()))
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

/// Builds the operation for the iterations that produce the tile's memory boxes
/// of the results, on the boxes that they read, with maps in the coordinates of
/// these boxes.
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

/// Whether a map divides only by positive constants: a division by zero or by a
/// negative number is undefined.
bool dividesProperly(AffineMap map) {
  bool properly = true;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || expr.getKind() == AffineExprKind::Add ||
        expr.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    properly &= divisor && divisor.getValue() > 0;
  });
  return properly;
}

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// The extents of an operation's loops, each that of the first dimension which
/// the loop alone indexes.
SmallVector<int64_t> loopExtents(IndexingMapOpInterface op,
                                 ArrayRef<AffineMap> maps) {
  if (maps.empty())
    return op.getStaticLoopRanges();
  SmallVector<std::optional<int64_t>> known(maps.front().getNumDims());
  for (auto [operand, map] : llvm::zip(op->getOperands(), maps)) {
    auto shaped = dyn_cast<ShapedType>(operand.getType());
    for (auto [dim, index] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        if (std::optional<int64_t> &extent = known[loop.getPosition()]; !extent)
          extent = shaped.getDimSize(dim);
  }
  if (!llvm::all_of(known, [](auto extent) { return extent.has_value(); }))
    return op.getStaticLoopRanges();
  return llvm::map_to_vector(known, [](auto extent) { return *extent; });
}

/// The access of an operation by its indexing maps: adds the loops, and the
/// operands that are read according to `reads`.
template <typename Reads>
std::optional<OpAccess>
accessByMaps(IndexingMapOpInterface op, DestinationStyleOpInterface style,
             llvm::function_ref<bool(unsigned)> reduces, Reads reads) {
  std::optional<OpAccessBuilder> builder =
      OpAccessBuilder::of(op.getOperation());
  if (!builder || !style.hasPureTensorSemantics())
    return std::nullopt;
  // Named operations make their maps anew whenever they are asked.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, dividesProperly))
    return std::nullopt;
  SmallVector<int64_t> extents = loopExtents(op, maps);
  if (llvm::any_of(extents, ShapedType::isDynamic))
    return std::nullopt;
  for (auto [loop, extent] : llvm::enumerate(extents))
    builder->addLoop(extent, reduces(loop));
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTensor(operand.get()))
      continue;
    AffineMap map = maps[operand.getOperandNumber()];
    if (reads(operand, map, extents))
      builder->setOperand(operand.getOperandNumber(), map);
    else
      builder->setUnread(operand.getOperandNumber(), map);
    if (style.isDpsInit(&operand))
      builder->setResult(style.getTiedOpResult(&operand).getResultNumber(),
                         map);
  }
  return builder->finish();
}

struct StructuredModel : PartwiseOpInterface::FallbackModel<StructuredModel> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto structured = cast<linalg::LinalgOp>(op);
    SmallVector<utils::IteratorType> kinds = structured.getIteratorTypesArray();
    return accessByMaps(
        cast<IndexingMapOpInterface>(op), cast<DestinationStyleOpInterface>(op),
        [&](unsigned loop) {
          return kinds[loop] == utils::IteratorType::reduction;
        },
        [&](OpOperand &operand, AffineMap map, ArrayRef<int64_t> extents) {
          return readsOperand(structured, operand, map, extents);
        });
  }

  SmallVector<unsigned> copiedOperands(Operation *) const { return {}; }

  bool partsBeginTogether(Operation *) const { return false; }

  std::optional<std::string> whyNotCut(Operation *) const { return {}; }

  LogicalResult cutForTile(Operation *op, TilePart &part) const {
    cutStructured(cast<linalg::LinalgOp>(op), part);
    return success();
  }
};

/// The model of elementwise operations, which compute each entry from the
/// entries of operands at the same position.
struct ElementwiseModel : PartwiseOpInterface::FallbackModel<ElementwiseModel> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    SmallVector<AffineExpr> same;
    for (unsigned dim = 0; dim < builder->resultExtents(0).size(); ++dim)
      same.push_back(builder->loop(dim));
    for (OpOperand &operand : op->getOpOperands())
      if (isa<TensorType>(operand.get().getType()))
        builder->setOperand(operand.getOperandNumber(), same);
    for (OpResult result : op->getResults())
      builder->setResult(result.getResultNumber(), same);
    return builder->finish();
  }

  SmallVector<unsigned> copiedOperands(Operation *) const { return {}; }

  bool partsBeginTogether(Operation *) const { return true; }

  std::optional<std::string> whyNotCut(Operation *) const { return {}; }

  LogicalResult cutForTile(Operation *op, TilePart &part) const {
    if (part.iteration().empty) {
      part.giveNothing();
      return success();
    }
    Operation *local = part.cloneOnPart();
    for (OpResult result : op->getResults())
      part.giveProduced(result, local->getResult(result.getResultNumber()));
    return success();
  }
};

/// The model of other operations with indexing maps. Their bodies are not
/// known: every operand is read, and a loop that no output depends on reduces.
struct MappedModel : PartwiseOpInterface::FallbackModel<MappedModel> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto maps = cast<IndexingMapOpInterface>(op);
    auto style = cast<DestinationStyleOpInterface>(op);
    // Without this map, upstream cannot compute the extents of loops.
    if (!maps.getShapesToLoopsMap())
      return std::nullopt;
    auto reduces = [&](unsigned loop) {
      return llvm::none_of(style.getDpsInitsMutable(), [&](OpOperand &init) {
        return maps.getMatchingIndexingMap(&init).isFunctionOfDim(loop);
      });
    };
    return accessByMaps(
        maps, style, reduces,
        [](OpOperand &, AffineMap, ArrayRef<int64_t>) { return true; });
  }

  SmallVector<unsigned> copiedOperands(Operation *) const { return {}; }

  bool partsBeginTogether(Operation *) const { return false; }

  std::optional<std::string> whyNotCut(Operation *) const {
    return "nobody says how a tile does a part of it";
  }

  LogicalResult cutForTile(Operation *, TilePart &) const { return failure(); }
};

} // namespace

bool isElementwise(RegisteredOperationName name) {
  return name.hasTrait<OpTrait::Elementwise>() &&
         name.hasTrait<OpTrait::Scalarizable>() &&
         name.hasTrait<OpTrait::Vectorizable>() &&
         name.hasTrait<OpTrait::Tensorizable>();
}

void attachPartwiseDefault(RegisteredOperationName name) {
  if (name.hasInterface<linalg::LinalgOp>())
    name.attachInterface<StructuredModel>();
  else if (isElementwise(name))
    name.attachInterface<ElementwiseModel>();
  else if (name.hasInterface<IndexingMapOpInterface>() &&
           name.hasInterface<DestinationStyleOpInterface>())
    name.attachInterface<MappedModel>();
}

} // namespace npu
