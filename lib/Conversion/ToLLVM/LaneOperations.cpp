// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneOperations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace npu {
namespace {

/// Integers of more bits are no lanes of a vector register.
constexpr int64_t kMostBits = 64;

bool isShortFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// Operations whose result, of numbers of a short type, is a number that the
/// type has.
bool isExact(Operation &op) {
  return isa<arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp, math::AbsFOp,
             math::CeilOp, math::FloorOp, math::TruncOp, math::RoundOp,
             math::RoundEvenOp, math::CopySignOp, arith::ExtFOp>(op);
}

/// Operations whose result in a short type is the one in f32, rounded.
bool isRounded(Operation &op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, math::SqrtOp,
             math::ExpOp, math::LogOp, math::TanhOp, math::ErfOp>(op);
}

/// Operations on integers and masks, and from floats to them.
bool isOfIntegers(Operation &op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp,
             arith::ShRUIOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
             arith::MinUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             arith::CmpIOp, arith::CmpFOp, arith::IndexCastOp,
             arith::IndexCastUIOp, arith::FPToSIOp, arith::FPToUIOp>(op);
}

bool isApproximated(Operation &op) {
  return isa<math::ExpOp, math::LogOp, math::TanhOp, math::ErfOp>(op);
}

Value round(OpBuilder &builder, Location loc, Value lanes, Type element) {
  return widenLanes(builder, loc, narrowLanes(builder, loc, lanes, element));
}

Type like(Type shaped, Type element) {
  if (auto vector = dyn_cast<VectorType>(shaped))
    return VectorType::get(vector.getShape(), element);
  return element;
}

/// A number of an integer of less than 32 bits is one of i32, cut off, as where
/// scalars are converted: that decides what becomes of numbers which the type
/// does not have.
Value toShortInteger(OpBuilder &builder, Location loc, Value lanes, Type type) {
  Value number = arith::FPToSIOp::create(
      builder, loc, like(lanes.getType(), builder.getI32Type()), lanes);
  return arith::TruncIOp::create(builder, loc, like(lanes.getType(), type),
                                 number);
}

} // namespace

int64_t bitsOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

Type computedType(Type element) {
  return isShortFloat(element) ? Float32Type::get(element.getContext())
                               : element;
}

bool isLanewise(Operation &op) {
  if (isa<arith::ConstantOp>(op))
    return op.getResult(0).getType().isIntOrIndexOrFloat();
  if (isa<linalg::IndexOp, linalg::YieldOp>(op))
    return true;
  if (!isExact(op) && !isRounded(op) && !isOfIntegers(op) &&
      !isa<math::RsqrtOp>(op))
    return false;
  auto isNumber = [](Type type) {
    if (isa<FloatType>(type))
      return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
    return type.isSignlessIntOrIndex() && bitsOf(type) <= kMostBits;
  };
  if (!llvm::all_of(op.getOperandTypes(), isNumber) ||
      !llvm::all_of(op.getResultTypes(), isNumber))
    return false;
  Type result = op.getResult(0).getType();
  // These are calls of the C library for every number.
  if (isApproximated(op) && result.isF64())
    return false;
  // Vectors have no such conversion, and what LLVM makes of it is slower.
  if (isa<arith::FPToUIOp>(op) && bitsOf(result) >= 32)
    return false;
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    return !truncate.getRoundingmode();
  return true;
}

int64_t weightOf(Operation &op) {
  if (isa<arith::ConstantOp, linalg::IndexOp, linalg::YieldOp>(op))
    return 0;
  int64_t weight = 1;
  if (isApproximated(op))
    weight = 24;
  else if (isa<arith::DivFOp, math::SqrtOp>(op))
    weight = 4;
  else if (isa<math::RsqrtOp>(op))
    weight = 8;
  bool rounds = isRounded(op) && isShortFloat(op.getResult(0).getType());
  return weight + (rounds ? 2 : 0);
}

SmallVector<LanePart> divideLanes(int64_t width, int64_t bits) {
  // Two registers of 256 bits at most, so that wider machines have a use for
  // theirs.
  constexpr int64_t registerBits = 256, mostBits = 512;
  SmallVector<LanePart> parts;
  for (int64_t first = 0; first < width;) {
    int64_t left = std::min(width - first, mostBits / bits);
    auto power = static_cast<int64_t>(llvm::PowerOf2Ceil(left));
    if (power != left && power * bits > registerBits)
      left = power / 2;
    parts.push_back({first, left});
    first += left;
  }
  return parts;
}

Type lanesOf(Type element, int64_t width) {
  return width == 1 ? element : VectorType::get({width}, element);
}

Value broadcastLanes(OpBuilder &builder, Location loc, Value scalar,
                     int64_t width) {
  if (width == 1)
    return scalar;
  return vector::BroadcastOp::create(builder, loc,
                                     lanesOf(scalar.getType(), width), scalar);
}

Value widenLanes(OpBuilder &builder, Location loc, Value lanes) {
  Type type = lanes.getType();
  if (!isShortFloat(getElementTypeOrSelf(type)))
    return lanes;
  return arith::ExtFOp::create(builder, loc, like(type, builder.getF32Type()),
                               lanes);
}

Value narrowLanes(OpBuilder &builder, Location loc, Value lanes, Type element) {
  if (getElementTypeOrSelf(lanes.getType()) == element)
    return lanes;
  return arith::TruncFOp::create(builder, loc, like(lanes.getType(), element),
                                 lanes);
}

namespace {
/// A shuffle whose lane i is the one that `sourceOf` says: a number of a lane
/// of `a`, or, from `size` on, of `b`.
Value shuffle(OpBuilder &builder, Location loc, Value a, Value b, int64_t size,
              llvm::function_ref<int64_t(int64_t)> sourceOf) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < size; ++lane)
    mask.push_back(sourceOf(lane));
  return vector::ShuffleOp::create(builder, loc, a, b, mask);
}
} // namespace

SmallVector<Value> transposeLanes(OpBuilder &builder, Location loc,
                                  ArrayRef<Value> vectors) {
  // Shuffles within 128 bits, and of whole 128 bits, are one instruction.
  constexpr int64_t quarterBits = 128;
  SmallVector<Value> rows(vectors);
  auto size = static_cast<int64_t>(rows.size());
  Type element = getElementTypeOrSelf(rows.front().getType());
  auto fitting = llvm::bit_floor<uint64_t>(quarterBits / bitsOf(element));
  int64_t quarter =
      std::min(size, std::max<int64_t>(1, static_cast<int64_t>(fitting)));
  // Exchange blocks beside the diagonal, from the largest on (Eklundh, "A fast
  // computer method for matrix transposing", IEEE Trans. Computers C-21:7,
  // 1972), as far as they have whole quarters.
  for (int64_t distance = size / 2; distance >= quarter; distance /= 2)
    for (int64_t row = 0; row < size; ++row) {
      if (row & distance)
        continue;
      Value upper = rows[row], lower = rows[row + distance];
      rows[row] = shuffle(builder, loc, upper, lower, size, [&](int64_t lane) {
        return lane & distance ? size + lane - distance : lane;
      });
      rows[row + distance] =
          shuffle(builder, loc, upper, lower, size, [&](int64_t lane) {
            return lane & distance ? size + lane : lane + distance;
          });
    }
  // Then interleave halves of quarters: each time row i and the row half of a
  // group after it become rows 2 i and 2 i + 1 of the group.
  for (int64_t stage = 1; stage < quarter; stage *= 2) {
    SmallVector<Value> next(size);
    for (int64_t group = 0; group < size; group += quarter)
      for (int64_t row = 0; row < quarter / 2; ++row)
        for (int64_t half : {0, 1})
          next[group + 2 * row + half] =
              shuffle(builder, loc, rows[group + row],
                      rows[group + row + quarter / 2], size, [&](int64_t lane) {
                        int64_t within = lane % quarter;
                        int64_t source =
                            lane - within + within / 2 + half * (quarter / 2);
                        return within % 2 ? size + source : source;
                      });
    rows = std::move(next);
  }
  return rows;
}

Value buildLanes(OpBuilder &builder, Operation &op, ValueRange operands,
                 int64_t width) {
  Location loc = op.getLoc();
  Type element = op.getResult(0).getType();
  Type type = lanesOf(computedType(element), width);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Value copy = builder.clone(*constant)->getResult(0);
    return broadcastLanes(builder, loc, widenLanes(builder, loc, copy), width);
  }
  if (isa<math::RsqrtOp>(op)) {
    Value root = math::SqrtOp::create(builder, loc, type, operands);
    root = round(builder, loc, root, element);
    TypedAttr one = builder.getFloatAttr(computedType(element), 1.0);
    Value ones = broadcastLanes(
        builder, loc, arith::ConstantOp::create(builder, loc, one), width);
    return round(builder, loc, arith::DivFOp::create(builder, loc, ones, root),
                 element);
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op) && bitsOf(element) < 32)
    return toShortInteger(builder, loc, operands[0], element);
  Type from = op.getOperand(0).getType();
  // What is longer than f32 is rounded once.
  if (isa<arith::TruncFOp>(op) && isShortFloat(element) &&
      getElementTypeOrSelf(operands[0].getType()).isF64())
    return round(builder, loc, operands[0], element);
  bool isSame = isa<arith::ExtFOp, arith::TruncFOp>(op) &&
                computedType(from) == computedType(element);
  Value result = operands[0];
  if (!isSame) {
    OperationState state(loc, op.getName(), operands, type,
                         op.getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op.getPropertiesAsAttribute();
    result = builder.create(state)->getResult(0);
  }
  return isRounded(op) ? round(builder, loc, result, element) : result;
}

} // namespace npu
