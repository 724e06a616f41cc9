// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/ElementwiseRows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace npu {
namespace {

double same(double a, double) { return a; }
double larger(double a, double b) { return std::max(a, b); }
double sum(double a, double b) { return a + b; }
double product(double a, double b) { return a * b; }
double oneMore(double a, double) { return a + 1; }
double exponential(double a, double) { return std::exp(a); }
double one(double, double) { return 1; }
double wraps(double, double) { return 0x1p63; }

constexpr ElementwiseRow kFloatUnary[] = {
    {"arith.negf", buildNamed<linalg::NegFOp>, true, same},
    {"math.absf", buildNamed<linalg::AbsOp>, true, same},
    {"math.floor", buildNamed<linalg::FloorOp>, true, oneMore},
    {"math.exp", buildNamed<linalg::ExpOp>, false, exponential},
    {"math.tanh", buildNamed<linalg::TanhOp>, false, one},
    {"math.erf", buildNamed<linalg::ErfOp>, false, one},
    {"math.sin", nullptr, false, one},
};
constexpr ElementwiseRow kIntegerUnary[] = {
    {"math.absi", nullptr, true, same},
    {"math.ctpop", nullptr, true, wraps},
};
constexpr ElementwiseRow kFloatBinary[] = {
    {"arith.addf", buildNamed<linalg::AddOp>, true, sum},
    {"arith.subf", buildNamed<linalg::SubOp>, true, sum},
    {"arith.mulf", buildNamed<linalg::MulOp>, true, product},
    {"arith.maximumf", buildNamed<linalg::MaxOp>, true, larger},
    {"arith.minimumf", buildNamed<linalg::MinOp>, true, larger},
    {"arith.divf", buildNamed<linalg::DivOp>, false, product},
};
constexpr ElementwiseRow kIntegerBinary[] = {
    {"arith.addi", buildNamed<linalg::AddOp>, true, wraps},
    {"arith.subi", buildNamed<linalg::SubOp>, true, wraps},
    {"arith.muli", buildNamed<linalg::MulOp>, true, wraps},
    {"arith.maxsi", buildNamed<linalg::MaxOp>, true, larger},
    {"arith.minsi", buildNamed<linalg::MinOp>, true, larger},
    {"arith.xori", nullptr, true, wraps},
};
/// Operations that have a bound, but are no rows to choose from.
constexpr ElementwiseRow kOthers[] = {
    {"arith.andi", nullptr, true, wraps},
    {"arith.ori", nullptr, true, wraps},
    {"linalg.softmax", nullptr, false, one},
    {"tosa.add", nullptr, true, sum},
    {"tosa.sub", nullptr, true, sum},
    {"tosa.ceil", nullptr, true, oneMore},
    {"tosa.floor", nullptr, true, oneMore},
    {"tosa.sigmoid", nullptr, false, one},
    {"tosa.tanh", nullptr, false, one},
    {"tosa.erf", nullptr, false, one},
};

} // namespace

std::span<const ElementwiseRow> rowsFor(ElementType type, bool binary) {
  if (isFloat(type))
    return binary ? std::span<const ElementwiseRow>(kFloatBinary) : kFloatUnary;
  return binary ? std::span<const ElementwiseRow>(kIntegerBinary)
                : kIntegerUnary;
}

const ElementwiseRow *rowNamed(std::string_view op) {
  for (std::span<const ElementwiseRow> rows :
       {std::span<const ElementwiseRow>(kFloatUnary),
        std::span<const ElementwiseRow>(kIntegerUnary),
        std::span<const ElementwiseRow>(kFloatBinary),
        std::span<const ElementwiseRow>(kIntegerBinary),
        std::span<const ElementwiseRow>(kOthers)})
    for (const ElementwiseRow &row : rows)
      if (op == row.op)
        return &row;
  return nullptr;
}

bool isExtremum(std::string_view op) {
  return op.starts_with("arith.max") || op.starts_with("arith.min");
}

} // namespace npu
