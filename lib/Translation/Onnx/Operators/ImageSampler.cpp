// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an image between its entries.

#include "ImageSampler.h"

using namespace mlir;

namespace npu {

Value ImageSampler::position(ScalarBuilder &s, Value x, int64_t extent) const {
  auto length = static_cast<double>(extent);
  Value moved = s.add(x, s.constant(type, 1));
  if (alignsCorners)
    return s.mul(moved, s.constant(type, (length - 1) / 2));
  Value scaled = s.mul(moved, s.constant(type, length));
  return s.mul(s.sub(scaled, s.constant(type, 1)), s.constant(type, 0.5));
}

/// The position mirrored into the image as often as it takes.
Value ImageSampler::reflected(ScalarBuilder &s, Value x, int64_t extent) const {
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
Value ImageSampler::clamped(ScalarBuilder &s, Value x, int64_t extent) const {
  Value above = s.create<arith::MaxNumFOp>(x, s.constant(type, 0));
  return s.create<arith::MinNumFOp>(
      above, s.constant(type, static_cast<double>(extent - 1)));
}

/// A position that lies outside by more than half an entry is brought back.
Value ImageSampler::normalised(ScalarBuilder &s, Value x,
                               int64_t extent) const {
  // The entries around it that lie outside count as those at the border, of
  // which four make a curve.
  if (outside == Outside::Border)
    return sampling == Sampling::Cubic ? x : clamped(s, x, extent);
  return outside == Outside::Reflection ? reflected(s, x, extent) : x;
}

/// The entry of a plane of the image at whole numbers of rows and columns.
Value ImageSampler::entry(ScalarBuilder &s, Value image, ArrayRef<Value> plane,
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
std::pair<Value, SmallVector<Value>> ImageSampler::weights(ScalarBuilder &s,
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

Value ImageSampler::cubicWeight(ScalarBuilder &s, Value x, bool isNear) const {
  constexpr double a = -0.75;
  SmallVector<double, 4> factors =
      isNear ? SmallVector<double, 4>{a + 2, -(a + 3), 0, 1}
             : SmallVector<double, 4>{a, -5 * a, 8 * a, -4 * a};
  Value sum = s.constant(type, factors[0]);
  for (double factor : ArrayRef(factors).drop_front())
    sum = s.add(s.mul(sum, x), s.constant(type, factor));
  return sum;
}

Value ImageSampler::interpolated(ScalarBuilder &s, Value image,
                                 ArrayRef<Value> plane, Value y,
                                 Value x) const {
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
        weight = element.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth()
                     ? Value(s.create<arith::ExtFOp>(element, weight))
                     : Value(s.create<arith::TruncFOp>(element, weight));
      Value term = s.mul(found, weight);
      sum = sum ? s.add(sum, term) : term;
    }
  return sum;
}

} // namespace npu
