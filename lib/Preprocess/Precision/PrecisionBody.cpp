// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PrecisionBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

bool isCastOfNumbers(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp>(op);
}

/// Whether a type is one whose precision is said, of floats or of integers.
bool concerns(Type type, bool floats) {
  return floats ? isa<FloatType>(type)
                : type.isSignlessInteger() && !type.isInteger(1);
}

/// The values of the body that are computed from the accumulator.
DenseSet<Value> dependingOnOutput(linalg::LinalgOp op) {
  DenseSet<Value> values;
  for (BlockArgument output : op.getRegionOutputArgs())
    values.insert(output);
  for (Operation &each : *op.getBlock())
    if (llvm::any_of(each.getOperands(),
                     [&](Value operand) { return values.contains(operand); }))
      values.insert(each.result_begin(), each.result_end());
  return values;
}

Type wider(Type one, Type other) {
  return holdsEvery(other, one) ? other : one;
}

/// The widest type that the body computes floats or integers in, apart from
/// the values `without`.
Type widestIn(linalg::LinalgOp op, bool floats,
              const DenseSet<Value> &without = {}) {
  Type widest;
  for (Operation &each : op.getBlock()->without_terminator())
    for (Value result : each.getResults())
      if (concerns(result.getType(), floats) && !isCastOfNumbers(&each) &&
          !each.hasTrait<OpTrait::ConstantLike>() && !without.contains(result))
        widest = widest ? wider(widest, result.getType()) : result.getType();
  return widest;
}

Type elementOfResult(linalg::LinalgOp op) {
  return getElementTypeOrSelf(op->getResult(0).getType());
}

} // namespace

bool accumulates(linalg::LinalgOp op) {
  return llvm::any_of(op.getRegionOutputArgs(),
                      [](Value output) { return !output.use_empty(); });
}

bool computesNothing(linalg::LinalgOp op) {
  return llvm::all_of(op.getBlock()->without_terminator(), [](Operation &each) {
    return isCastOfNumbers(&each) || isa<linalg::IndexOp>(each) ||
           each.hasTrait<OpTrait::ConstantLike>();
  });
}

bool isCast(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics() ||
      generic.getNumDpsInputs() != 1 || generic.getNumDpsInits() != 1 ||
      generic.getBody()->getOperations().size() != 2 ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  Operation &cast = generic.getBody()->front();
  return isCastOfNumbers(&cast) &&
         cast.getOperand(0) == generic.getBody()->getArgument(0) &&
         generic.getBody()->getTerminator()->getOperand(0) == cast.getResult(0);
}

Precision completed(linalg::LinalgOp op, const Precision &asked) {
  Type result = elementOfResult(op);
  Precision types = asked;
  if (!types.storage)
    types.storage = result;
  Type least = wider(result, types.storage);
  if (accumulates(op)) {
    if (!types.accumulation)
      types.accumulation = least;
    if (!types.intermediate) {
      // What lies in front of the sum is computed as it was, or as the sum is.
      Type widest = widestIn(op, isa<FloatType>(result), dependingOnOutput(op));
      types.intermediate =
          widest ? wider(types.accumulation, widest) : types.accumulation;
    }
    return types;
  }
  if (!types.intermediate) {
    Type widest = widestIn(op, isa<FloatType>(result));
    types.intermediate = widest ? wider(widest, types.storage) : least;
  }
  // There is none, whoever asks.
  types.accumulation = {};
  return types;
}

bool bodyHas(linalg::LinalgOp op, const Precision &types) {
  bool floats = isa<FloatType>(types.storage);
  DenseSet<Value> accumulating = dependingOnOutput(op);
  for (Operation &each : op.getBlock()->without_terminator())
    for (Value result : each.getResults())
      if (concerns(result.getType(), floats) && !isCastOfNumbers(&each) &&
          !each.hasTrait<OpTrait::ConstantLike>() &&
          result.getType() != (accumulating.contains(result)
                                   ? types.accumulation
                                   : types.intermediate))
        return false;
  // A cast between two other operations rounds what lies between them.
  for (Operation &each : op.getBlock()->without_terminator())
    if (isCastOfNumbers(&each) && concerns(each.getResult(0).getType(), floats))
      for (Operation *user : each.getUsers())
        if (isCastOfNumbers(user))
          return false;
  return true;
}

namespace {

/// Whether an operation on integers gives the same number in more bits, where
/// it does not overflow in fewer: the numbers are extended with their sign.
bool isSameInMoreBits(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getPredicate() < arith::CmpIPredicate::ult;
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp,
             arith::CeilDivSIOp, arith::FloorDivSIOp, arith::RemSIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShRSIOp,
             arith::MinSIOp, arith::MaxSIOp, arith::SelectOp, arith::ExtSIOp,
             arith::IndexCastOp, arith::SIToFPOp, arith::FPToSIOp,
             arith::ConstantOp, math::AbsIOp, math::IPowIOp, math::FPowIOp>(op);
}

/// Whether `op` extends what the operation reads, as it reads it, or bits of
/// its own that stay as they are.
bool extendsWhatIsRead(arith::ExtUIOp op, linalg::LinalgOp in) {
  if (!concerns(op.getIn().getType(), /*floats=*/false))
    return true;
  auto argument = dyn_cast<BlockArgument>(op.getIn());
  return argument && argument.getOwner() == in.getBlock() &&
         !llvm::is_contained(in.getRegionOutputArgs(), argument);
}

} // namespace

Result<> checkBody(linalg::LinalgOp op, bool floats) {
  auto refuse = [&](Operation &each, StringRef of = "") {
    return Error{"expected a body that can be computed in other types, got '" +
                 each.getName().getStringRef().str() + "'" + of.str() +
                 " in it"};
  };
  auto isConcerned = [&](Type type) { return concerns(type, floats); };
  for (Operation &each : op.getBlock()->without_terminator()) {
    bool known = isa<arith::ArithDialect, math::MathDialect>(each.getDialect());
    if (each.getNumRegions() > 0 || isa<arith::BitcastOp>(each) ||
        (!known && !isa<linalg::IndexOp>(each)))
      return refuse(each);
    if (floats || (llvm::none_of(each.getOperandTypes(), isConcerned) &&
                   llvm::none_of(each.getResultTypes(), isConcerned)))
      continue;
    if (auto extension = dyn_cast<arith::ExtUIOp>(each)) {
      if (!extendsWhatIsRead(extension, op))
        return refuse(each, " of a computed value");
    } else if (!isSameInMoreBits(&each)) {
      return refuse(each);
    }
  }
  return Success();
}

Value convertScalar(OpBuilder &builder, Location loc, Value value, Type to) {
  Type from = value.getType();
  if (from == to)
    return value;
  if (isa<FloatType>(from)) {
    if (holdsEvery(to, from))
      return arith::ExtFOp::create(builder, loc, to, value);
    // Neither of f16 and bf16 holds the other; f32 holds both.
    if (!holdsEvery(from, to))
      value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return arith::TruncFOp::create(builder, loc, to, value);
  }
  if (holdsEvery(to, from))
    return arith::ExtSIOp::create(builder, loc, to, value);
  return arith::TruncIOp::create(builder, loc, to, value);
}

namespace {

/// Writes a body operation by operation.
struct BodyWriter {
  OpBuilder &builder;
  const Precision &types;
  DenseSet<Value> accumulating;
  IRMapping made;
  bool floats = isa<FloatType>(types.storage);

  Type typeOf(Value value) const {
    return accumulating.contains(value) ? types.accumulation
                                        : types.intermediate;
  }

  /// A value of the old body in the type `to`, if its precision is said.
  Value as(Value old, Type to, Location loc) {
    if (!concerns(old.getType(), floats))
      return made.lookupOrDefault(old);
    TypedAttr constant;
    if (matchPattern(old, m_Constant(&constant))) {
      if (auto number = dyn_cast<FloatAttr>(constant))
        return arith::ConstantOp::create(builder, loc,
                                         floatOf(number.getValue(), to));
      if (auto number = dyn_cast<IntegerAttr>(constant))
        return arith::ConstantOp::create(
            builder, loc,
            IntegerAttr::get(
                to, number.getValue().sextOrTrunc(to.getIntOrFloatBitWidth())));
    }
    return convertScalar(builder, loc, made.lookupOrDefault(old), to);
  }

  FloatAttr floatOf(APFloat number, Type to) {
    bool lost;
    number.convert(cast<FloatType>(to).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &lost);
    return FloatAttr::get(to, number);
  }

  void write(Operation &old) {
    if (old.hasTrait<OpTrait::ConstantLike>() &&
        concerns(old.getResult(0).getType(), floats))
      return; // Made again where it is read.
    if (isCastOfNumbers(&old) && concerns(old.getResult(0).getType(), floats))
      return writeCast(old);
    Type type = typeOf(old.getNumResults() ? old.getResult(0) : Value());
    if (old.getNumResults() &&
        llvm::any_of(old.getOperands(), [&](Value operand) {
          return accumulating.contains(operand);
        }))
      type = types.accumulation;
    IRMapping operands;
    for (Value operand :
         SetVector<Value>(old.operand_begin(), old.operand_end()))
      operands.map(operand, as(operand, type, old.getLoc()));
    Operation *copy = builder.clone(old, operands);
    for (auto [before, now] : llvm::zip(old.getResults(), copy->getResults())) {
      if (concerns(before.getType(), floats))
        now.setType(type);
      made.map(before, now);
    }
  }

  /// What was cast stays as it is: everything is in the type that is asked for
  /// where it is read. Only the sign of an integer is decided by its cast.
  void writeCast(Operation &old) {
    Value operand = old.getOperand(0);
    Value value = made.lookupOrDefault(operand);
    Type to = typeOf(old.getResult(0));
    if (isa<arith::ExtUIOp>(old) && concerns(operand.getType(), floats) &&
        !holdsEvery(operand.getType(), to)) {
      value = arith::ExtUIOp::create(builder, old.getLoc(), to, value);
    } else if (!concerns(operand.getType(), floats)) {
      Operation *copy = builder.clone(old, made);
      copy->getResult(0).setType(to);
      value = copy->getResult(0);
    } else {
      value = as(operand, to, old.getLoc());
    }
    made.map(old.getResult(0), value);
  }
};

} // namespace

void writeBody(OpBuilder &builder, linalg::LinalgOp op, const Precision &types,
               TypeRange arguments, Type yielded, Region &region) {
  OpBuilder::InsertionGuard guard(builder);
  Block *old = op.getBlock();
  SmallVector<Location> locs = llvm::map_to_vector(
      old->getArguments(), [](BlockArgument each) { return each.getLoc(); });
  Block *block = builder.createBlock(&region, region.end(), arguments, locs);
  BodyWriter writer{builder, types, dependingOnOutput(op), {}};
  writer.made.map(old->getArguments(), block->getArguments());
  for (Operation &each : old->without_terminator())
    writer.write(each);
  Operation *end = old->getTerminator();
  linalg::YieldOp::create(
      builder, end->getLoc(),
      writer.as(end->getOperand(0), yielded, end->getLoc()));
}

} // namespace npu
