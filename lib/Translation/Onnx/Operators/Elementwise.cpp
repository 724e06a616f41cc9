// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparisons, logic and functions of single numbers. Operands of
// all are broadcast as NumPy does.

#include "../Graph/OperatorTable.h"
#include "FoldIntoWeights.h"

using namespace mlir;

namespace npu {
namespace {

//===----------------------------------------------------------------------===//
// Two operands of one type, or several
//===----------------------------------------------------------------------===//

using Member = Value (ScalarBuilder::*)(Value, Value);

template <Member member>
LogicalResult buildBinary(NodeImport &node) {
  Value result = node.operand(0).value;
  for (unsigned next = 1; result && next < node.operandCount(); ++next) {
    if (!node.has(next))
      return node.error() << "expected operand #" << next;
    result = node.build.map(
        {result, node.operand(next).value}, node.operand(0).elementType(),
        [](ScalarBuilder &s, ValueRange v) { return (s.*member)(v[0], v[1]); });
  }
  return node.setResult(0, result);
}

/// The same, where it is not the end of a convolution.
template <Member member>
LogicalResult buildArithmetic(NodeImport &node) {
  FailureOr<bool> folded = foldArithmetic(node);
  if (failed(folded))
    return failure();
  return *folded ? success() : buildBinary<member>(node);
}

LogicalResult buildMean(NodeImport &node) {
  Value result = node.operand(0).value;
  Type type = node.operand(0).elementType();
  for (unsigned next = 1; result && next < node.operandCount(); ++next) {
    if (!node.has(next))
      return node.error() << "expected operand #" << next;
    result = node.build.map(
        {result, node.operand(next).value}, type,
        [](ScalarBuilder &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  if (!result)
    return node.setResult(0, result);
  double count = node.operandCount();
  return node.setResult(
      0, node.build.map(result, type, [&](ScalarBuilder &s, ValueRange v) {
        return s.div(v[0], s.constant(type, count));
      }));
}

template <Comparison kind>
LogicalResult buildCompare(NodeImport &node) {
  return node.setMapped(
      [](ScalarBuilder &s, ValueRange v) {
        return s.compare(kind, v[0], v[1]);
      },
      OnnxElement::Bool);
}

/// And, Or, Xor of booleans, and the same of integers bit by bit.
template <typename Op>
LogicalResult buildLogic(NodeImport &node) {
  return node.setMapped(
      [](ScalarBuilder &s, ValueRange v) { return s.create<Op>(v[0], v[1]); });
}

LogicalResult buildNot(NodeImport &node) {
  return node.setMapped([](ScalarBuilder &s, ValueRange v) {
    return s.create<arith::XOrIOp>(v[0], s.integer(v[0].getType(), -1));
  });
}

LogicalResult buildBitShift(NodeImport &node) {
  bool left = node.text("direction", "") == "LEFT";
  Type type = node.operand(0).elementType();
  unsigned width = type.getIntOrFloatBitWidth();
  return node.setMapped([&](ScalarBuilder &s, ValueRange v) {
    // A shift by all bits or more leaves none.
    Value bits = s.integer(type, width);
    Value fits = s.compare(Comparison::Less, v[1], bits);
    Value zero = s.integer(type, 0);
    Value by = s.select(fits, v[1], zero);
    Value moved = left ? s.create<arith::ShLIOp>(v[0], by)
                       : s.create<arith::ShRUIOp>(v[0], by);
    return s.select(fits, moved, zero);
  });
}

/// Mod: the divisor's sign for integers, the dividend's with fmod.
LogicalResult buildMod(NodeImport &node) {
  Type type = node.operand(0).elementType();
  bool fmod = node.integer("fmod", 0) != 0;
  if (!fmod && isa<FloatType>(type))
    return node.error() << "expected fmod = 1 for floats";
  bool isSigned = !isUnsigned(node.operand(0).element);
  return node.setMapped([&](ScalarBuilder &s, ValueRange v) {
    Value rest = s.rem(v[0], v[1]);
    if (fmod || !isSigned)
      return rest;
    Value zero = s.integer(type, 0);
    Value isNegative = s.compare(Comparison::Less, rest, zero);
    Value divisorIs = s.compare(Comparison::Less, v[1], zero);
    Value differ = s.create<arith::XOrIOp>(isNegative, divisorIs);
    Value isNot = s.compare(Comparison::NotEqual, rest, zero);
    Value turns = s.create<arith::AndIOp>(differ, isNot);
    return s.select(turns, s.add(rest, v[1]), rest);
  });
}

/// Pow: base and exponent may have different types; the result has the base's.
LogicalResult buildPow(NodeImport &node) {
  const OnnxTensor &base = node.operand(0), &exponent = node.operand(1);
  Type type = base.elementType();
  // Integers take the way through the wider float.
  Type computed = isa<FloatType>(type) ? type : node.build.builder.getF64Type();
  OnnxElement computedElement =
      isa<FloatType>(type) ? base.element : OnnxElement::Double;
  Value power =
      node.build.convert(exponent.value, exponent.element, computedElement);
  std::optional<SmallVector<double>> constants =
      TensorBuilder::numbersOf(power);
  bool isSquare = constants && constants->size() == 1 && (*constants)[0] == 2;
  Value result = node.build.map(
      {base.value, power}, type, [&](ScalarBuilder &s, ValueRange v) {
        if (isSquare)
          return s.mul(v[0], v[0]);
        ScalarBuilder wide(s.builder, s.loc, computedElement);
        Value number = s.cast(v[0], computedElement);
        Value raised = s.create<math::PowFOp>(number, v[1]);
        return type == computed ? raised : wide.cast(raised, base.element);
      });
  return node.setResult(0, result);
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

template <typename Op>
LogicalResult buildMath(NodeImport &node) {
  return node.setMapped(
      [](ScalarBuilder &s, ValueRange v) { return s.create<Op>(v[0]); });
}

/// Rounding leaves integers as they are.
template <typename Op>
LogicalResult buildRounding(NodeImport &node) {
  if (!isa<FloatType>(node.operand(0).elementType()))
    return node.setResult(0, node.operand(0).value);
  return buildMath<Op>(node);
}

using Unary = Value (ScalarBuilder::*)(Value);

template <Unary member>
LogicalResult buildUnary(NodeImport &node) {
  return node.setMapped(
      [](ScalarBuilder &s, ValueRange v) { return (s.*member)(v[0]); });
}

LogicalResult buildReciprocal(NodeImport &node) {
  return node.setMapped([](ScalarBuilder &s, ValueRange v) {
    return s.div(s.constant(v[0].getType(), 1), v[0]);
  });
}

LogicalResult buildSign(NodeImport &node) {
  Type type = node.operand(0).elementType();
  return node.setMapped([&](ScalarBuilder &s, ValueRange v) {
    Value zero = s.constant(type, 0), one = s.constant(type, 1);
    Value above = s.compare(Comparison::Greater, v[0], zero);
    Value sign = s.select(above, one, zero);
    if (isUnsigned(node.operand(0).element))
      return sign;
    Value below = s.compare(Comparison::Less, v[0], zero);
    sign = s.select(below, s.constant(type, -1), sign);
    if (!isFloat(node.operand(0).element))
      return sign;
    // NaN has no sign, and stays.
    Value isNumber =
        s.create<arith::CmpFOp>(arith::CmpFPredicate::ORD, v[0], v[0]);
    return s.select(isNumber, sign, v[0]);
  });
}

LogicalResult buildIsNan(NodeImport &node) {
  return node.setMapped(
      [](ScalarBuilder &s, ValueRange v) {
        return s.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, v[0], v[0]);
      },
      OnnxElement::Bool);
}

LogicalResult buildIsInf(NodeImport &node) {
  Type type = node.operand(0).elementType();
  bool below = node.integer("detect_negative", 1) != 0;
  bool above = node.integer("detect_positive", 1) != 0;
  return node.setMapped(
      [&](ScalarBuilder &s, ValueRange v) {
        Value found = s.integer(s.builder.getI1Type(), 0);
        if (below)
          found = s.create<arith::OrIOp>(
              found, s.compare(Comparison::Equal, v[0], s.lowest(type)));
        if (above)
          found = s.create<arith::OrIOp>(
              found, s.compare(Comparison::Equal, v[0], s.highest(type)));
        return found;
      },
      OnnxElement::Bool);
}

LogicalResult buildWhere(NodeImport &node) {
  return node.setMapped(
      [](ScalarBuilder &s, ValueRange v) { return s.select(v[0], v[1], v[2]); },
      node.operand(1).element);
}

LogicalResult buildIdentity(NodeImport &node) {
  return node.setResult(0, node.operand(0).value);
}

/// Identity: numbers are only dropped while a network is trained.
LogicalResult buildDropout(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (node.has(2)) {
    FailureOr<SmallVector<int64_t>> isTraining =
        node.constantIntegers(2, "training_mode");
    if (failed(isTraining))
      return failure();
    bool drops = !isTraining->empty() && isTraining->front() != 0;
    if (drops && node.has(1)) {
      FailureOr<SmallVector<double>> ratio =
          node.constantNumbers(1, "the ratio");
      if (failed(ratio))
        return failure();
      drops = ratio->empty() || ratio->front() != 0;
    }
    if (drops)
      return node.error() << "out of scope: random numbers, which its "
                             "training_mode asks for";
  }
  if (failed(node.setResult(0, x.value)))
    return failure();
  if (!node.wants(1))
    return success();
  Type boolean = node.build.builder.getI1Type();
  Value yes = node.build.scalar(boolean, 1);
  return node.setResult(1, node.build.filled(node.build.sizes(x.value), yes),
                        OnnxElement::Bool);
}

LogicalResult buildCast(NodeImport &node) {
  int64_t number = node.integer("to", 0);
  std::optional<OnnxElement> to = onnxElement(number);
  if (!to)
    return node.error() << "out of scope: a cast to "
                        << onnxElementName(number);
  const OnnxTensor &operand = node.operand(0);
  return node.setResult(
      0, node.build.convert(operand.value, operand.element, *to), *to);
}

LogicalResult buildCastLike(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  OnnxElement to = node.operand(1).element;
  return node.setResult(
      0, node.build.convert(operand.value, operand.element, to), to);
}

} // namespace

void addElementwise(OperatorTable &table) {
  table.add("Add", 2, buildArithmetic<&ScalarBuilder::add>);
  table.add("Sub", 2, buildArithmetic<&ScalarBuilder::sub>);
  table.add("Mul", 2, buildArithmetic<&ScalarBuilder::mul>);
  table.add("Div", 2, buildArithmetic<&ScalarBuilder::div>);
  table.add("Sum", 1, buildBinary<&ScalarBuilder::add>);
  table.add("Max", 1, buildBinary<&ScalarBuilder::max>);
  table.add("Min", 1, buildBinary<&ScalarBuilder::min>);
  table.add("Mean", 1, buildMean);
  table.add("Mod", 2, buildMod);
  table.add("Pow", 2, buildPow);
  table.add("Equal", 2, buildCompare<Comparison::Equal>);
  table.add("Less", 2, buildCompare<Comparison::Less>);
  table.add("LessOrEqual", 2, buildCompare<Comparison::LessEqual>);
  table.add("Greater", 2, buildCompare<Comparison::Greater>);
  table.add("GreaterOrEqual", 2, buildCompare<Comparison::GreaterEqual>);
  table.add("And", 2, buildLogic<arith::AndIOp>);
  table.add("Or", 2, buildLogic<arith::OrIOp>);
  table.add("Xor", 2, buildLogic<arith::XOrIOp>);
  table.add("BitwiseAnd", 2, buildLogic<arith::AndIOp>);
  table.add("BitwiseOr", 2, buildLogic<arith::OrIOp>);
  table.add("BitwiseXor", 2, buildLogic<arith::XOrIOp>);
  table.add("BitwiseNot", 1, buildNot);
  table.add("Not", 1, buildNot);
  table.add("BitShift", 2, buildBitShift);
  table.add("Where", 3, buildWhere);
  table.add("Identity", 1, buildIdentity);

  table.add("Abs", 1, buildUnary<&ScalarBuilder::abs>);
  table.add("Neg", 1, buildUnary<&ScalarBuilder::neg>);
  table.add("Sign", 1, buildSign);
  table.add("Reciprocal", 1, buildReciprocal);
  table.add("IsNaN", 1, buildIsNan);
  table.add("IsInf", 1, buildIsInf);
  table.add("Ceil", 1, buildRounding<math::CeilOp>);
  table.add("Floor", 1, buildRounding<math::FloorOp>);
  table.add("Round", 1, buildRounding<math::RoundEvenOp>);
  table.add("Sqrt", 1, buildMath<math::SqrtOp>);
  table.add("Exp", 1, buildMath<math::ExpOp>);
  table.add("Log", 1, buildMath<math::LogOp>);
  table.add("Erf", 1, buildMath<math::ErfOp>);
  table.add("Sin", 1, buildMath<math::SinOp>);
  table.add("Cos", 1, buildMath<math::CosOp>);
  table.add("Tan", 1, buildMath<math::TanOp>);
  table.add("Asin", 1, buildMath<math::AsinOp>);
  table.add("Acos", 1, buildMath<math::AcosOp>);
  table.add("Atan", 1, buildMath<math::AtanOp>);
  table.add("Sinh", 1, buildMath<math::SinhOp>);
  table.add("Cosh", 1, buildMath<math::CoshOp>);
  table.add("Tanh", 1, buildMath<math::TanhOp>);
  table.add("Asinh", 1, buildMath<math::AsinhOp>);
  table.add("Acosh", 1, buildMath<math::AcoshOp>);
  table.add("Atanh", 1, buildMath<math::AtanhOp>);
  table.add("Dropout", 1, buildDropout);
  table.add("Cast", 1, buildCast);
  table.add("CastLike", 2, buildCastLike);
}

} // namespace npu
