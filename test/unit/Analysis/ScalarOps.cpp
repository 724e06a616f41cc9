// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// As an integer of the operation's result type holds it.
Scalar wrapped(Operation &op, __int128 number) {
  Type type = op.getResult(0).getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto bits = static_cast<uint64_t>(number);
  return {.i = static_cast<int64_t>(bits << (64 - width)) >> (64 - width)};
}

float larger(float a, float b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

float maximum(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? NAN : larger(a, b);
}

float maximumNumber(float a, float b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : larger(a, b);
}

bool compares(arith::CmpFPredicate predicate, float a, float b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return a < b || a > b;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return !(a == b);
  }
  return false;
}

void checkDivision(const Scalar &a, const Scalar &b, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (b.i == 0)
    throw Trap("a division by zero");
  if (b.i == -1 && a.i == -(int64_t(1) << (width - 1)))
    throw Trap("a division that overflows");
}

} // namespace

Scalar computeScalar(Operation &op, ArrayRef<Scalar> x) {
  auto real = [](float f) { return Scalar{.f = f}; };
  auto integer = [&](__int128 number) { return wrapped(op, number); };
  using S = Scalar;
  return TypeSwitch<Operation *, Scalar>(&op)
      .Case([&](arith::AddFOp) { return real(x[0].f + x[1].f); })
      .Case([&](arith::SubFOp) { return real(x[0].f - x[1].f); })
      .Case([&](arith::MulFOp) { return real(x[0].f * x[1].f); })
      .Case([&](arith::DivFOp) { return real(x[0].f / x[1].f); })
      .Case([&](arith::NegFOp) { return real(-x[0].f); })
      .Case([&](arith::MaximumFOp) { return real(maximum(x[0].f, x[1].f)); })
      .Case([&](arith::MinimumFOp) { return real(-maximum(-x[0].f, -x[1].f)); })
      .Case(
          [&](arith::MaxNumFOp) { return real(maximumNumber(x[0].f, x[1].f)); })
      .Case([&](arith::MinNumFOp) {
        return real(-maximumNumber(-x[0].f, -x[1].f));
      })
      .Case([&](math::AbsFOp) { return real(std::fabs(x[0].f)); })
      .Case([&](math::ExpOp) { return real(std::exp(x[0].f)); })
      .Case([&](math::LogOp) { return real(std::log(x[0].f)); })
      .Case([&](math::SqrtOp) { return real(std::sqrt(x[0].f)); })
      .Case([&](math::RsqrtOp) { return real(1 / std::sqrt(x[0].f)); })
      .Case([&](math::TanhOp) { return real(std::tanh(x[0].f)); })
      .Case([&](math::CosOp) { return real(std::cos(x[0].f)); })
      .Case([&](math::SinOp) { return real(std::sin(x[0].f)); })
      .Case([&](math::FloorOp) { return real(std::floor(x[0].f)); })
      .Case([&](math::CeilOp) { return real(std::ceil(x[0].f)); })
      .Case([&](arith::SIToFPOp) { return real(static_cast<float>(x[0].i)); })
      .Case([&](arith::UIToFPOp convert) {
        bool one = convert.getIn().getType().isInteger(1);
        return real(one ? float(x[0].i & 1)
                        : static_cast<float>(static_cast<uint32_t>(x[0].i)));
      })
      .Case([&](arith::CmpFOp compare) {
        return integer(-compares(compare.getPredicate(), x[0].f, x[1].f));
      })
      .Case([&](arith::CmpIOp compare) {
        Type type = compare.getLhs().getType();
        unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
        return integer(-arith::applyCmpPredicate(
            compare.getPredicate(), llvm::APInt(width, x[0].i, true, true),
            llvm::APInt(width, x[1].i, true, true)));
      })
      .Case([&](arith::SelectOp) { return S(x[0].i != 0 ? x[1] : x[2]); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto) { return integer(x[0].i); })
      .Case([&](arith::AddIOp) { return integer(__int128(x[0].i) + x[1].i); })
      .Case([&](arith::SubIOp) { return integer(__int128(x[0].i) - x[1].i); })
      .Case([&](arith::MulIOp) { return integer(__int128(x[0].i) * x[1].i); })
      .Case([&](arith::AndIOp) { return integer(x[0].i & x[1].i); })
      .Case([&](arith::OrIOp) { return integer(x[0].i | x[1].i); })
      .Case([&](arith::XOrIOp) { return integer(x[0].i ^ x[1].i); })
      .Case([&](arith::MaxSIOp) { return integer(std::max(x[0].i, x[1].i)); })
      .Case([&](arith::MinSIOp) { return integer(std::min(x[0].i, x[1].i)); })
      .Case([&](arith::DivSIOp divide) {
        checkDivision(x[0], x[1], divide.getType());
        return integer(x[0].i / x[1].i);
      })
      .Case([&](arith::RemSIOp divide) {
        checkDivision(x[0], x[1], divide.getType());
        return integer(x[0].i % x[1].i);
      })
      .Case([&](arith::FloorDivSIOp divide) {
        checkDivision(x[0], x[1], divide.getType());
        int64_t quotient = x[0].i / x[1].i;
        bool below = x[0].i % x[1].i != 0 && (x[0].i < 0) != (x[1].i < 0);
        return integer(quotient - below);
      })
      .Default([](Operation *other) -> Scalar {
        throw std::logic_error("no meaning for " +
                               other->getName().getStringRef().str());
      });
}

} // namespace npu
