// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GridSample, which reads an image at positions that a tensor says, and
// AffineGrid, which makes such positions.

#include "../Graph/OperatorTable.h"
#include "ImageSampler.h"

using namespace mlir;

namespace npu {
namespace {

FailureOr<ImageSampler> samplerOf(NodeImport &node) {
  ImageSampler sampler;
  std::string mode = node.text("mode", "linear");
  std::string padding = node.text("padding_mode", "zeros");
  if (mode == "nearest")
    sampler.sampling = Sampling::Nearest;
  else if (mode == "cubic" || mode == "bicubic")
    sampler.sampling = Sampling::Cubic;
  else if (mode != "linear" && mode != "bilinear")
    return node.error() << "expected nearest, linear or cubic as mode, got '"
                        << mode << "'";
  if (padding == "border")
    sampler.outside = Outside::Border;
  else if (padding == "reflection")
    sampler.outside = Outside::Reflection;
  else if (padding != "zeros")
    return node.error() << "expected zeros, border or reflection as "
                        << "padding_mode, got '" << padding << "'";
  sampler.alignsCorners = node.integer("align_corners", 0) != 0;
  sampler.type = node.operand(1).elementType();
  return sampler;
}

LogicalResult buildGridSample(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &grid = node.operand(1);
  bool agrees = x.rank() == 4 && grid.rank() == 4 &&
                x.type().hasStaticShape() && grid.type().hasStaticShape() &&
                grid.shape()[3] == 2 && grid.shape()[0] == x.shape()[0] &&
                isFloat(grid.element) && x.shape()[2] > 0 && x.shape()[3] > 0;
  FailureOr<ImageSampler> sampler = samplerOf(node);
  if (failed(sampler))
    return failure();
  bool isOfFloats =
      isFloat(x.element) && (x.elementType() == grid.elementType() ||
                             x.elementType().getIntOrFloatBitWidth() !=
                                 grid.elementType().getIntOrFloatBitWidth());
  if (!agrees || (!isOfFloats && sampler->sampling != Sampling::Nearest))
    return node.error() << "expected an image of two dimensions and a grid of "
                        << "positions in it, got " << NodeImport::describe(x)
                        << " and " << NodeImport::describe(grid);
  ArrayRef<int64_t> extents = x.shape().take_back(2);
  SmallVector<int64_t> shape{x.shape()[0], x.shape()[1], grid.shape()[1],
                             grid.shape()[2]};
  TensorBuilder &build = node.build;
  Value result = build.generate(
      build.sizes(shape), x.elementType(),
      [&](ScalarBuilder &s, ValueRange at) {
        Value position[2];
        for (int64_t dim = 0; dim < 2; ++dim) {
          // The grid has columns first.
          Value which = s.integer(s.builder.getIndexType(), 1 - dim);
          Value number =
              TensorBuilder::read(s, grid.value, {at[0], at[2], at[3], which});
          position[dim] = sampler->position(s, number, extents[dim]);
          if (sampler->sampling == Sampling::Nearest)
            position[dim] = s.create<math::RoundEvenOp>(position[dim]);
          position[dim] = sampler->normalised(s, position[dim], extents[dim]);
        }
        SmallVector<Value> plane{at[0], at[1]};
        if (sampler->sampling == Sampling::Nearest)
          return sampler->entry(s, x.value, plane, position);
        return sampler->interpolated(s, x.value, plane, position[0],
                                     position[1]);
      });
  return node.setResult(0, result);
}

/// The product of every batch's matrix with the positions of all entries.
LogicalResult buildAffineGrid(NodeImport &node) {
  const OnnxTensor &theta = node.operand(0);
  FailureOr<SmallVector<int64_t>> size = node.constantIntegers(1, "the size");
  if (failed(size))
    return failure();
  auto rank = static_cast<int64_t>(size->size()) - 2;
  if (rank < 1 || rank > 3 || !isFloat(theta.element) ||
      theta.shape() != ArrayRef<int64_t>{(*size)[0], rank, rank + 1})
    return node.error() << "expected a matrix for each of the images, got "
                        << NodeImport::describe(theta);
  bool aligns = node.integer("align_corners", 0) != 0;
  SmallVector<int64_t> shape(ArrayRef(*size).drop_front(2));
  shape.push_back(rank + 1);
  std::optional<int64_t> count = elementCount(shape);
  if (!count || *count > (1 << 24))
    return node.error() << "its grid has more than " << (1 << 24) << " numbers";
  std::vector<double> numbers;
  forEachPosition(shape, [&](ArrayRef<int64_t> position) {
    // Columns come first, and a 1 after all of them.
    int64_t which = position.back();
    if (which == rank)
      return numbers.push_back(1);
    int64_t dim = rank - 1 - which;
    auto at = static_cast<double>(position[dim]);
    auto extent = static_cast<double>(shape[dim]);
    if (aligns)
      numbers.push_back(extent == 1 ? -1 : 2 * at / (extent - 1) - 1);
    else
      numbers.push_back((2 * at + 1) / extent - 1);
  });
  TensorBuilder &build = node.build;
  MLIRContext *context = build.builder.getContext();
  Value base = build.numbers(numbers, shape, theta.element);
  auto loops = static_cast<unsigned>(rank + 3);
  auto loop = [&](int64_t number) {
    return getAffineDimExpr(static_cast<unsigned>(number), context);
  };
  // Loops: batch, entries, which number of a position, and the sum's.
  SmallVector<AffineExpr> ofTheta{loop(0), loop(rank + 1), loop(rank + 2)};
  SmallVector<AffineExpr> ofBase, ofResult{loop(0)};
  SmallVector<int64_t> result{(*size)[0]};
  for (int64_t dim = 0; dim < rank; ++dim) {
    ofBase.push_back(loop(1 + dim));
    ofResult.push_back(loop(1 + dim));
    result.push_back(shape[dim]);
  }
  ofBase.push_back(loop(rank + 2));
  ofResult.push_back(loop(rank + 1));
  result.push_back(rank);
  SmallVector<AffineMap> maps;
  for (const auto *exprs : {&ofTheta, &ofBase, &ofResult})
    maps.push_back(AffineMap::get(loops, 0, *exprs, context));
  SmallVector<utils::IteratorType> iterators(loops - 1,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  Value zero =
      build.filled(build.sizes(result), build.scalar(theta.elementType(), 0));
  return node.setResult(
      0, build.contract(theta.value, base, zero, maps, iterators));
}

} // namespace

void addGridSampling(OperatorTable &table) {
  table.add("GridSample", 2, buildGridSample);
  table.add("AffineGrid", 2, buildAffineGrid);
}

} // namespace npu
