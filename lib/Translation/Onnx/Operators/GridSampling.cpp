// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GridSample, which reads an image at positions that a tensor says, and
// AffineGrid, which makes such positions.

#include "../Build/TensorBuilder.h"
#include "../Graph/OperatorTable.h"
#include "Moments.h"
#include "Windows.h"

using namespace mlir;

namespace npu {
namespace {

// Reads an image between its entries: at positions that are floats, in the body
// of an operation.

enum class Sampling { Nearest, Linear, Cubic };
/// What counts as the entries outside of an image.
enum class Outside { Zeros, Border, Reflection };

/// How an image is read, and arithmetic on positions, which are floats of type
/// `type`.
struct ImageSampler {
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

  /// A position that lies outside by more than half an entry is brought back.
  /// A position that lies outside by more than half an entry is brought back.
  Value normalised(ScalarBuilder &s, Value x, int64_t extent) const {
    // The entries around it that lie outside count as those at the border, of
    // which four make a curve.
    if (outside == Outside::Border)
      return sampling == Sampling::Cubic ? x : clamped(s, x, extent);
    return outside == Outside::Reflection ? reflected(s, x, extent) : x;
  }

  /// The entry of a plane of the image at whole numbers of rows and columns.
  /// `plane` has the indices of the image's other dimensions.
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

  /// The weighted sum of the entries around row `y` and column `x`.
  Value interpolated(ScalarBuilder &s, Value image, ArrayRef<Value> plane,
                     Value y, Value x) const {
    auto [top, ofRows] = weights(s, y);
    auto [left, ofColumns] = weights(s, x);
    Type element = cast<RankedTensorType>(image.getType()).getElementType();
    Value sum;
    for (auto [row, rowWeight] : llvm::enumerate(ofRows))
      for (auto [column, columnWeight] : llvm::enumerate(ofColumns)) {
        auto at = [&](Value first, std::size_t entry) {
          return s.add(first, s.constant(type, static_cast<double>(entry)));
        };
        Value found = entry(s, image, plane, {at(top, row), at(left, column)});
        Value weight = s.mul(rowWeight, columnWeight);
        if (element.getIntOrFloatBitWidth() != type.getIntOrFloatBitWidth())
          weight =
              element.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth()
                  ? Value(s.create<arith::ExtFOp>(element, weight))
                  : Value(s.create<arith::TruncFOp>(element, weight));
        Value term = s.mul(found, weight);
        sum = sum ? s.add(sum, term) : term;
      }
    return sum;
  }

private:
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
  for (const OnnxTensor &operand : {x, grid})
    if (!operand.type().hasStaticShape())
      return node.error() << "expected static shapes, got "
                          << NodeImport::describe(operand);
  bool agrees = x.rank() == 4 && grid.rank() == 4 && grid.shape()[3] == 2 &&
                grid.shape()[0] == x.shape()[0] && isFloat(grid.element) &&
                x.shape()[2] > 0 && x.shape()[3] > 0;
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
  auto maps = AffineMap::inferFromExprList(
      ArrayRef<ArrayRef<AffineExpr>>{ofTheta, ofBase, ofResult}, context);
  Value zero =
      build.filled(build.sizes(result), build.scalar(theta.elementType(), 0));
  return node.setResult(0, build.contract(theta.value, base, zero, maps));
}

//===----------------------------------------------------------------------===//
// DeformConv: a convolution whose windows read the image between its entries,
// each at an offset of its own. What the windows read is one operation, and its
// product with the weights another.
//===----------------------------------------------------------------------===//

/// The groups of a node and of its offsets, with windows over the image.
struct Deformation {
  Windows windows;
  int64_t groups, offsetGroups;
};

FailureOr<Deformation> deformationOf(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &w = node.operand(1);
  for (unsigned operand = 0; operand < node.operandCount(); ++operand)
    if (node.has(operand) && (!node.operand(operand).type().hasStaticShape() ||
                              !isFloat(node.operand(operand).element)))
      return node.error() << "expected floats of a static shape as operand #"
                          << operand << ", got "
                          << NodeImport::describe(node.operand(operand));
  if (x.rank() != 4 || w.rank() != 4)
    return node.error() << "expected an image and weights of rank 4, got "
                        << NodeImport::describe(x) << " and "
                        << NodeImport::describe(w);
  auto kernel = node.integers("kernel_shape");
  if (kernel && ArrayRef<int64_t>(*kernel) != w.shape().drop_front(2))
    return node.error() << "expected a kernel_shape as the weights have it, "
                        << "got weights " << NodeImport::describe(w);
  FailureOr<Windows> windows = readWindows(
      node, node.build.sizes(x.shape().drop_front(2)), w.shape().drop_front(2));
  if (failed(windows))
    return failure();
  int64_t groups = node.integer("group", 1),
          offsetGroups = node.integer("offset_group", 1);
  int64_t channels = x.shape()[1];
  if (groups < 1 || channels % groups != 0 || w.shape()[0] % groups != 0 ||
      w.shape()[1] != channels / groups)
    return node.error() << "cannot share " << channels << " channels and "
                        << w.shape()[0] << " results among " << groups
                        << " groups with weights " << NodeImport::describe(w);
  if (offsetGroups < 1 || channels % offsetGroups != 0)
    return node.error() << "cannot share " << channels << " channels among "
                        << offsetGroups << " groups of offsets";
  return Deformation{*windows, groups, offsetGroups};
}

/// An error where an operand has not `perEntry` numbers for each group of
/// offsets, entry of the window, and window.
LogicalResult checkPerWindow(NodeImport &node, unsigned operand,
                             const Deformation &deformation, int64_t perEntry) {
  const Windows &windows = deformation.windows;
  int64_t entries = windows.kernel[0] * windows.kernel[1];
  SmallVector<int64_t> expected{node.operand(0).shape()[0],
                                deformation.offsetGroups * entries * perEntry,
                                windows.results[0], windows.results[1]};
  const OnnxTensor &tensor = node.operand(operand);
  if (tensor.shape() == ArrayRef<int64_t>(expected))
    return success();
  InFlightDiagnostic diagnostic = node.error();
  diagnostic << "expected a shape of ";
  llvm::interleave(
      expected, [&](int64_t extent) { diagnostic << extent; },
      [&] { diagnostic << "x"; });
  return diagnostic << " as operand #" << operand << ", got "
                    << NodeImport::describe(tensor);
}

/// What all windows read: batch, channel, entry of the window, window, the last
/// two by rows and columns.
Value sampled(NodeImport &node, const Deformation &deformation) {
  const OnnxTensor &x = node.operand(0), &offset = node.operand(2);
  const Windows &windows = deformation.windows;
  int64_t channels = x.shape()[1], entries = windows.kernel[1],
          perGroup = channels / deformation.offsetGroups;
  ImageSampler sampler;
  // Positions in short floats would be off by whole entries.
  sampler.type = x.elementType().getIntOrFloatBitWidth() < 32
                     ? node.build.builder.getF32Type()
                     : x.elementType();
  OnnxElement ofPositions =
      x.elementType() == sampler.type ? x.element : OnnxElement::Float;
  SmallVector<int64_t> shape{x.shape()[0],       channels,
                             windows.kernel[0],  windows.kernel[1],
                             windows.results[0], windows.results[1]};
  TensorBuilder &build = node.build;
  return build.generate(
      build.sizes(shape), x.elementType(),
      [&](ScalarBuilder &s, ValueRange at) {
        auto times = [&](Value index, int64_t factor) {
          return s.create<arith::MulIOp>(
              index, s.integer(s.builder.getIndexType(), factor));
        };
        auto plus = [&](Value a, Value b) {
          return s.create<arith::AddIOp>(a, b);
        };
        Value group = s.create<arith::DivUIOp>(
            at[1], s.integer(s.builder.getIndexType(), perGroup));
        Value entry =
            plus(times(plus(times(group, windows.kernel[0]), at[2]), entries),
                 at[3]);
        Value position[2];
        for (int64_t dim = 0; dim < 2; ++dim) {
          Value number =
              plus(times(entry, 2), s.integer(s.builder.getIndexType(), dim));
          Value moved =
              s.cast(TensorBuilder::read(s, offset.value,
                                         {at[0], number, at[4], at[5]}),
                     ofPositions);
          Value fixed = plus(times(at[4 + dim], windows.strides[dim]),
                             times(at[2 + dim], windows.dilations[dim]));
          Value begin = s.create<arith::SubIOp>(
              fixed, s.integer(s.builder.getIndexType(), windows.low[dim]));
          Value whole =
              s.create<arith::IndexCastOp>(s.builder.getI64Type(), begin);
          position[dim] =
              s.add(s.create<arith::SIToFPOp>(sampler.type, whole), moved);
        }
        Value found = sampler.interpolated(s, x.value, {at[0], at[1]},
                                           position[0], position[1]);
        if (!node.has(4))
          return found;
        return s.mul(found, TensorBuilder::read(s, node.operand(4).value,
                                                {at[0], entry, at[4], at[5]}));
      });
}

LogicalResult buildDeformConv(NodeImport &node) {
  FailureOr<Deformation> deformation = deformationOf(node);
  if (failed(deformation) ||
      failed(checkPerWindow(node, 2, *deformation, /*perEntry=*/2)) ||
      (node.has(4) &&
       failed(checkPerWindow(node, 4, *deformation, /*perEntry=*/1))))
    return failure();
  const OnnxTensor &x = node.operand(0), &w = node.operand(1);
  const Windows &windows = deformation->windows;
  int64_t groups = deformation->groups;
  int64_t terms = w.shape()[1] * w.shape()[2] * w.shape()[3];
  int64_t places = windows.results[0] * windows.results[1];
  std::optional<int64_t> count =
      elementCount({x.shape()[0], groups, terms, places});
  if (!count)
    return node.error() << "its windows read more than " << kMostElements
                        << " numbers";
  TensorBuilder &build = node.build;
  Value read = build.reshape(sampled(node, *deformation),
                             {x.shape()[0], groups, terms, places});
  Value weights =
      build.reshape(w.value, {groups, w.shape()[0] / groups, terms});
  Value result = build.matmul(weights, read);
  SmallVector<int64_t> shape{x.shape()[0], w.shape()[0], windows.results[0],
                             windows.results[1]};
  result = result ? build.reshape(result, shape) : result;
  if (!result || !node.has(3))
    return node.setResult(0, result);
  FailureOr<Value> bias = ofChannels(node, 3, 4, w.shape()[0]);
  if (failed(bias))
    return failure();
  return node.setResult(0, sumOf(build, result, *bias));
}

} // namespace

void addGridSampling(OperatorTable &table) {
  table.add("GridSample", 2, buildGridSample);
  table.add("AffineGrid", 2, buildAffineGrid);
  table.add("DeformConv", 3, buildDeformConv);
}

} // namespace npu
