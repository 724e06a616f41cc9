// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/ElementwiseRows.h"

#include <algorithm>
#include <cmath>

namespace npu {
namespace {

double same(double a, double) { return a; }
double larger(double a, double b) { return std::max(a, b); }
double sum(double a, double b) { return a + b; }
double product(double a, double b) { return a * b; }
double exponential(double a, double) { return std::exp(a); }
double one(double, double) { return 1; }
double wraps(double, double) { return 0x1p63; }

constexpr ElementwiseRow kFloatUnary[] = {
    {"arith.negf", "linalg.negf", true, same},
    {"math.absf", "linalg.abs", true, same},
    {"math.floor", "linalg.floor", true, sum},
    {"math.exp", "linalg.exp", false, exponential},
    {"math.tanh", "linalg.tanh", false, one},
    {"math.erf", "linalg.erf", false, one},
    {"math.sin", nullptr, false, one},
};
constexpr ElementwiseRow kIntegerUnary[] = {
    {"math.absi", nullptr, true, same},
    {"math.ctpop", nullptr, true, wraps},
};
constexpr ElementwiseRow kFloatBinary[] = {
    {"arith.addf", "linalg.add", true, sum},
    {"arith.subf", "linalg.sub", true, sum},
    {"arith.mulf", "linalg.mul", true, product},
    {"arith.maximumf", "linalg.max", true, larger},
    {"arith.minimumf", "linalg.min", true, larger},
    {"arith.divf", "linalg.div", false, product},
};
constexpr ElementwiseRow kIntegerBinary[] = {
    {"arith.addi", "linalg.add", true, wraps},
    {"arith.subi", "linalg.sub", true, wraps},
    {"arith.muli", "linalg.mul", true, wraps},
    {"arith.maxsi", "linalg.max", true, larger},
    {"arith.minsi", "linalg.min", true, larger},
    {"arith.xori", nullptr, true, wraps},
};

} // namespace

std::span<const ElementwiseRow> rowsFor(ElementType type, bool binary) {
  if (isFloat(type))
    return binary ? std::span<const ElementwiseRow>(kFloatBinary) : kFloatUnary;
  return binary ? std::span<const ElementwiseRow>(kIntegerBinary)
                : kIntegerUnary;
}

const ElementwiseRow *rowNamed(std::string_view op) {
  static constexpr ElementwiseRow kLogic[] = {
      {"arith.andi", nullptr, true, wraps},
      {"arith.ori", nullptr, true, wraps}};
  for (std::span<const ElementwiseRow> rows :
       {std::span<const ElementwiseRow>(kFloatUnary),
        std::span<const ElementwiseRow>(kIntegerUnary),
        std::span<const ElementwiseRow>(kFloatBinary),
        std::span<const ElementwiseRow>(kIntegerBinary),
        std::span<const ElementwiseRow>(kLogic)})
    for (const ElementwiseRow &row : rows)
      if (op == row.op)
        return &row;
  return nullptr;
}

bool isExtremum(std::string_view op) {
  return op.starts_with("arith.max") || op.starts_with("arith.min");
}

} // namespace npu
