// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Body/PairTransfer.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace npu {
namespace {

using Classes = ArrayRef<unsigned>;

FloatClass at(Classes classes, unsigned number) {
  return FloatClass(classes[number]);
}

/// Whether the type has infinities, NaNs and zeros of both signs as in IEEE
/// 754.
bool isOrdinary(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
      getElementTypeOrSelf(type));
}

Type elementOf(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType());
}

/// Whether all implementations of `op` give the same bits at these operands.
/// The last bits of a function of the math dialect may differ, except at zeros,
/// infinities and NaNs.
bool isExactAt(Operation *op, ArrayRef<Attribute> operands) {
  if (!isa<math::MathDialect>(op->getDialect()) ||
      isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp,
          math::TruncOp, math::RoundOp, math::RoundEvenOp, math::SqrtOp>(op))
    return true;
  return llvm::all_of(operands, [](Attribute operand) {
    auto number = dyn_cast<FloatAttr>(operand);
    return !number || !number.getValue().isFiniteNonZero();
  });
}

/// The constant that `op` folds to where all of its operands are constants;
/// null where it does not fold.
TypedAttr folded(Operation *op, ArrayRef<TypedAttr> operands) {
  SmallVector<Attribute> constants(operands.begin(), operands.end());
  SmallVector<OpFoldResult> results;
  // Folding an operation on tensors does not give one entry.
  if (isa<ShapedType>(op->getResult(0).getType()) || constants.empty() ||
      llvm::is_contained(constants, Attribute()) || !isExactAt(op, constants) ||
      failed(op->fold(constants, results)) || results.size() != 1)
    return {};
  if (auto attr = dyn_cast<Attribute>(results[0]))
    return dyn_cast<TypedAttr>(attr);
  // The operation folds to one of its operands.
  for (auto [operand, constant] : llvm::zip(op->getOperands(), operands))
    if (operand == cast<Value>(results[0]))
      return constant;
  return {};
}

TypedAttr foldedLeft(Operation *op, ArrayRef<PairFact> operands) {
  return folded(op, llvm::map_to_vector(operands, [](const PairFact &operand) {
                  return operand.leftConstant();
                }));
}

TypedAttr foldedRight(Operation *op, ArrayRef<PairFact> operands) {
  return folded(op, llvm::map_to_vector(operands, [](const PairFact &operand) {
                  return operand.rightConstant();
                }));
}

/// x + 0 is x, unless x is a zero itself.
std::optional<unsigned> addsZero(Classes left, Classes right) {
  for (unsigned number : {0, 1}) {
    unsigned other = 1 - number;
    if (zeros.has(at(left, other)) && zeros.has(at(right, other)) &&
        !zeros.has(at(left, number)) && !zeros.has(at(right, number)))
      return number;
  }
  return std::nullopt;
}

/// The outcomes for which a predicate holds, by its number: 1 for equal, 2 for
/// greater, 4 for less, 8 for unordered.
constexpr unsigned kHolds[] = {0, 1,  2,  3,  4,  5,  6, 7,
                               9, 10, 11, 12, 13, 14, 8, 15};

/// Outcomes of a comparison as bits: 1 for false, 2 for true.
unsigned outcomesOf(arith::CmpFPredicate predicate, FloatClass a,
                    FloatClass b) {
  float_class::Outcomes outcomes = float_class::compare(a, b);
  unsigned possible = (outcomes.equal ? 1 : 0) | (outcomes.greater ? 2 : 0) |
                      (outcomes.less ? 4 : 0) | (outcomes.unordered ? 8 : 0);
  unsigned holds = kHolds[static_cast<unsigned>(predicate)];
  return (possible & ~holds ? 1 : 0) | (possible & holds ? 2 : 0);
}

/// Whether the result depends on the bits of a NaN that an operand may be.
bool seesNaN(Operation *op, ArrayRef<PairFact> operands) {
  return isa<arith::BitcastOp, math::CopySignOp>(op) &&
         llvm::any_of(operands, [](const PairFact &operand) {
           return isa<FloatType>(operand.getType()) &&
                  operand.mayBe(FloatClass::NaN, FloatClass::NaN);
         });
}

FloatClasses fromInteger(Type from, Type to, bool isSigned, unsigned integer,
                         bool mayOverflow) {
  if (from.isInteger(1))
    return integer == 0 ? FloatClass::PositiveZero
           : isSigned   ? FloatClass::Negative
                        : FloatClass::Positive;
  FloatClasses result{FloatClass::PositiveZero, FloatClass::Positive};
  unsigned width = from.isIndex() ? 64 : from.getIntOrFloatBitWidth();
  bool tooLarge =
      mayOverflow && llvm::APFloat::semanticsMaxExponent(
                         cast<FloatType>(to).getFloatSemantics()) < int(width);
  if (tooLarge)
    result |= FloatClass::PositiveInfinity;
  if (isSigned)
    result |= FloatClass::Negative;
  if (isSigned && tooLarge)
    result |= FloatClass::NegativeInfinity;
  return result;
}

/// Applies a table of classes of floats.
template <typename Fn>
PairFact unary(Type type, ArrayRef<PairFact> operands, Fn &&table) {
  return PairFact::apply(type, operands, [&](Classes classes) {
    return table(at(classes, 0)).toBits();
  });
}

template <typename Fn>
PairFact binary(Operation *op, ArrayRef<PairFact> operands, Fn &&table,
                PairFact::PassesOn passesOn = nullptr) {
  // Both operands are the same number.
  if (op->getOperand(0) == op->getOperand(1))
    return PairFact::apply(
        elementOf(op), operands.take_front(), [&](Classes classes) {
          return table(at(classes, 0), at(classes, 0)).toBits();
        });
  return PairFact::apply(
      elementOf(op), operands,
      [&](Classes classes) {
        return table(at(classes, 0), at(classes, 1)).toBits();
      },
      passesOn);
}

template <typename Fn>
PairFact logical(ArrayRef<PairFact> operands, Fn &&of) {
  return PairFact::apply(operands[0].getType(), operands, [&](Classes classes) {
    return 1u << unsigned(of(classes[0] != 0, classes[1] != 0));
  });
}

std::optional<PairFact> transferOfFloats(Operation *op,
                                         ArrayRef<PairFact> operands,
                                         const TransferOptions &options) {
  using namespace float_class;
  using Result = std::optional<PairFact>;
  Type type = elementOf(op);
  bool mayOverflow = options.mayOverflow;
  auto with = [&](auto table) {
    return [table, mayOverflow](FloatClass a, FloatClass b) {
      return table(a, b, mayOverflow);
    };
  };
  auto one = [&](FloatClasses (*table)(FloatClass)) -> Result {
    return unary(type, operands, table);
  };
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddFOp) {
        return binary(op, operands, with(add), addsZero);
      })
      .Case([&](arith::SubFOp) {
        return options.subtractsLargest
                   ? binary(op, operands, with(subtractLargest))
                   : binary(op, operands, with(subtract), addsZero);
      })
      .Case([&](arith::MulFOp) { return binary(op, operands, with(multiply)); })
      .Case([&](arith::DivFOp) { return binary(op, operands, with(divide)); })
      .Case([&](arith::MaximumFOp) { return binary(op, operands, maximum); })
      .Case([&](arith::MinimumFOp) { return binary(op, operands, minimum); })
      .Case(
          [&](arith::MaxNumFOp) { return binary(op, operands, maximumNumber); })
      .Case(
          [&](arith::MinNumFOp) { return binary(op, operands, minimumNumber); })
      .Case([&](math::FmaOp) -> Result {
        PairFact product =
            PairFact::apply(type, operands.take_front(2), [&](Classes classes) {
              return multiply(at(classes, 0), at(classes, 1), mayOverflow)
                  .toBits();
            });
        return PairFact::apply(
            type, {product, operands[2]},
            [&](Classes classes) {
              return add(at(classes, 0), at(classes, 1), mayOverflow).toBits();
            },
            addsZero);
      })
      .Case([&](arith::TruncFOp) {
        return unary(type, operands,
                     [&](FloatClass a) { return truncate(a, mayOverflow); });
      })
      .Case([&](arith::ExtFOp) {
        return unary(type, operands,
                     [](FloatClass a) { return FloatClasses(a); });
      })
      .Case<arith::NegFOp>([&](auto) { return one(negate); })
      .Case<math::AbsFOp>([&](auto) { return one(absolute); })
      .Case<math::ExpOp, math::Exp2Op>([&](auto) { return one(exponential); })
      .Case<math::LogOp, math::Log2Op, math::Log10Op>(
          [&](auto) { return one(logarithm); })
      .Case<math::SqrtOp>([&](auto) { return one(squareRoot); })
      .Case<math::RsqrtOp>([&](auto) { return one(reciprocalSquareRoot); })
      .Case<math::TanhOp, math::ErfOp>([&](auto) { return one(sigmoidal); })
      .Case<math::SinOp>([&](auto) { return one(sine); })
      .Case<math::CosOp>([&](auto) { return one(cosine); })
      .Case<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
            math::RoundEvenOp>([&](auto) { return one(roundToIntegral); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<PairFact> transferOfClasses(Operation *op,
                                          ArrayRef<PairFact> operands,
                                          const TransferOptions &options) {
  using Result = std::optional<PairFact>;
  Type type = elementOf(op);
  bool isBoolean = type.isInteger(1);
  if (llvm::all_of(op->getOperandTypes(), isOrdinary) && isOrdinary(type))
    return transferOfFloats(op, operands, options);
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::CmpFOp compare) -> Result {
        if (!isOrdinary(compare.getLhs().getType()))
          return std::nullopt;
        return PairFact::apply(type, operands, [&](Classes classes) {
          return outcomesOf(compare.getPredicate(), at(classes, 0),
                            at(classes, 1));
        });
      })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](auto) -> Result {
        if (!isOrdinary(type))
          return std::nullopt;
        return PairFact::apply(type, operands, [&](Classes classes) {
          return fromInteger(operands[0].getType(), type,
                             isa<arith::SIToFPOp>(op), classes[0],
                             options.mayOverflow)
              .toBits();
        });
      })
      .Case([&](arith::AndIOp) -> Result {
        return isBoolean ? Result(logical(operands, std::logical_and<bool>()))
                         : std::nullopt;
      })
      .Case([&](arith::OrIOp) -> Result {
        return isBoolean ? Result(logical(operands, std::logical_or<bool>()))
                         : std::nullopt;
      })
      .Case([&](arith::XOrIOp) -> Result {
        return isBoolean ? Result(logical(operands, std::not_equal_to<bool>()))
                         : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

PairFact selected(const PairFact &condition, const PairFact &ifTrue,
                  const PairFact &ifFalse) {
  PairFact result = PairFact::nothing(ifTrue.getType());
  if (condition.mayBe(1, 1))
    result = result.join(ifTrue);
  if (condition.mayBe(0u, 0u))
    result = result.join(ifFalse);
  if (condition.mayBe(1, 0))
    result = result.join(PairFact::sides(ifTrue, ifFalse));
  if (condition.mayBe(0, 1))
    result = result.join(PairFact::sides(ifFalse, ifTrue));
  return result;
}

PairFact transfer(Operation *op, ArrayRef<PairFact> operands,
                  const TransferOptions &options) {
  Type type = elementOf(op);
  bool isSelect = isa<arith::SelectOp>(op);
  TypedAttr left = isSelect ? TypedAttr() : foldedLeft(op, operands);
  TypedAttr right = isSelect ? TypedAttr() : foldedRight(op, operands);
  PairFact fact = PairFact::anything(type);
  if (isSelect)
    fact = selected(operands[0], operands[1], operands[2]);
  else if (auto known = transferOfClasses(op, operands, options))
    fact = *known;
  else if (!seesNaN(op, operands) &&
           llvm::all_of(operands, std::mem_fn(&PairFact::isSame)))
    fact = PairFact::same(type);
  if (left && right && left == right)
    return PairFact::constant(left);
  // The result of one side alone is known to the bit.
  if (left)
    fact = PairFact::sides(PairFact::constant(left), fact);
  if (right)
    fact = PairFact::sides(fact, PairFact::constant(right));
  return fact;
}

} // namespace npu
