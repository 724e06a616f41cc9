// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Cutting.h"
#include "npu/ExternalModels/Tensor/AddedValue.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace npu {
namespace {

/// Memory order without dropped dimensions, the others renumbered.
Permutation withoutDims(const Permutation &order,
                        const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> renumbered(order.size());
  int64_t next = 0;
  for (size_t dim = 0; dim < order.size(); ++dim)
    renumbered[dim] = dropped[dim] ? -1 : next++;
  Permutation result;
  for (int64_t dim : order)
    if (!dropped[dim])
      result.push_back(renumbered[dim]);
  return result;
}

SmallVector<int64_t> permuted(const Extents &sizes, const Permutation &order) {
  Extents result = permute(sizes, order);
  return {result.begin(), result.end()};
}

/// Takes `box` of operand `operand`, with dimensions in memory order `order`.
/// Precondition: the tile holds it.
Value partOf(TilePart &part, unsigned operand, const Box &box,
             const Permutation &order) {
  Parts source = part.parts(operand);
  TileBuilder tiles = part.tiles();
  Value value = tiles.slice(source.values[part.tile()],
                            source.held(part.tile()), box, source.order());
  return tiles.reorder(value, source.order(), order);
}

/// Writes `value`, which is the box `from` of another tensor, as `target` into
/// `into`, which holds `held`.
Value placed(TileBuilder tiles, Value value, const Box &from, const Box &target,
             Value into, const Box &held, const Permutation &order) {
  return from == target
             ? tiles.insert(value, target, into, held, order)
             : tiles.insertOther(value, from, target, into, held, order);
}

/// Where a reshape follows, nothing says where `value` has to begin: it says so
/// itself, unless it is a tile's whole part, which begins where that does.
void beginBeforeReshape(TilePart &part, Value value, const Box &box,
                        const Permutation &order) {
  if (value != part.parts(0).values[part.tile()])
    part.tiles().beginAt(value, box, order);
}

} // namespace

void cutExtractSlice(tensor::ExtractSliceOp op, TilePart &part) {
  Parts source = part.parts(0);
  OpResult result = op->getResult(0);
  Permutation order = getOrder(op.getType());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Permutation sliced = withoutDims(source.order(), dropped);
  Box held = source.held(part.tile()), box = part.held(result);
  Extents offsets, sizes, strides;
  Box inAllDims;
  size_t next = 0;
  for (size_t dim = 0; dim < held.rank(); ++dim) {
    int64_t stride = op.getStaticStrides()[dim];
    Range range = dropped[dim] ? Range{0, 1} : box[next++];
    offsets.push_back(op.getStaticOffsets()[dim] + range.begin * stride -
                      held[dim].begin);
    sizes.push_back(range.extent());
    inAllDims.push_back(range);
    strides.push_back(stride);
  }
  TileBuilder tiles = part.tilesFor(op->getOpOperand(0));
  Value value = tiles.stridedSlice(
      source.values[part.tile()], permuted(offsets, source.order()),
      permuted(sizes, source.order()), permuted(strides, source.order()));
  SmallVector<int64_t> whole;
  for (ArrayRef<int64_t> numbers :
       {op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides()})
    llvm::append_range(whole, permuted(toExtents(numbers), source.order()));
  tiles.setOffset(value.getDefiningOp(), whole);
  if (dropped.any())
    beginBeforeReshape(part, value, inAllDims, source.order());
  value = tiles.reshape(
      value, permuted(toExtents(op.getStaticSizes()), source.order()),
      permuted(box.sizes(), sliced),
      permuted(toExtents(op.getType().getShape()), sliced));
  value = tiles.reorder(value, sliced, order);
  bool keepsIndices =
      dropped.none() && op.hasUnitStride() &&
      llvm::all_of(op.getStaticOffsets(), [](int64_t at) { return at == 0; });
  part.give(result, keepsIndices ? value : tiles.beginAt(value, box, order));
}

void cutInsertSlice(tensor::InsertSliceOp op, TilePart &part) {
  OpResult result = op->getResult(0);
  Permutation order = getOrder(op.getType());
  Box box = part.held(result);
  Parts dest = part.parts(1);
  TileBuilder tiles = part.tiles();
  Value into = tiles.slice(dest.values[part.tile()], dest.held(part.tile()),
                           box, dest.order());
  // Compute the part of the slice inside of this tile's box, in coordinates of
  // the result and of the source.
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Box target(box.rank()), from(box.rank()), inSource;
  for (size_t dim = 0; dim < box.rank(); ++dim) {
    int64_t offset = op.getStaticOffsets()[dim];
    target[dim] =
        intersect(box[dim], {offset, offset + op.getStaticSizes()[dim]});
    from[dim] = {target[dim].begin - offset, target[dim].end - offset};
    if (!dropped[dim])
      inSource.push_back(from[dim]);
  }
  if (target.isEmpty())
    return part.give(result, into);
  Value value = partOf(part, 0, inSource, withoutDims(order, dropped));
  if (dropped.any())
    beginBeforeReshape(part, value, inSource, withoutDims(order, dropped));
  Value inAllDims =
      tiles.reshape(value,
                    permuted(toExtents(op.getSourceType().getShape()),
                             withoutDims(order, dropped)),
                    permuted(target.sizes(), order),
                    permuted(toExtents(op.getStaticSizes()), order));
  if (inAllDims != value)
    tiles.beginAt(inAllDims, from, order);
  part.give(result, placed(part.tilesFor(op->getOpOperand(0)), inAllDims, from,
                           target, into, box, order));
}

void cutPad(tensor::PadOp op, TilePart &part) {
  Value added =
      part.shared([&](OpBuilder &builder) { return addedValue(builder, op); });
  OpResult result = op->getResult(0);
  Permutation order = getOrder(op.getType());
  Box box = part.held(result);
  TileBuilder tiles = part.tiles();
  Value local =
      tiles
          .mark(linalg::FillOp::create(
              part.builder(), op.getLoc(), added,
              tiles.empty(localType(op.getType(), part.tile()), order)))
          ->getResult(0);
  Box target(box.rank()), from(box.rank());
  for (size_t dim = 0; dim < box.rank(); ++dim) {
    int64_t low = op.getStaticLow()[dim];
    target[dim] =
        intersect(box[dim], {low, low + op.getSourceType().getDimSize(dim)});
    from[dim] = {target[dim].begin - low, target[dim].end - low};
  }
  if (!target.isEmpty())
    local =
        placed(part.tilesFor(op->getOpOperand(0)), partOf(part, 0, from, order),
               from, target, local, box, order);
  part.give(result, local);
}

void cutConcat(tensor::ConcatOp op, TilePart &part) {
  OpResult result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  Permutation order = getOrder(type);
  Box box = part.held(result);
  uint64_t along = op.getDim();
  TileBuilder tiles = part.tiles();
  Value local = tiles.empty(localType(type, part.tile()), order);
  int64_t offset = 0;
  for (auto [number, operand] : llvm::enumerate(op.getInputs())) {
    int64_t extent =
        cast<RankedTensorType>(operand.getType()).getDimSize(along);
    Box target = box, from = box;
    target[along] = intersect(box[along], {offset, offset + extent});
    from[along] = {target[along].begin - offset, target[along].end - offset};
    offset += extent;
    if (!target.isEmpty())
      local = placed(part.tilesFor(op->getOpOperand(number)),
                     partOf(part, number, from, order), from, target, local,
                     box, order);
  }
  part.give(result, local);
}

void cutReshape(TilePart &part) {
  OpResult result = part.op()->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  auto source = cast<RankedTensorType>(part.op()->getOperand(0).getType());
  Permutation order = getOrder(type);
  Box box = part.held(result);
  Box from = part.access().read(0, part.iteration());
  TileBuilder tiles = part.tiles();
  Permutation logical = identityPermutation(box.rank());
  Value value = partOf(part, 0, from, identityPermutation(from.rank()));
  beginBeforeReshape(part, value, from, identityPermutation(from.rank()));
  Value reshaped =
      tiles.reshape(value, source.getShape(), permuted(box.sizes(), logical),
                    type.getShape());
  Value reordered = tiles.reorder(reshaped, logical, order);
  part.give(result, reshaped == value
                        ? tiles.rename(reordered, beginOf(from, order),
                                       beginOf(box, order))
                        : tiles.beginAt(reordered, box, order));
}

bool reshapesRuns(Operation *op, const OpAccess &access) {
  const Placement *placement =
      getPlacement(cast<RankedTensorType>(op->getResult(0).getType()));
  return llvm::all_of(placement->tiles, [&](const TileBoxes &tile) {
    return tile.memory.isEmpty() ||
           access.read(0, access.iterationsFor(0, tile.memory)).volume() ==
               tile.memory.volume();
  });
}

} // namespace npu
