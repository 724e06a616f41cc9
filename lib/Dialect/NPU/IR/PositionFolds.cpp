// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters whose positions are constant and form a box are slices:
// what they move is known before the program runs, and tiles hold parts of it.

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace npu {
namespace {

/// The slice of a tensor that a list of positions names, one after the other.
struct Slice {
  SmallVector<int64_t> offsets, sizes, strides;
};

/// The coordinates of all tuples, counted from the begin of their dimensions;
/// nothing where one is outside.
std::optional<SmallVector<int64_t>> coordinatesOf(DenseIntElementsAttr indices,
                                                  ArrayRef<int64_t> extents) {
  SmallVector<int64_t> coordinates;
  for (const APInt &index : indices.getValues<APInt>()) {
    int64_t extent = extents[coordinates.size() % extents.size()];
    std::optional<int64_t> at = index.trySExtValue();
    if (!at || *at < -extent || *at >= extent)
      return std::nullopt;
    coordinates.push_back(*at < 0 ? *at + extent : *at);
  }
  return coordinates;
}

/// The slice whose entries, in row-major order, are those that the tuples name,
/// in the dimensions that they are positions in; nothing where there is none.
/// `tuples` are the extents of the dimensions that list tuples, of which at
/// least one is there. Example: tuples (2), (4), (6) are 2, 4 and 6 of
/// dimension 0, with offset 2, size 3 and stride 2.
std::optional<Slice> sliceOf(ArrayRef<int64_t> coordinates,
                             ArrayRef<int64_t> tuples, int64_t depth) {
  Slice slice{SmallVector<int64_t>(coordinates.take_front(depth)),
              SmallVector<int64_t>(depth, 1), SmallVector<int64_t>(depth, 1)};
  // The first coordinate that may still follow from a dimension of tuples.
  int64_t free = 0;
  int64_t next = coordinates.size();
  for (int64_t extent : tuples) {
    next /= extent;
    if (extent == 1)
      continue;
    auto step = [&](int64_t number) {
      return coordinates[next + number] - coordinates[number];
    };
    while (free < depth && step(free) == 0)
      ++free;
    if (free == depth || step(free) < 0)
      return std::nullopt;
    slice.sizes[free] = extent;
    slice.strides[free] = step(free);
    ++free;
  }
  // Whether it is a slice: every tuple is the entry of its own place.
  SmallVector<int64_t> expected(slice.offsets);
  for (size_t first = 0; first < coordinates.size(); first += depth) {
    if (coordinates.slice(first, depth) != ArrayRef(expected))
      return std::nullopt;
    for (int64_t number = depth; number-- > 0;) {
      expected[number] += slice.strides[number];
      if (expected[number] <
          slice.offsets[number] + slice.sizes[number] * slice.strides[number])
        break;
      expected[number] = slice.offsets[number];
    }
  }
  return slice;
}

/// The slice of all dimensions of the data of a gather or scatter; nothing
/// where its positions are not constant or no slice, where `entries`, which has
/// one slice for each tuple, has other dimensions than the slice, or where the
/// operation has attributes that the slice would not have, as its tile.
template <typename Op>
std::optional<Slice> sliceOf(Op op, RankedTensorType entries) {
  RankedTensorType data = op.getData().getType();
  DenseIntElementsAttr indices;
  auto isPlain = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.hasStaticShape() && !tensor.getEncoding();
  };
  if (op.getBatchDims() != 0 || !op->getDiscardableAttrs().empty() ||
      !matchPattern(op.getIndices(), m_Constant(&indices)) || indices.empty() ||
      !llvm::all_of(op->getOperandTypes(), isPlain) ||
      !isPlain(op->getResult(0).getType()))
    return std::nullopt;
  // Many tuples that are all the same are no slice, and need not be listed.
  if (indices.isSplat() && indices.getNumElements() > op.getDepth())
    return std::nullopt;
  ArrayRef<int64_t> shape = data.getShape();
  auto coordinates = coordinatesOf(indices, shape.take_front(op.getDepth()));
  if (!coordinates)
    return std::nullopt;
  auto slice =
      sliceOf(*coordinates, op.getIndices().getType().getShape().drop_back(),
              op.getDepth());
  if (!slice)
    return std::nullopt;
  for (int64_t extent : shape.drop_front(op.getDepth())) {
    slice->offsets.push_back(0);
    slice->sizes.push_back(extent);
    slice->strides.push_back(1);
  }
  auto whole = RankedTensorType::get(slice->sizes, data.getElementType());
  bool fits =
      isRankReducedType(whole, entries) == SliceVerificationResult::Success;
  return fits ? slice : std::nullopt;
}

LogicalResult gatherToSlice(GatherOp op, PatternRewriter &rewriter) {
  RankedTensorType type = op.getResult().getType();
  auto slice = sliceOf(op, type);
  if (!slice)
    return failure();
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
      op, type, op.getData(), ValueRange(), ValueRange(), ValueRange(),
      slice->offsets, slice->sizes, slice->strides);
  return success();
}

/// A slice without strides of the same entries, of a tensor with more
/// dimensions: every other row is the first column where two rows are one, and
/// tiles insert no slice with strides. Nothing where a stride does not divide
/// its dimension.
struct SplitSlice {
  Slice slice;
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
};

std::optional<SplitSlice> withoutStrides(const Slice &slice,
                                         ArrayRef<int64_t> shape) {
  SplitSlice split;
  for (auto [extent, offset, size, stride] :
       llvm::zip_equal(shape, slice.offsets, slice.sizes, slice.strides)) {
    if (extent % stride != 0)
      return std::nullopt;
    ReassociationIndices &group = split.groups.emplace_back();
    auto add = [&](int64_t extent, int64_t offset, int64_t size) {
      group.push_back(split.shape.size());
      split.shape.push_back(extent);
      split.slice.offsets.push_back(offset);
      split.slice.sizes.push_back(size);
      split.slice.strides.push_back(1);
    };
    add(extent / stride, offset / stride, size);
    if (stride > 1)
      add(stride, offset % stride, 1);
  }
  return split;
}

LogicalResult scatterToSlice(ScatterOp op, PatternRewriter &rewriter) {
  auto slice =
      op.getOrigin() ? std::nullopt : sliceOf(op, op.getUpdates().getType());
  RankedTensorType type = op.getData().getType();
  auto split = slice ? withoutStrides(*slice, type.getShape()) : std::nullopt;
  if (!split)
    return failure();
  bool hasStrides = split->shape.size() > slice->sizes.size();
  Value into = op.getData();
  if (hasStrides)
    into = tensor::ExpandShapeOp::create(
        rewriter, op.getLoc(),
        RankedTensorType::get(split->shape, type.getElementType()), into,
        split->groups);
  Value result = tensor::InsertSliceOp::create(
      rewriter, op.getLoc(), op.getUpdates(), into, ValueRange(), ValueRange(),
      ValueRange(), split->slice.offsets, split->slice.sizes,
      split->slice.strides);
  if (hasStrides)
    result = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), type,
                                             result, split->groups);
  rewriter.replaceOp(op, result);
  return success();
}

/// A scatter without tuples changes nothing.
LogicalResult dropEmptyScatter(ScatterOp op, PatternRewriter &rewriter) {
  if (!llvm::is_contained(op.getIndices().getType().getShape(), 0) ||
      op.getData().getType() != op.getType())
    return failure();
  rewriter.replaceOp(op, op.getData());
  return success();
}

} // namespace

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  patterns.add(gatherToSlice);
}

void ScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  patterns.add(scatterToSlice);
  patterns.add(dropEmptyScatter);
}

} // namespace npu
