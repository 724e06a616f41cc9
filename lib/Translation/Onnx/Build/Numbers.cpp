// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on numbers that follow from prompts, and what is known of them.

#include "Numbers.h"

#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Support/SignatureAttributes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Constants stay below this, so that sums and products of two fit 64 bits.
constexpr int64_t kMostNumber = int64_t(1) << 40;
/// Expressions have no more parts than this. One that halves a number with its
/// remainder has three times as many parts as the number has, so that few steps
/// make more than can be looked at.
constexpr int64_t kMostParts = 512;

/// The extent of an argument's dimension: one tensor.dim in front of the
/// function for all dimensions of a name. Those without a name have the extent
/// of the first, as where they are padded.
Value promptExtent(BlockArgument argument, int64_t dim, Location loc) {
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  StringRef name = PromptDim{argument, dim}.name();
  auto [first, firstDim] = *findPromptDim(
      function, [&](StringRef other) { return name.empty() || other == name; });
  Block *entry = argument.getOwner();
  for (Operation &op : *entry) {
    auto known = dyn_cast<ShapedDimOpInterface>(op);
    if (!known && !isa<arith::ConstantIndexOp>(op))
      break;
    if (known && known.getShapedValue() == first &&
        getConstantIntValue(known.getDimension()) == firstDim)
      return op.getResult(0);
  }
  OpBuilder front(entry, entry->begin());
  return tensor::DimOp::create(front, loc, first, firstDim);
}

} // namespace

Value Numbers::valueOf(Number number) {
  return getValueOrCreateConstantIndexOp(builder, loc, number);
}

/// How many parts an expression has when every part is written as often as it
/// is used, which is how upstream goes through it; `most` where it has more.
static int64_t partsOf(AffineExpr expr, int64_t most) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || most <= 1)
    return 1;
  int64_t left = partsOf(binary.getLHS(), most - 1);
  return std::min(most, 1 + left + partsOf(binary.getRHS(), most - left));
}

/// The parts of an expression with those of its operands in place of these.
static int64_t partsWith(AffineMap expr, ArrayRef<Number> operands) {
  int64_t parts = partsOf(expr.getResult(0), kMostParts);
  for (auto [number, operand] : llvm::enumerate(operands)) {
    auto value = dyn_cast_if_present<Value>(operand);
    auto apply = value ? value.getDefiningOp<affine::AffineApplyOp>()
                       : affine::AffineApplyOp();
    int64_t uses = 0;
    expr.getResult(0).walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      uses += symbol && symbol.getPosition() == number;
    });
    if (apply)
      parts += uses * partsOf(apply.getAffineMap().getResult(0), kMostParts);
  }
  return parts;
}

/// An expression of operands, in the simplest form: a constant where it is the
/// same at every length. Null where an operand is, or where it is too long.
static Number applied(OpBuilder &builder, Location loc, AffineMap expr,
                      ArrayRef<Number> operands) {
  if (llvm::is_contained(operands, Number()) ||
      partsWith(expr, operands) > kMostParts)
    return {};
  auto apply = affine::makeComposedAffineApply(builder, loc, expr, operands);
  AffineMap map = simplifyAffineMap(apply.getAffineMap());
  Number known;
  AffineExpr result = map.getResult(0);
  if (auto constant = dyn_cast<AffineConstantExpr>(result))
    known = builder.getIndexAttr(constant.getValue());
  else if (auto dim = dyn_cast<AffineDimExpr>(result))
    known = apply.getMapOperands()[dim.getPosition()];
  else if (auto symbol = dyn_cast<AffineSymbolExpr>(result))
    known = apply.getMapOperands()[map.getNumDims() + symbol.getPosition()];
  if (!known) {
    apply.setMap(map);
    NumberBounds bounds = boundsOf(apply.getResult(), Lengths::OfRuns);
    if (!bounds.least || bounds.least != bounds.most)
      return apply.getResult();
    known = builder.getIndexAttr(*bounds.least);
  }
  apply.erase();
  return known;
}

/// A number in which extents of tensors are expressions of prompts.
static Number ofPrompts(Numbers &numbers, OpBuilder &builder, Location loc,
                        Number number) {
  auto value = dyn_cast<Value>(number);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (auto dim = dyn_cast_if_present<ShapedDimOpInterface>(op))
    if (std::optional<int64_t> which = getConstantIntValue(dim.getDimension()))
      return numbers.extentOf(dim.getShapedValue(), *which);
  auto apply = dyn_cast_if_present<affine::AffineApplyOp>(op);
  if (!apply)
    return number;
  SmallVector<Number> operands;
  for (Value operand : apply.getMapOperands())
    operands.push_back(ofPrompts(numbers, builder, loc, operand));
  return applied(builder, loc, apply.getAffineMap(), operands);
}

/// The expression of s0 and s1, or of s0 alone, with both numbers for these.
Number Numbers::composed(AffineExpr expr, Number a, Number b) {
  return applied(builder, loc, AffineMap::get(0, 2, expr), {a, b});
}

static std::optional<int64_t> smallConstant(Number number) {
  std::optional<int64_t> constant = getConstantIntValue(number);
  return constant && std::abs(*constant) <= kMostNumber ? constant
                                                        : std::nullopt;
}

/// Whether arithmetic on both stays in range: constants are small.
static bool areInRange(Number a, Number b) {
  auto isInRange = [](Number number) {
    return number && (isa<Value>(number) || smallConstant(number));
  };
  return isInRange(a) && isInRange(b);
}

Number Numbers::add(Number a, Number b) {
  AffineExpr s0 = builder.getAffineSymbolExpr(0),
             s1 = builder.getAffineSymbolExpr(1);
  return areInRange(a, b) ? composed(s0 + s1, a, b) : Number();
}

Number Numbers::sub(Number a, Number b) {
  AffineExpr s0 = builder.getAffineSymbolExpr(0),
             s1 = builder.getAffineSymbolExpr(1);
  return areInRange(a, b) ? composed(s0 - s1, a, b) : Number();
}

Number Numbers::mul(Number a, Number b) {
  if (!areInRange(a, b))
    return {};
  if (smallConstant(a))
    std::swap(a, b);
  if (std::optional<int64_t> factor = smallConstant(b)) {
    int64_t product = 0;
    if (std::optional<int64_t> constant = smallConstant(a);
        constant && llvm::MulOverflow(*constant, *factor, product))
      return {};
    return composed(builder.getAffineSymbolExpr(0) * *factor, a, a);
  }
  return arith::MulIOp::create(builder, loc, cast<Value>(a), cast<Value>(b))
      .getResult();
}

Number Numbers::floorDiv(Number a, Number by) {
  std::optional<int64_t> divisor = smallConstant(by);
  if (!areInRange(a, by) || !divisor || *divisor < 1)
    return {};
  return composed(builder.getAffineSymbolExpr(0).floorDiv(*divisor), a, a);
}

Number Numbers::ceilDiv(Number a, Number by) {
  std::optional<int64_t> divisor = smallConstant(by);
  if (!divisor || *divisor < 1)
    return {};
  return floorDiv(add(a, constant(*divisor - 1)), by);
}

Number Numbers::truncDiv(Number a, Number by) {
  Number zero = constant(0);
  if (!a || !by)
    return {};
  if (ensureAtLeast(a, 0))
    return floorDiv(a, by);
  Number below = floorDiv(max(sub(zero, a), zero), by);
  return sub(floorDiv(max(a, zero), by), below);
}

Number Numbers::mod(Number a, Number by) {
  std::optional<int64_t> divisor = smallConstant(by);
  if (!areInRange(a, by) || !divisor || *divisor < 1)
    return {};
  return composed(builder.getAffineSymbolExpr(0) % *divisor, a, a);
}

/// max(number, 0) as an expression, where the number is never far from 0: how
/// many of 1, 2, ... it reaches. Each is a quotient, 0 or -1, and 1. Null where
/// it may be far from 0.
Number Numbers::positivePart(Number number) {
  constexpr int64_t kMostSteps = 4;
  NumberBounds bounds = boundsOf(number, Lengths::OfRuns);
  if (!bounds.least || !bounds.most || *bounds.most > kMostSteps ||
      *bounds.least < -kMostNumber)
    return {};
  AffineExpr s0 = builder.getAffineSymbolExpr(0),
             sum = builder.getAffineConstantExpr(0);
  for (int64_t step = 1; step <= *bounds.most; ++step)
    sum = sum + (s0 - step).floorDiv(*bounds.most - *bounds.least) + 1;
  return composed(sum, number, number);
}

static bool isAtLeast(Number number, int64_t bound, Lengths lengths) {
  std::optional<int64_t> least = boundsOf(number, lengths).least;
  return least && *least >= bound;
}

bool Numbers::ensureAtLeast(Number number, int64_t bound) {
  if (!number || !isAtLeast(number, bound, lengths))
    return false;
  assertAtLeast(number, bound);
  return true;
}

Number Numbers::entryAt(Number index, Number extent) {
  Number before = sub(constant(0), index);
  bool isFromEnd = before && isAtLeast(before, 1, lengths);
  Number at = isFromEnd ? add(index, extent) : index;
  Number after = sub(extent, at);
  if (!at || !after || !isAtLeast(at, 0, lengths) ||
      !isAtLeast(after, 1, lengths))
    return {};
  if (isFromEnd)
    assertAtLeast(before, 1);
  assertAtLeast(at, 0);
  assertAtLeast(after, 1);
  return at;
}

void Numbers::assertAtLeast(Number number, int64_t bound) {
  if (lengths == Lengths::OfRuns || isAtLeast(number, bound, Lengths::OfRuns))
    return;
  cf::AssertOp::create(
      builder, loc,
      compared(arith::CmpIPredicate::sge, number, constant(bound)),
      fmt::format("expected a number that follows from the "
                  "lengths of prompts to be at least {}: "
                  "there are too few entries",
                  bound));
}

void Numbers::assertEqual(Number a, Number b) {
  if (!a || !b || areEqual(a, b))
    return;
  cf::AssertOp::create(builder, loc, compared(arith::CmpIPredicate::eq, a, b),
                       "expected two extents that follow from the lengths of "
                       "prompts to be equal");
}

void Numbers::assertEqualOrOne(Number number, Number other) {
  if (areEqual(number, other))
    return;
  Value isOne = compared(arith::CmpIPredicate::eq, number, constant(1));
  Value isOther = compared(arith::CmpIPredicate::eq, number, other);
  cf::AssertOp::create(builder, loc,
                       arith::OrIOp::create(builder, loc, isOne, isOther),
                       "expected an extent that follows from the lengths of "
                       "prompts to be 1 or that of the operand");
}

Value Numbers::compared(arith::CmpIPredicate predicate, Number a, Number b) {
  return arith::CmpIOp::create(builder, loc, predicate, valueOf(a), valueOf(b));
}

Number Numbers::extremum(Number a, Number b, bool isMax) {
  Number more = isMax ? sub(a, b) : sub(b, a);
  if (!more)
    return {};
  NumberBounds bounds = boundsOf(more, Lengths::OfRuns);
  if (bounds.least.value_or(-1) >= 0)
    return a;
  if (bounds.most.value_or(1) <= 0)
    return b;
  Number less = sub(constant(0), more);
  if (Number part = positivePart(more))
    return isMax ? add(b, part) : sub(b, part);
  if (Number part = positivePart(less))
    return isMax ? add(a, part) : sub(a, part);
  if (ensureAtLeast(more, 0))
    return a;
  if (ensureAtLeast(less, 0))
    return b;
  return {};
}

Number Numbers::min(Number a, Number b) {
  if (Number known = extremum(a, b, /*isMax=*/false);
      known || !areInRange(a, b))
    return known;
  return arith::MinSIOp::create(builder, loc, valueOf(a), valueOf(b))
      .getResult();
}

Number Numbers::max(Number a, Number b) {
  if (Number known = extremum(a, b, /*isMax=*/true); known || !areInRange(a, b))
    return known;
  return arith::MaxSIOp::create(builder, loc, valueOf(a), valueOf(b))
      .getResult();
}

bool Numbers::areEqual(Number a, Number b) {
  if (!a || !b)
    return false;
  if (a == b)
    return true;
  return getConstantIntValue(sub(a, b)) == 0;
}

/// The tensor that a loop is given and returns with some entries written; null
/// where it returns another one.
static Value writtenBy(scf::ForOp loop, OpResult result) {
  Value written =
      loop.getTiedLoopYieldedValue(loop.getTiedLoopRegionIterArg(result))
          ->get();
  while (Operation *writer = written ? written.getDefiningOp() : nullptr) {
    auto number = cast<OpResult>(written);
    if (auto destination = dyn_cast<DestinationStyleOpInterface>(writer))
      written = destination.getTiedOpOperand(number)->get();
    else if (auto inner = dyn_cast<scf::ForOp>(writer))
      written = writtenBy(inner, number);
    else
      break;
  }
  return written == loop.getTiedLoopRegionIterArg(result)
             ? loop.getTiedLoopInit(result)->get()
             : Value();
}

Number Numbers::extentOf(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    if (isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      return promptExtent(argument, dim, loc);
  Operation *op = tensor.getDefiningOp();
  if (auto destination = dyn_cast_if_present<DestinationStyleOpInterface>(op))
    return extentOf(destination.getTiedOpOperand(cast<OpResult>(tensor))->get(),
                    dim);
  if (auto loop = dyn_cast_if_present<scf::ForOp>(op))
    if (Value before = writtenBy(loop, cast<OpResult>(tensor)))
      return extentOf(before, dim);
  // Upstream does not reify extents of reshapes by what they list.
  if (auto reshape = op ? reassociationOf(op) : std::nullopt) {
    if (reshape->refines)
      return op->getOperand(
          1 + llvm::count(ArrayRef(type.getShape()).take_front(dim),
                          ShapedType::kDynamic));
    Number extent = constant(1);
    for (int64_t each : reshape->groups[dim])
      extent = mul(extent, extentOf(op->getOperand(0), each));
    if (extent)
      return extent;
  }
  ReifiedRankedShapedTypeDims shapes;
  if (isa_and_present<ReifyRankedShapedTypeOpInterface>(op) &&
      succeeded(reifyResultShapes(builder, op, shapes)))
    return ofPrompts(*this, builder, loc,
                     shapes[cast<OpResult>(tensor).getResultNumber()][dim]);
  return tensor::DimOp::create(builder, loc, tensor, dim).getResult();
}

std::optional<Numbers::Product> Numbers::productOf(ArrayRef<Number> numbers) {
  Product product;
  for (Number number : numbers) {
    if (!number)
      return std::nullopt;
    int64_t factor = 1;
    if (std::optional<int64_t> known = getConstantIntValue(number)) {
      factor = *known;
    } else if (auto times =
                   cast<Value>(number).getDefiningOp<arith::MulIOp>()) {
      auto inner = productOf({times.getLhs(), times.getRhs()});
      if (!inner)
        return std::nullopt;
      factor = inner->factor;
      product.values.append(inner->values);
    } else if (auto apply =
                   cast<Value>(number).getDefiningOp<affine::AffineApplyOp>()) {
      AffineExpr expr = apply.getAffineMap().getResult(0);
      factor = std::max<int64_t>(expr.getLargestKnownDivisor(), 1);
      product.values.push_back(
          factor == 1 ? number : floorDiv(number, constant(factor)));
    } else {
      product.values.push_back(number);
    }
    if (llvm::MulOverflow(product.factor, factor, product.factor))
      return std::nullopt;
  }
  return product;
}

std::optional<Numbers::Product> Numbers::quotient(const Product &whole,
                                                  const Product &part) {
  if (part.factor == 0 || whole.factor % part.factor != 0)
    return std::nullopt;
  Product result = whole;
  result.factor /= part.factor;
  for (Number value : part.values) {
    auto *found = llvm::find_if(
        result.values, [&](Number each) { return areEqual(each, value); });
    if (found == result.values.end())
      return std::nullopt;
    result.values.erase(found);
  }
  return result;
}

Number Numbers::numberOf(const Product &product) {
  Number number = constant(product.factor);
  for (Number value : product.values)
    number = mul(number, value);
  return number;
}

} // namespace npu
