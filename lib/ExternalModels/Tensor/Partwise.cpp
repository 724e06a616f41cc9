// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../Models.h"
#include "npu/Dialect/NPU/IR/StepMarks.h"
#include "npu/ExternalModels/Tensor/AddedValue.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/TileProgram/TilePart.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace npu {
namespace {

// Builds a tile's part of slices, pads, concatenations and reshapes. Each
// function gives the part of the only result that the tile holds. Precondition:
// the tile holds some of it.

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

/// Where a slice begins in a dimension, as far as it is known before a run. An
/// offset that only a run knows counts as 0: all tiles hold all of such a
/// dimension.
int64_t knownOffset(OffsetSizeAndStrideOpInterface op, size_t dim) {
  return op.isDynamicOffset(dim) ? 0 : op.getStaticOffset(dim);
}

/// The local offsets of a slice, in memory order, with what a run adds to them.
SmallVector<OpFoldResult> inRun(OpBuilder &builder,
                                OffsetSizeAndStrideOpInterface op,
                                const Extents &local,
                                const Permutation &order) {
  SmallVector<OpFoldResult> offsets;
  for (int64_t dim : order) {
    if (!op.isDynamicOffset(dim)) {
      offsets.push_back(builder.getIndexAttr(local[dim]));
      continue;
    }
    AffineExpr sum = builder.getAffineDimExpr(0) + local[dim];
    offsets.push_back(affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), sum, {OpFoldResult(op.getDynamicOffset(dim))}));
  }
  return offsets;
}

/// Marks a tile's part of a slice or an insertion whose offsets only a run
/// knows. `extents` are those that the operation may be anywhere in.
void markAnywhere(Value part, OffsetSizeAndStrideOpInterface op,
                  ArrayRef<int64_t> extents, const Permutation &order) {
  Builder builder(op.getContext());
  SmallVector<int64_t> anywhere;
  for (int64_t dim : order)
    if (op.isDynamicOffset(dim))
      anywhere.push_back(extents[dim]);
  if (anywhere.empty())
    return;
  Operation *made = part.getDefiningOp();
  made->setAttr(stepsAttrName, builder.getUnitAttr());
  made->setAttr(extentsAttrName, builder.getDenseI64ArrayAttr(anywhere));
}

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
    offsets.push_back(knownOffset(op, dim) + range.begin * stride -
                      held[dim].begin);
    sizes.push_back(range.extent());
    inAllDims.push_back(range);
    strides.push_back(stride);
  }
  TileBuilder tiles = part.tilesFor(op->getOpOperand(0));
  Value value = tiles.stridedSlice(
      source.values[part.tile()],
      inRun(part.builder(), op, offsets, source.order()),
      permuted(sizes, source.order()), permuted(strides, source.order()));
  Extents begins;
  for (size_t dim = 0; dim < held.rank(); ++dim)
    begins.push_back(knownOffset(op, dim));
  SmallVector<int64_t> whole;
  for (const Extents &numbers : {begins, toExtents(op.getStaticSizes()),
                                 toExtents(op.getStaticStrides())})
    llvm::append_range(whole, permuted(numbers, source.order()));
  tiles.setOffset(value.getDefiningOp(), whole);
  markAnywhere(value, op, op.getSourceType().getShape(), source.order());
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

/// Precondition: all strides are 1.
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
    int64_t offset = knownOffset(op, dim);
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
  if (op.getOffsets().empty())
    return part.give(result, placed(part.tilesFor(op->getOpOperand(0)),
                                    inAllDims, from, target, into, box, order));
  Extents local;
  for (size_t dim = 0; dim < box.rank(); ++dim)
    local.push_back(target[dim].begin - box[dim].begin);
  Value inserted =
      tiles.insertAt(inAllDims, into, inRun(part.builder(), op, local, order));
  markAnywhere(inserted, op, op.getStaticSizes(), order);
  if (from != target) {
    part.tilesFor(op->getOpOperand(0))
        .setOffset(inserted.getDefiningOp(), localOffset(target, from, order));
    tiles.beginAt(inserted, box, order);
  }
  part.give(result, inserted);
}

/// Precondition: the pad has one value everywhere.
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

/// The memory order in which the source of a reshape has the elements in the
/// same sequence as a result in `order`: dimensions that become each other stay
/// together. Nothing where the result's order takes them apart.
std::optional<Permutation> orderBeforeReshape(Operation *op,
                                              const Permutation &order) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  SmallVector<ReassociationIndices> groups =
      collapse ? collapse.getReassociationIndices()
               : cast<tensor::ExpandShapeOp>(op).getReassociationIndices();
  Permutation before;
  if (collapse) {
    for (int64_t dim : order)
      for (int64_t each : groups[dim])
        before.push_back(each);
  } else {
    for (ArrayRef<int64_t> rest(order.begin(), order.size()); !rest.empty();) {
      auto group = llvm::find_if(groups, [&](ArrayRef<int64_t> dims) {
        return rest.take_front(dims.size()) == dims;
      });
      if (group == groups.end())
        return std::nullopt;
      before.push_back(group - groups.begin());
      rest = rest.drop_front(group->size());
    }
  }
  // Without groups, all extents are 1.
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  return static_cast<int64_t>(before.size()) == rank
             ? before
             : identityPermutation(rank);
}

/// Cuts expand_shape and collapse_shape. Precondition: the tile's part of the
/// result is one run of the source's elements.
void cutReshape(TilePart &part) {
  OpResult result = part.op()->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  auto source = cast<RankedTensorType>(part.op()->getOperand(0).getType());
  Permutation order = getOrder(type);
  Box box = part.held(result);
  Box from = part.access().read(0, part.iteration());
  TileBuilder tiles = part.tiles();
  std::optional<Permutation> sameSequence =
      orderBeforeReshape(part.op(), order);
  Permutation before = sameSequence.value_or(identityPermutation(from.rank()));
  Permutation after = sameSequence ? order : identityPermutation(box.rank());
  Value value = partOf(part, 0, from, before);
  beginBeforeReshape(part, value, from, before);
  Value reshaped =
      tiles.reshape(value, permuted(toExtents(source.getShape()), before),
                    permuted(box.sizes(), after),
                    permuted(toExtents(type.getShape()), after));
  Value reordered = tiles.reorder(reshaped, after, order);
  part.give(result, reshaped == value
                        ? tiles.rename(reordered, beginOf(from, order),
                                       beginOf(box, order))
                        : tiles.beginAt(reordered, box, order));
}

/// Whether the parts of all tiles are such runs.
bool reshapesRuns(Operation *op, const OpAccess &access) {
  const Placement *placement =
      getPlacement(cast<RankedTensorType>(op->getResult(0).getType()));
  return llvm::all_of(placement->tiles, [&](const TileBoxes &tile) {
    return tile.memory.isEmpty() ||
           access.read(0, access.iterationsFor(0, tile.memory)).volume() ==
               tile.memory.volume();
  });
}

/// Whether a stride is static and positive. Upstream also allows 0 and negative
/// strides.
bool isStep(int64_t stride) {
  return !ShapedType::isDynamic(stride) && stride > 0;
}

/// Whether offsets and strides are static, and each offset has a dimension. Of
/// slices that steps take, offsets may be known in a run only.
bool hasKnownPlace(OffsetSizeAndStrideOpInterface op, int64_t rank) {
  return static_cast<int64_t>(op.getStaticOffsets().size()) == rank &&
         (op->hasAttr(stepsAttrName) ||
          llvm::none_of(op.getStaticOffsets(), ShapedType::isDynamic)) &&
         llvm::all_of(op.getStaticStrides(), isStep);
}

/// Calls `cut` unless the tile holds nothing of the only result.
LogicalResult cutHeld(TilePart &part, function_ref<void()> cut) {
  if (part.held(part.op()->getResult(0)).isEmpty())
    part.giveNothing();
  else
    cut();
  return success();
}

std::optional<std::string> whyReshapeNotCut(Operation *op,
                                            const OpAccess &access) {
  if (reshapesRuns(op, access))
    return {};
  return "a tile's part of its result is not one run of its operand";
}

/// Models of operations with one result, of which `cut` builds the part that a
/// tile holds.
template <typename Model, typename Op, void (*cut)(Op, TilePart &)>
struct CutModel : PartwiseOpInterface::ExternalModel<Model, Op> {
  std::optional<std::string> whyNotCut(Operation *) const { return {}; }

  LogicalResult cutForTile(Operation *op, TilePart &part) const {
    return cutHeld(part, [&] { cut(cast<Op>(op), part); });
  }
};

struct ExtractSliceModel
    : CutModel<ExtractSliceModel, tensor::ExtractSliceOp, cutExtractSlice> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder || !hasKnownPlace(slice, slice.getSourceType().getRank()))
      return std::nullopt;
    builder->loopOverResult();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<AffineExpr> positions;
    unsigned resultDim = 0;
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
      // Any entry may be read.
      if (ShapedType::isDynamic(offset)) {
        positions.push_back(builder->loop(
            builder->addLoop(slice.getSourceType().getDimSize(dim))));
        resultDim += !dropped[dim];
        continue;
      }
      AffineExpr start = getAffineConstantExpr(offset, op->getContext());
      positions.push_back(
          dropped[dim] ? start : builder->loop(resultDim++) * stride + start);
    }
    builder->setOperand(0, positions);
    return builder->finish();
  }

  SmallVector<unsigned> copiedOperands(Operation *) const { return {0}; }
};

struct InsertSliceModel
    : CutModel<InsertSliceModel, tensor::InsertSliceOp, cutInsertSlice> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder || !hasKnownPlace(slice, slice.getDestType().getRank()))
      return std::nullopt;
    builder->loopOverResult();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<AffineExpr> inSource, inDest;
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
      AffineExpr at = builder->loop(dim);
      inDest.push_back(at);
      if (dropped[dim])
        continue;
      // Any entry may be put at any place.
      inSource.push_back(
          ShapedType::isDynamic(offset)
              ? builder->loop(builder->addLoop(slice.getStaticSizes()[dim]))
              : (at - offset).floorDiv(stride));
    }
    builder->setOperand(0, inSource);
    builder->setOperand(1, inDest);
    return builder->finish();
  }

  SmallVector<unsigned> copiedOperands(Operation *) const { return {0, 1}; }

  std::optional<std::string> whyNotCut(Operation *op) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    if (!slice.hasUnitStride())
      return "it writes with a stride other than 1";
    const Placement *placement = getPlacement(slice.getType());
    for (int64_t dim = 0; dim < slice.getDestType().getRank(); ++dim) {
      Range all{0, slice.getDestType().getDimSize(dim)};
      if (slice.isDynamicOffset(dim) &&
          llvm::any_of(placement->tiles, [&](const TileBoxes &tile) {
            return !tile.memory.isEmpty() && tile.memory[dim] != all;
          }))
        return "only a run knows which tile it writes to";
    }
    return {};
  }
};

struct PadModel : CutModel<PadModel, tensor::PadOp, cutPad> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto pad = cast<tensor::PadOp>(op);
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder || llvm::any_of(pad.getStaticLow(), ShapedType::isDynamic))
      return std::nullopt;
    builder->loopOverResult();
    SmallVector<AffineExpr> positions;
    for (auto [dim, low] : llvm::enumerate(pad.getStaticLow()))
      positions.push_back(builder->loop(dim) - low);
    builder->setOperand(0, positions);
    return builder->finish();
  }

  std::optional<std::string> whyNotCut(Operation *op) const {
    if (cast<tensor::PadOp>(op).getConstantPaddingValue())
      return {};
    return "what it pads with is not one value";
  }
};

struct ConcatModel : CutModel<ConcatModel, tensor::ConcatOp, cutConcat> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    uint64_t along = cast<tensor::ConcatOp>(op).getDim();
    int64_t offset = 0;
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
      SmallVector<AffineExpr> positions;
      for (unsigned i = 0; i < builder->resultExtents(0).size(); ++i)
        positions.push_back(i == along ? builder->loop(i) - offset
                                       : builder->loop(i));
      builder->setOperand(operand, positions);
      offset += builder->operandExtents(operand)[along];
    }
    return builder->finish();
  }

  SmallVector<unsigned> copiedOperands(Operation *op) const {
    return llvm::to_vector(llvm::seq<unsigned>(op->getNumOperands()));
  }
};

/// Reshapes by groups of dimensions. How they read, `Model` says.
template <typename Model, typename ReshapeOp>
struct ReshapeModel : PartwiseOpInterface::ExternalModel<Model, ReshapeOp> {
  SmallVector<unsigned> copiedOperands(Operation *) const { return {0}; }

  std::optional<std::string> whyNotCut(Operation *op) const {
    return whyReshapeNotCut(op, *OpAccess::get(op));
  }

  LogicalResult cutForTile(Operation *, TilePart &part) const {
    return cutHeld(part, [&] { cutReshape(part); });
  }
};

struct ExpandShapeModel
    : ReshapeModel<ExpandShapeModel, tensor::ExpandShapeOp> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    SmallVector<AffineExpr> positions;
    for (const ReassociationIndices &group :
         cast<tensor::ExpandShapeOp>(op).getReassociationIndices()) {
      AffineExpr linear = getAffineConstantExpr(0, op->getContext());
      for (int64_t dim : group)
        linear = linear * builder->resultExtents(0)[dim] + builder->loop(dim);
      positions.push_back(linear);
    }
    builder->setOperand(0, positions);
    return builder->finish();
  }
};

struct CollapseShapeModel
    : ReshapeModel<CollapseShapeModel, tensor::CollapseShapeOp> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    const Extents &source = builder->operandExtents(0);
    // Dimensions that are in no group have extent 1.
    SmallVector<AffineExpr> positions(
        source.size(), getAffineConstantExpr(0, op->getContext()));
    for (auto [dim, group] : llvm::enumerate(
             cast<tensor::CollapseShapeOp>(op).getReassociationIndices())) {
      AffineExpr rest = builder->loop(dim);
      for (int64_t sourceDim : llvm::reverse(group)) {
        bool outermost = sourceDim == group.front();
        // Do not divide by an extent of 0; such a tensor has no entries to
        // read.
        int64_t extent = std::max<int64_t>(source[sourceDim], 1);
        positions[sourceDim] = outermost ? rest : rest % extent;
        rest = rest.floorDiv(extent);
      }
    }
    builder->setOperand(0, positions);
    return builder->finish();
  }
};

/// The model of casts and reshapes of unknown shape: they are views of their
/// source, without an access.
template <typename ViewOp>
struct ViewModel
    : PartwiseOpInterface::ExternalModel<ViewModel<ViewOp>, ViewOp> {
  std::optional<OpAccess> getAccess(Operation *) const { return {}; }

  SmallVector<unsigned> copiedOperands(Operation *) const { return {0}; }
};

} // namespace

bool isTensorCast(Operation *op) { return isa<tensor::CastOp>(op); }

bool isPartOrReshape(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::CastOp>(op);
}

std::optional<Reassociation> reassociationOf(Operation *op) {
  Reassociation found;
  auto setGroups = [&](ArrayRef<ReassociationIndices> groups) {
    for (const ReassociationIndices &group : groups)
      found.groups.emplace_back(group.begin(), group.end());
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    found.refines = true;
    setGroups(expand.getReassociationIndices());
    found.listed = llvm::to_vector(expand.getStaticOutputShape());
    return found;
  }
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  if (!collapse)
    return std::nullopt;
  setGroups(collapse.getReassociationIndices());
  return found;
}

bool isSliceOfSameRank(Operation *op) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return slice && slice.getSourceType().getRank() == slice.getType().getRank();
}

bool isView(Operation *op) {
  return isPartOrReshape(op) || isa<tensor::ReshapeOp>(op);
}

bool passesEntriesOn(Operation *op) {
  static constexpr StringRef tosa[] = {"tosa.transpose", "tosa.reshape",
                                       "tosa.cast",      "tosa.reverse",
                                       "tosa.pad",       "tosa.slice"};
  return isView(op) || isa<tensor::PadOp>(op) ||
         llvm::is_contained(tosa, op->getName().getStringRef());
}

bool putsBesideOthers(Operation *op) {
  return isa<tensor::ConcatOp, tensor::InsertSliceOp, tensor::PadOp>(op);
}

std::optional<int64_t> concatenatedAlong(Operation *op) {
  auto concat = dyn_cast<tensor::ConcatOp>(op);
  return concat ? std::optional<int64_t>(concat.getDim()) : std::nullopt;
}

std::optional<EntryWrite> entryWrittenBy(Operation *op) {
  auto insert = dyn_cast<tensor::InsertOp>(op);
  if (!insert)
    return std::nullopt;
  return EntryWrite{insert.getDest(), getAsOpFoldResult(insert.getIndices())};
}

std::optional<EntryRead> entryReadBy(Operation *op) {
  auto read = dyn_cast_if_present<tensor::ExtractOp>(op);
  if (!read)
    return std::nullopt;
  return EntryRead{read.getTensor(), read.getIndices()};
}

bool cutsOut(Operation *op) { return isa<tensor::ExtractSliceOp>(op); }

bool isPutInto(OpOperand &use) {
  auto slice = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
  return slice && use.get() == slice.getSource();
}

bool isFilledBySlice(OpOperand &use) {
  auto slice = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
  return slice && use.get() == slice.getDest();
}

bool asksForShapeOnly(Operation *op) {
  return isa<ShapedDimOpInterface, tensor::RankOp>(op);
}

void registerTensorPartwiseModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<ExtractSliceModel>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceModel>(*context);
    tensor::PadOp::attachInterface<PadModel>(*context);
    tensor::ConcatOp::attachInterface<ConcatModel>(*context);
    tensor::ExpandShapeOp::attachInterface<ExpandShapeModel>(*context);
    tensor::CollapseShapeOp::attachInterface<CollapseShapeModel>(*context);
    tensor::CastOp::attachInterface<ViewModel<tensor::CastOp>>(*context);
    tensor::ReshapeOp::attachInterface<ViewModel<tensor::ReshapeOp>>(*context);
  });
}

} // namespace npu
