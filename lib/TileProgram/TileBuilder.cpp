// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/TileProgram/TileBuilder.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace npu {
namespace {

SmallVector<int64_t> inMemoryOrder(const Extents &values,
                                   const Permutation &order) {
  SmallVector<int64_t> result;
  for (int64_t dim : order)
    result.push_back(values[dim]);
  return result;
}

SmallVector<OpFoldResult> asAttributes(OpBuilder &builder,
                                       ArrayRef<int64_t> values) {
  SmallVector<OpFoldResult> result;
  for (int64_t value : values)
    result.push_back(builder.getIndexAttr(value));
  return result;
}

} // namespace

RankedTensorType partType(RankedTensorType type, const Box &box) {
  return RankedTensorType::get(inMemoryOrder(box.sizes(), getOrder(type)),
                               type.getElementType());
}

RankedTensorType localType(RankedTensorType type, unsigned tile) {
  return partType(type, getPlacement(type)->memoryOf(tile));
}

RankedTensorType storedType(RankedTensorType type, unsigned tile) {
  if (getStorage(type) == Storage::Linear)
    return localType(type, tile);
  Extents shape = packedShape(getPlacement(type)->memoryOf(tile).sizes());
  return RankedTensorType::get(ArrayRef<int64_t>(shape.begin(), shape.size()),
                               type.getElementType());
}

RankedTensorType ddrType(RankedTensorType type) {
  if (!getLayout(type))
    return type;
  // A tensor in DDR may have dynamic extents, which a box cannot have.
  SmallVector<int64_t> shape;
  for (int64_t dim : getOrder(type))
    shape.push_back(type.getDimSize(dim));
  return RankedTensorType::get(shape, type.getElementType());
}

SmallVector<int64_t> beginOf(const Box &box, const Permutation &order) {
  return inMemoryOrder(box.offsets(), order);
}

SmallVector<int64_t> localOffset(const Box &box, const Box &held,
                                 const Permutation &order) {
  SmallVector<int64_t> offset;
  for (int64_t dim : order)
    offset.push_back(box[dim].begin - held[dim].begin);
  return offset;
}

Operation *TileBuilder::mark(Operation *op) {
  if (tile)
    op->setAttr(tileAttrName, builder.getI64IntegerAttr(*tile));
  return op;
}

Value TileBuilder::empty(RankedTensorType type, const Permutation &order) {
  auto op = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                    type.getElementType());
  mark(op);
  return inOrder(op, order);
}

Value TileBuilder::stridedSlice(Value from, ArrayRef<OpFoldResult> offsets,
                                ArrayRef<int64_t> sizes,
                                ArrayRef<int64_t> strides) {
  auto op = tensor::ExtractSliceOp::create(builder, loc, from, offsets,
                                           asAttributes(builder, sizes),
                                           asAttributes(builder, strides));
  mark(op);
  return op;
}

Value TileBuilder::slice(Value from, const Box &held, const Box &wanted,
                         const Permutation &order) {
  if (held == wanted)
    return from;
  SmallVector<int64_t> ones(order.size(), 1);
  return stridedSlice(from,
                      asAttributes(builder, localOffset(wanted, held, order)),
                      inMemoryOrder(wanted.sizes(), order), ones);
}

Value TileBuilder::sliceOther(Value from, const Box &at, const Box &held,
                              const Box &wanted, const Permutation &order) {
  Value value = slice(from, held, wanted, order);
  if (at == held)
    return value;
  if (value == from)
    return rename(value, beginOf(at, order), beginOf(held, order));
  setOffset(value.getDefiningOp(), localOffset(at, held, order));
  return beginAt(value, wanted, order);
}

Value TileBuilder::reorder(Value value, const Permutation &from,
                           const Permutation &to) {
  if (from == to)
    return value;
  // Result dimension m is logical dimension to[m], which is at position
  // from^-1[to[m]] of the value.
  Permutation where = compose(inverse(from), to);
  SmallVector<int64_t> permutation(where.begin(), where.end());
  // A tensor in DDR may have dynamic extents.
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> shape;
  for (int64_t m : permutation)
    shape.push_back(
        type.isDynamicDim(m)
            ? OpFoldResult(
                  tensor::DimOp::create(builder, loc, value, m).getResult())
            : builder.getIndexAttr(type.getDimSize(m)));
  Value init =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  mark(init.getDefiningOp());
  inOrder(init, to);
  auto op = linalg::TransposeOp::create(builder, loc, value, init, permutation);
  mark(op);
  return op->getResult(0);
}

Value TileBuilder::insert(Value part, const Box &box, Value into,
                          const Box &held, const Permutation &order) {
  if (box.isEmpty())
    return into;
  if (box == held)
    return part;
  return insertAt(part, into,
                  asAttributes(builder, localOffset(box, held, order)));
}

Value TileBuilder::insertAt(Value part, Value into,
                            ArrayRef<OpFoldResult> offsets) {
  SmallVector<int64_t> ones(offsets.size(), 1);
  auto op = tensor::InsertSliceOp::create(
      builder, loc, part, into, offsets,
      asAttributes(builder, cast<RankedTensorType>(part.getType()).getShape()),
      asAttributes(builder, ones));
  mark(op);
  return op;
}

Value TileBuilder::markReshape(Operation *op, ArrayRef<int64_t> part,
                               ArrayRef<int64_t> whole) {
  // How far apart entries lie does not depend on the outermost extent.
  if (tile && !part.empty() && part.drop_front() != whole.drop_front())
    op->setAttr(extentsAttrName, builder.getDenseI64ArrayAttr(whole));
  return mark(op)->getResult(0);
}

/// The dimensions of a part that become one each, where `from` is collapsed to
/// `to` and the part has more than one entry in at most one of them: they are
/// left out of a strided slice as well, without a copy, and added to one.
/// Nothing for others.
static std::optional<SmallVector<ReassociationIndices>>
groupsOfOne(ArrayRef<int64_t> part, ArrayRef<int64_t> from,
            ArrayRef<int64_t> shape, ArrayRef<int64_t> to) {
  if (from.size() <= to.size() || to.empty())
    return std::nullopt;
  auto groups = getReassociationIndicesForCollapse(from, to);
  if (!groups)
    return std::nullopt;
  for (auto [extent, group] : llvm::zip_equal(shape, *groups))
    if (llvm::count_if(group, [&](int64_t dim) { return part[dim] != 1; }) >
            1 ||
        llvm::none_of(group, [&](int64_t dim) { return part[dim] == extent; }))
      return std::nullopt;
  return groups;
}

Value TileBuilder::reshape(Value value, ArrayRef<int64_t> from,
                           ArrayRef<int64_t> shape, ArrayRef<int64_t> to) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  if (auto groups = groupsOfOne(type.getShape(), from, shape, to))
    return markReshape(tensor::CollapseShapeOp::create(
                           builder, loc,
                           RankedTensorType::get(shape, type.getElementType()),
                           value, *groups),
                       type.getShape(), from);
  if (auto groups = groupsOfOne(shape, to, type.getShape(), from))
    return markReshape(tensor::ExpandShapeOp::create(
                           builder, loc,
                           RankedTensorType::get(shape, type.getElementType()),
                           value, *groups),
                       shape, to);
  auto allDims = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  if (type.getRank() != 1) {
    auto flat =
        RankedTensorType::get({type.getNumElements()}, type.getElementType());
    if (type.getRank() == 0)
      value =
          mark(tensor::ExpandShapeOp::create(builder, loc, flat, value,
                                             ArrayRef<ReassociationIndices>()))
              ->getResult(0);
    else
      value =
          markReshape(tensor::CollapseShapeOp::create(builder, loc, flat, value,
                                                      allDims(type.getRank())),
                      type.getShape(), from);
  }
  auto target = RankedTensorType::get(shape, type.getElementType());
  if (value.getType() == target)
    return value;
  if (shape.empty())
    return mark(tensor::CollapseShapeOp::create(
                    builder, loc, target, value,
                    ArrayRef<ReassociationIndices>()))
        ->getResult(0);
  return markReshape(tensor::ExpandShapeOp::create(
                         builder, loc, target, value,
                         allDims(static_cast<int64_t>(shape.size()))),
                     shape, to);
}

Value TileBuilder::beginAt(Value value, const Box &box,
                           const Permutation &order) {
  if (!box.isEmpty() && tile)
    value.getDefiningOp()->setAttr(
        beginAttrName, builder.getDenseI64ArrayAttr(beginOf(box, order)));
  return inOrder(value, order);
}

Value TileBuilder::inOrder(Value value, const Permutation &order) {
  if (!isIdentity(order))
    value.getDefiningOp()->setAttr(
        orderAttrName,
        builder.getDenseI64ArrayAttr({order.begin(), order.size()}));
  return value;
}

Value TileBuilder::viewInOrder(Value value, const Permutation &order) {
  value = view(value);
  // The view has another order than what it views, also where that is the
  // logical one.
  value.getDefiningOp()->setAttr(
      orderAttrName,
      builder.getDenseI64ArrayAttr({order.begin(), order.size()}));
  return value;
}

Value TileBuilder::view(Value value) {
  // Not a slice of the whole: upstream's canonicalizer folds one away, and the
  // indices with it.
  auto type = cast<RankedTensorType>(value.getType());
  return mark(PermuteCastOp::create(
                  builder, loc, type, value,
                  llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))))
      ->getResult(0);
}

Value TileBuilder::rename(Value value, ArrayRef<int64_t> from,
                          ArrayRef<int64_t> to) {
  SmallVector<int64_t> moved;
  value = view(value);
  for (auto [before, after] : llvm::zip_equal(from, to))
    moved.push_back(before - after);
  setOffset(value.getDefiningOp(), moved);
  value.getDefiningOp()->setAttr(beginAttrName,
                                 builder.getDenseI64ArrayAttr(to));
  return value;
}

void TileBuilder::setOffset(Operation *op, ArrayRef<int64_t> offset) {
  if (llvm::all_of(offset, [](int64_t at) { return at == 0; }))
    return;
  op->setAttr(offsetAttrName, builder.getDenseI64ArrayAttr(offset));
  if (of)
    op->setAttr(ofAttrName, builder.getI64IntegerAttr(*of));
}

Value TileBuilder::insertOther(Value part, const Box &from, const Box &box,
                               Value into, const Box &held,
                               const Permutation &order) {
  Value value = insert(part, box, into, held, order);
  if (value == into)
    return into;
  if (value == part)
    return rename(part, beginOf(from, order), beginOf(held, order));
  setOffset(value.getDefiningOp(), localOffset(box, from, order));
  return beginAt(value, held, order);
}

void markPadding(Value empty, const Box &box, const Permutation &order,
                 std::span<const PaddedRange> padding) {
  Padding local;
  for (auto [m, dim] : llvm::enumerate(order))
    for (const PaddedRange &padded : padding)
      if (padded.dim == static_cast<std::size_t>(dim)) {
        Range part = intersect(padded.range, box[dim]);
        if (!part.isEmpty())
          local.push_back(
              {m, {part.begin - box[dim].begin, part.end - box[dim].begin}});
      }
  setPadding(cast<OpResult>(empty), local);
  // Which entries of the whole tensor these are.
  if (!local.empty() && empty.getDefiningOp()->hasAttr(tileAttrName))
    empty.getDefiningOp()->setAttr(
        beginAttrName,
        DenseI64ArrayAttr::get(empty.getContext(), beginOf(box, order)));
}

} // namespace npu
