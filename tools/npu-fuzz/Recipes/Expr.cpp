// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/Expr.h"

#include <algorithm>

namespace npu {

int64_t Extent::at(int64_t length) const {
  switch (kind) {
  case Fixed:
    return number;
  case Prompt:
    return length;
  case Falling:
    return number - length;
  case Multiple:
    return number * length;
  case Longer:
    return length + number;
  case Quotient:
    return length / number;
  case Remainder:
    return length % number;
  case AtLeast:
    return std::max(length, number);
  case AtMost:
    return std::min(length, number);
  case Linear:
    return factor * length + number;
  }
  return 0;
}

bool Expr::uses(Form wanted) const {
  bool found = false;
  walk([&](const Expr &each) { found |= each.form == wanted; });
  return found;
}

Expr number(ElementType type, double value) {
  Expr expr;
  expr.type = type;
  expr.value = value;
  return expr;
}

Expr input(ElementType type, int64_t number) {
  return {Expr::Input, type, "", number};
}

Expr position(int64_t loop) { return {Expr::Loop, kIndex, "", loop}; }

Expr accumulator(ElementType type, int64_t number) {
  return {Expr::Accumulator, type, "", number};
}

Expr simple(std::string name, std::vector<Expr> operands) {
  Expr expr;
  expr.form = Expr::Simple;
  expr.type = operands[0].type;
  expr.name = std::move(name);
  expr.operands = std::move(operands);
  return expr;
}

Expr division(std::string name, Expr dividend, Expr divisor) {
  Expr expr =
      simple(std::move(name), {std::move(dividend), std::move(divisor)});
  expr.form = Expr::Divide;
  return expr;
}

Expr choose(Expr condition, Expr yes, Expr no) {
  Expr expr;
  expr.form = Expr::Select;
  expr.type = yes.type;
  expr.operands = {std::move(condition), std::move(yes), std::move(no)};
  return expr;
}

Expr comparison(std::string predicate, Expr a, Expr b) {
  Expr expr;
  expr.form = Expr::Compare;
  expr.type = ElementType::Bool;
  expr.name = std::move(predicate);
  expr.operands = {std::move(a), std::move(b)};
  return expr;
}

Expr cast(std::string name, ElementType type, Expr operand) {
  Expr expr;
  expr.form = Expr::Cast;
  expr.type = type;
  expr.name = std::move(name);
  expr.operands = {std::move(operand)};
  return expr;
}

Expr positionAs(ElementType type, Expr position) {
  if (isFloat(type))
    return cast(
        "arith.sitofp", type,
        cast("arith.index_cast", ElementType::I32, std::move(position)));
  return cast("arith.index_cast", type, std::move(position));
}

bool LoopNest::reduces() const {
  return std::any_of(loops.begin(), loops.end(),
                     [](const Loop &loop) { return loop.reduces; });
}

bool LoopNest::usesAccumulator() const {
  return std::any_of(bodies.begin(), bodies.end(), [](const Expr &body) {
    return body.uses(Expr::Accumulator);
  });
}

std::vector<AffineIndex> plainIndices(std::span<const int64_t> loops) {
  std::vector<AffineIndex> map;
  for (int64_t loop : loops)
    map.push_back({AffineIndex::Plain, loop});
  return map;
}

std::vector<int64_t> others(int64_t rank, std::span<const int64_t> dims) {
  std::vector<int64_t> found;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (std::find(dims.begin(), dims.end(), dim) == dims.end())
      found.push_back(dim);
  return found;
}

std::vector<AffineIndex> plainIndices(std::size_t loops) {
  return plainIndices(identityPermutation(loops).span());
}

} // namespace npu
