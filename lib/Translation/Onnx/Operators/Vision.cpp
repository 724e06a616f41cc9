// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of image networks: regions of interest, determinants.

#include "../Graph/OperatorTable.h"
#include "Windows.h"

using namespace mlir;

namespace npu {
namespace {

/// Determinants of larger matrices are refused: every step of the elimination
/// is written down.
constexpr int64_t kMostRows = 8;

//===----------------------------------------------------------------------===//
// Regions of interest
//===----------------------------------------------------------------------===//

/// Every entry of a result is the mean or the maximum of samples in its bin of
/// a region, each of which is interpolated between four entries of the image.
struct RegionSampler {
  int64_t rows, columns, samples;
  double scale, offset;
  bool isMaximum, keepsSize;
  Type type;

  /// The position of a sample along a dimension, from the region's begin and
  /// end, and the numbers of the bin and of the sample in it.
  Value position(ScalarBuilder &s, Value begin, Value end, Value bin,
                 Value sample, int64_t bins) const {
    auto scaled = [&](Value x) {
      return s.sub(s.mul(x, s.constant(type, scale)), s.constant(type, offset));
    };
    Value first = scaled(begin), extent = s.sub(scaled(end), first);
    if (keepsSize)
      extent = s.create<arith::MaxNumFOp>(extent, s.constant(type, 1));
    Value size = s.div(extent, s.constant(type, static_cast<double>(bins)));
    Value inBin = s.div(s.add(s.fromIndex(sample, type), s.constant(type, 0.5)),
                        s.constant(type, static_cast<double>(samples)));
    return s.add(first, s.mul(size, s.add(s.fromIndex(bin, type), inBin)));
  }

  /// The two entries around a position with their weights, and whether the
  /// position counts.
  struct Neighbours {
    Value below, above, weightBelow, weightAbove, counts;
  };

  Neighbours neighbours(ScalarBuilder &s, Value x, int64_t extent) const {
    Value last = s.constant(type, static_cast<double>(extent - 1));
    Value zero = s.constant(type, 0), one = s.constant(type, 1);
    Value isAbove =
        s.compare(Comparison::GreaterEqual, x, s.constant(type, -1));
    Value isBelow = s.compare(Comparison::LessEqual, x,
                              s.constant(type, static_cast<double>(extent)));
    Value counts = s.create<arith::AndIOp>(isAbove, isBelow);
    Value inside =
        s.create<arith::MinNumFOp>(s.create<arith::MaxNumFOp>(x, zero), last);
    Value below = s.create<math::FloorOp>(inside);
    Value above = s.create<arith::MinNumFOp>(s.add(below, one), last);
    Value weight = s.sub(inside, below);
    return {s.toIndex(below), s.toIndex(above), s.sub(one, weight), weight,
            counts};
  }

  Value sample(ScalarBuilder &s, Value image, Value batch, Value channel,
               const Neighbours &y, const Neighbours &x) const {
    Value result;
    auto add = [&](Value row, Value rowWeight, Value column,
                   Value columnWeight) {
      Value found =
          TensorBuilder::read(s, image, {batch, channel, row, column});
      Value term = s.mul(s.mul(rowWeight, columnWeight), found);
      if (!result)
        result = term;
      else
        result = isMaximum ? s.max(result, term) : s.add(result, term);
    };
    add(y.below, y.weightBelow, x.below, x.weightBelow);
    add(y.below, y.weightBelow, x.above, x.weightAbove);
    add(y.above, y.weightAbove, x.below, x.weightBelow);
    add(y.above, y.weightAbove, x.above, x.weightAbove);
    Value counts = s.create<arith::AndIOp>(y.counts, x.counts);
    return s.select(counts, result, s.constant(type, 0));
  }
};

FailureOr<RegionSampler> regionSampler(NodeImport &node) {
  std::string mode = node.text("mode", "avg");
  std::string coordinates =
      node.text("coordinate_transformation_mode",
                node.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if ((mode != "avg" && mode != "max") ||
      (coordinates != "half_pixel" && coordinates != "output_half_pixel"))
    return node.error() << "'" << mode << "' and '" << coordinates
                        << "' are not both modes of RoiAlign";
  RegionSampler sampler{
      node.integer("output_height", 1),      node.integer("output_width", 1),
      node.integer("sampling_ratio", 0),     node.real("spatial_scale", 1),
      coordinates == "half_pixel" ? 0.5 : 0, mode == "max",
      coordinates != "half_pixel",           node.operand(0).elementType()};
  if (sampler.samples == 0)
    return node.error()
           << "out of scope: the number of samples depends on data "
              "where sampling_ratio is 0";
  for (int64_t number : {sampler.rows, sampler.columns, sampler.samples})
    if (number < 1 || number > (1 << 20))
      return node.error() << "expected output_height, output_width and "
                          << "sampling_ratio of at least 1, got " << number;
  return sampler;
}

LogicalResult buildRoiAlign(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &regions = node.operand(1),
                   &batches = node.operand(2);
  for (const OnnxTensor &operand : {x, regions})
    if (!operand.type().hasStaticShape())
      return node.error() << "expected static shapes, got "
                          << NodeImport::describe(operand);
  bool agrees = x.rank() == 4 && elementCount(x.shape()) != 0 &&
                isFloat(x.element) && regions.rank() == 2 &&
                regions.shape()[1] == 4 &&
                regions.elementType() == x.elementType() &&
                batches.shape() == regions.shape().take_front(1) &&
                !isFloat(batches.element);
  if (!agrees)
    return node.error() << "expected images, regions of four numbers and a "
                        << "batch for each, got " << NodeImport::describe(x)
                        << ", " << NodeImport::describe(regions) << " and "
                        << NodeImport::describe(batches);
  FailureOr<RegionSampler> sampler = regionSampler(node);
  if (failed(sampler))
    return failure();
  TensorBuilder &build = node.build;
  MLIRContext *context = build.builder.getContext();
  int64_t samples = sampler->samples;
  SmallVector<int64_t> shape{regions.shape()[0], x.shape()[1], sampler->rows,
                             sampler->columns};
  Value window = build.empty(build.sizes(ArrayRef<int64_t>{samples, samples}),
                             x.elementType());
  SmallVector<AffineMap> maps{
      AffineMap::get(
          6, 0, {getAffineDimExpr(4, context), getAffineDimExpr(5, context)},
          context),
      AffineMap::getMultiDimIdentityMap(6, context).getMajorSubMap(4)};
  ScalarBuilder outside(build.builder, build.loc, x.element);
  Value first = sampler->isMaximum ? outside.lowest(x.elementType())
                                   : outside.constant(x.elementType(), 0);
  Value gathered = build.structured(
      window, build.filled(build.sizes(shape), first), maps,
      [&](ScalarBuilder &s, ValueRange v) {
        SmallVector<Value> at;
        for (unsigned loop = 0; loop < 6; ++loop)
          at.push_back(s.create<linalg::IndexOp>(loop));
        auto number = [&](int64_t n) {
          return s.integer(s.builder.getIndexType(), n);
        };
        auto region = [&](int64_t which) {
          return TensorBuilder::read(s, regions.value, {at[0], number(which)});
        };
        // A batch that there is not would be read after the image.
        Value batch = s.create<arith::IndexCastOp>(
            s.builder.getIndexType(),
            TensorBuilder::read(s, batches.value, at[0]));
        batch =
            s.create<arith::MinSIOp>(s.create<arith::MaxSIOp>(batch, number(0)),
                                     number(x.shape()[0] - 1));
        Value y = sampler->position(s, region(1), region(3), at[2], at[4],
                                    sampler->rows);
        Value column = sampler->position(s, region(0), region(2), at[3], at[5],
                                         sampler->columns);
        Value found = sampler->sample(
            s, x.value, batch, at[1], sampler->neighbours(s, y, x.shape()[2]),
            sampler->neighbours(s, column, x.shape()[3]));
        return sampler->isMaximum ? s.max(v.back(), found)
                                  : s.add(v.back(), found);
      });
  if (sampler->isMaximum)
    return node.setResult(0, gathered);
  return node.setResult(
      0,
      build.map(gathered, x.elementType(), [&](ScalarBuilder &s, ValueRange v) {
        return s.div(v[0], s.constant(x.elementType(),
                                      static_cast<double>(samples * samples)));
      }));
}

//===----------------------------------------------------------------------===//
// Determinants
//===----------------------------------------------------------------------===//

/// The determinant of a matrix by elimination, where the row with the largest
/// number in its column goes on top.
Value eliminated(ScalarBuilder &s, MutableArrayRef<SmallVector<Value>> rows) {
  Type type = rows[0][0].getType();
  Value zero = s.constant(type, 0), determinant = s.constant(type, 1);
  std::size_t count = rows.size();
  for (std::size_t top = 0; top < count; ++top) {
    for (std::size_t row = top + 1; row < count; ++row) {
      Value isLarger = s.compare(Comparison::Greater, s.abs(rows[row][top]),
                                 s.abs(rows[top][top]));
      for (std::size_t column = top; column < count; ++column) {
        Value above = rows[top][column], below = rows[row][column];
        rows[top][column] = s.select(isLarger, below, above);
        rows[row][column] = s.select(isLarger, above, below);
      }
      determinant = s.select(isLarger, s.neg(determinant), determinant);
    }
    Value pivot = rows[top][top];
    determinant = s.mul(determinant, pivot);
    Value isZero = s.compare(Comparison::Equal, pivot, zero);
    Value divisor = s.select(isZero, s.constant(type, 1), pivot);
    for (std::size_t row = top + 1; row < count; ++row) {
      Value factor = s.div(rows[row][top], divisor);
      for (std::size_t column = top; column < count; ++column)
        rows[row][column] =
            s.sub(rows[row][column], s.mul(factor, rows[top][column]));
    }
  }
  return determinant;
}

LogicalResult buildDet(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  int64_t count = x.rank() < 2 ? 0 : x.shape().back();
  if (x.rank() < 2 || x.shape()[x.rank() - 2] != count || count < 1 ||
      count > kMostRows || !isFloat(x.element))
    return node.error() << "expected square matrices of up to " << kMostRows
                        << " rows, got " << NodeImport::describe(x);
  TensorBuilder &build = node.build;
  TensorBuilder::Sizes sizes = build.sizes(x.value);
  sizes.truncate(sizes.size() - 2);
  return node.setResult(
      0,
      build.generate(
          sizes, x.elementType(), [&](ScalarBuilder &s, ValueRange at) {
            SmallVector<SmallVector<Value>> rows(count);
            for (int64_t row = 0; row < count; ++row)
              for (int64_t column = 0; column < count; ++column) {
                SmallVector<Value> place(at);
                for (int64_t index : {row, column})
                  place.push_back(s.integer(s.builder.getIndexType(), index));
                rows[row].push_back(TensorBuilder::read(s, x.value, place));
              }
            return eliminated(s, rows);
          }));
}

} // namespace

void addVision(OperatorTable &table) {
  table.add("RoiAlign", 3, buildRoiAlign);
  table.add("Det", 1, buildDet);
}

} // namespace npu
