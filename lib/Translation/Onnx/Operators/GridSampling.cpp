// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GridSample, which reads an image at positions that a tensor says, and
// AffineGrid, which makes such positions.

#include "../Graph/OperatorTable.h"
#include "Windows.h"

using namespace mlir;

namespace npu {
namespace {

enum class Sampling { Nearest, Linear, Cubic };
enum class Outside { Zeros, Border, Reflection };

/// What a node says, and arithmetic on positions, which are floats.
struct Sampler {
  Sampling sampling = Sampling::Linear;
  Outside outside = Outside::Zeros;
  bool alignsCorners = false;
  Type type;

  /// From -1 .. 1 to entries of an extent.
  Value position(ScalarBuilder &s, Value x, int64_t extent) const {
    auto length = static_cast<double>(extent);
    Value moved = s.add(x, s.constant(type, 1));
    if (alignsCorners)
      return s.mul(moved, s.constant(type, (length - 1) / 2));
    Value scaled = s.mul(moved, s.constant(type, length));
    return s.mul(s.sub(scaled, s.constant(type, 1)), s.constant(type, 0.5));
  }

  /// The position mirrored into the image as often as it takes.
  Value reflected(ScalarBuilder &s, Value x, int64_t extent) const {
    double low = alignsCorners ? 0 : -0.5;
    double range = static_cast<double>(extent) - (alignsCorners ? 1 : 0);
    if (range == 0)
      return s.constant(type, 0);
    Value distance = s.abs(s.sub(x, s.constant(type, low)));
    Value rest = s.rem(distance, s.constant(type, 2 * range));
    Value back = s.sub(s.constant(type, 2 * range), rest);
    // The smaller one is on the way there.
    return s.add(s.create<arith::MinNumFOp>(rest, back), s.constant(type, low));
  }

  /// Not NaN, and inside of the image.
  Value clamped(ScalarBuilder &s, Value x, int64_t extent) const {
    Value above = s.create<arith::MaxNumFOp>(x, s.constant(type, 0));
    return s.create<arith::MinNumFOp>(
        above, s.constant(type, static_cast<double>(extent - 1)));
  }

  /// A position that lies outside by more than half an entry is brought back.
  Value normalised(ScalarBuilder &s, Value x, int64_t extent) const {
    // The entries around it that lie outside count as those at the border, of
    // which four make a curve.
    if (outside == Outside::Border)
      return sampling == Sampling::Cubic ? x : clamped(s, x, extent);
    return outside == Outside::Reflection ? reflected(s, x, extent) : x;
  }

  /// The entry of a plane of the image at whole numbers of rows and columns.
  Value entry(ScalarBuilder &s, Value image, ArrayRef<Value> plane,
              ArrayRef<Value> position) const {
    ArrayRef<int64_t> extents =
        cast<RankedTensorType>(image.getType()).getShape().take_back(2);
    SmallVector<Value> indices(plane);
    Value isInside = s.integer(s.builder.getI1Type(), 1);
    for (auto [x, extent] : llvm::zip_equal(position, extents)) {
      Value at = outside == Outside::Reflection ? reflected(s, x, extent) : x;
      Value inside = clamped(s, at, extent);
      isInside = s.create<arith::AndIOp>(
          isInside, s.compare(Comparison::Equal, at, inside));
      indices.push_back(s.toIndex(inside));
    }
    Value found = TensorBuilder::read(s, image, indices);
    if (outside != Outside::Zeros)
      return found;
    return s.select(isInside, found, s.constant(found.getType(), 0));
  }

  /// The weights of the entries around a position, and the first of them.
  std::pair<Value, SmallVector<Value>> weights(ScalarBuilder &s,
                                               Value x) const {
    Value below = s.create<math::FloorOp>(x), rest = s.sub(x, below);
    Value one = s.constant(type, 1);
    if (sampling == Sampling::Linear)
      return {below, {s.sub(one, rest), rest}};
    SmallVector<Value> all;
    for (int entry = -1; entry < 3; ++entry) {
      Value distance = s.abs(s.sub(s.constant(type, entry), rest));
      all.push_back(cubicWeight(s, distance, entry == 0 || entry == 1));
    }
    return {s.sub(below, one), all};
  }

private:
  Value cubicWeight(ScalarBuilder &s, Value x, bool isNear) const {
    constexpr double a = -0.75;
    SmallVector<double, 4> factors =
        isNear ? SmallVector<double, 4>{a + 2, -(a + 3), 0, 1}
               : SmallVector<double, 4>{a, -5 * a, 8 * a, -4 * a};
    Value sum = s.constant(type, factors[0]);
    for (double factor : ArrayRef(factors).drop_front())
      sum = s.add(s.mul(sum, x), s.constant(type, factor));
    return sum;
  }
};

FailureOr<Sampler> samplerOf(NodeImport &node) {
  Sampler sampler;
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

/// The weighted sum of the entries around a position.
Value interpolated(ScalarBuilder &s, const Sampler &sampler, Value image,
                   ArrayRef<Value> plane, Value y, Value x) {
  auto [top, ofRows] = sampler.weights(s, y);
  auto [left, ofColumns] = sampler.weights(s, x);
  Type element = cast<RankedTensorType>(image.getType()).getElementType();
  Value sum;
  for (auto [row, rowWeight] : llvm::enumerate(ofRows))
    for (auto [column, columnWeight] : llvm::enumerate(ofColumns)) {
      auto at = [&](Value first, std::size_t entry) {
        return s.add(first,
                     s.constant(sampler.type, static_cast<double>(entry)));
      };
      Value found =
          sampler.entry(s, image, plane, {at(top, row), at(left, column)});
      Value weight = s.mul(rowWeight, columnWeight);
      if (element.getIntOrFloatBitWidth() !=
          sampler.type.getIntOrFloatBitWidth())
        weight = element.getIntOrFloatBitWidth() >
                         sampler.type.getIntOrFloatBitWidth()
                     ? Value(s.create<arith::ExtFOp>(element, weight))
                     : Value(s.create<arith::TruncFOp>(element, weight));
      Value term = s.mul(found, weight);
      sum = sum ? s.add(sum, term) : term;
    }
  return sum;
}

LogicalResult buildGridSample(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &grid = node.operand(1);
  bool agrees = x.rank() == 4 && grid.rank() == 4 &&
                x.type().hasStaticShape() && grid.type().hasStaticShape() &&
                grid.shape()[3] == 2 && grid.shape()[0] == x.shape()[0] &&
                isFloat(grid.element) && x.shape()[2] > 0 && x.shape()[3] > 0;
  FailureOr<Sampler> sampler = samplerOf(node);
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
        return interpolated(s, *sampler, x.value, plane, position[0],
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
    // Columns come first, and a 1 behind all of them.
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
