// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/RandomExprs.h"

#include <cmath>
#include <limits>

namespace npu {
namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double smallest(ElementType type) {
  return type == ElementType::I8     ? -128.0
         : type == ElementType::I32  ? -2147483648.0
         : type == ElementType::Bool ? 1.0
                                     : -9223372036854775808.0;
}

double largest(ElementType type) {
  return type == ElementType::I8     ? 127.0
         : type == ElementType::I32  ? 2147483647.0
         : type == ElementType::Bool ? 0.0
                                     // The largest that a double has.
                                     : 9223372036854774784.0;
}
} // namespace

Combiner randomCombiner(RandomNumbers &random, ElementType type) {
  if (isFloat(type)) {
    const Combiner all[] = {{"arith.addf", 0},
                            {"arith.addf", -0.0},
                            {"arith.addf", 0},
                            {"arith.mulf", 1},
                            {"arith.maximumf", -kInfinity},
                            {"arith.minimumf", kInfinity},
                            {"arith.maxnumf", -kInfinity},
                            {"arith.minnumf", kInfinity}};
    return all[random.below(std::size(all))];
  }
  double ones = type == ElementType::Bool ? 1 : -1;
  const Combiner all[] = {{"arith.addi", 0},
                          {"arith.addi", 0},
                          {"arith.muli", 1},
                          {"arith.andi", ones},
                          {"arith.ori", 0},
                          {"arith.xori", 0},
                          {"arith.maxsi", smallest(type)},
                          {"arith.minsi", largest(type)},
                          {"arith.maxui", 0},
                          {"arith.minui", ones}};
  return all[random.below(std::size(all))];
}

std::vector<Expr> RandomExprs::inputsOf(ElementType type) const {
  std::vector<Expr> found;
  for (std::size_t i = 0; i < scope.inputs.size(); ++i)
    if (scope.inputs[i] == type)
      found.push_back({Expr::Input, type, "", static_cast<int64_t>(i)});
  if (scope.readsAccumulator && scope.accumulator == type)
    found.push_back(accumulator(type));
  return found;
}

Expr RandomExprs::special(ElementType type) {
  if (random.oneIn(3) &&
      (type == scope.favouriteType || std::fabs(scope.favourite) <= 1))
    return number(type, type == ElementType::Bool ? scope.favourite != 0
                                                  : scope.favourite);
  if (isFloat(type)) {
    if (scope.tame) {
      const double tame[] = {0, -0.0, 1, -1, 0.5, 2, -kInfinity, 0};
      return number(type, tame[random.below(std::size(tame))]);
    }
    const double all[] = {0,          -0.0,       1,         -1,   2,   0.5, 3,
                          -kInfinity, -kInfinity, kInfinity, kNaN, 100, -7};
    return number(type, all[random.below(std::size(all))]);
  }
  const double all[] = {0, 1, -1, 2, 3, 4, 7, 8, smallest(type), largest(type)};
  double value = all[random.below(std::size(all))];
  return number(type, type == ElementType::Bool
                          ? static_cast<double>(random.below(2))
                          : value);
}

Expr RandomExprs::leaf(ElementType type) {
  if (type == kIndex)
    return position(0);
  std::vector<Expr> inputs = inputsOf(type);
  if (!inputs.empty() && !random.oneIn(4))
    return inputs[random.below(std::ssize(inputs))];
  if (type != ElementType::Bool && type != ElementType::F16 && random.oneIn(4))
    return positionAs(type, position(0));
  return special(type);
}

Expr RandomExprs::any(ElementType type, int depth) {
  if (type == kIndex)
    return position(depth);
  if (depth <= 0)
    return type == ElementType::Bool && random.oneIn(2) ? mask() : leaf(type);
  if (type == ElementType::Bool)
    return truth(depth);
  if (random.oneIn(4))
    return leaf(type);
  if (random.oneIn(4)) {
    Expr condition = truth(depth - 1), yes = any(type, depth - 1);
    Expr chosen = choose(condition, yes, any(type, depth - 1));
    if (random.oneIn(4))
      chosen.form = Expr::If;
    return chosen;
  }
  if (!scope.tables.empty() && random.oneIn(8))
    return read(type, depth - 1);
  return isFloat(type) ? floating(type, depth) : integer(type, depth);
}

Expr RandomExprs::position(int depth) {
  auto loop = [&]() -> Expr {
    if (scope.loops.empty())
      return indexNumber(random.below(3));
    int64_t which = random.below(std::ssize(scope.loops));
    Expr index = npu::position(which);
    // A row that is counted without the offset is another number in a chunk:
    // mostly avoid it.
    if (which == scope.rowLoop && !random.oneIn(16))
      return simple("arith.addi", {index, {Expr::Offset, kIndex}});
    return index;
  };
  if (depth <= 0) {
    if (random.oneIn(5))
      return indexNumber(random.between(0, 5));
    if (scope.hasLength && random.oneIn(6))
      return {Expr::Length, kIndex};
    return loop();
  }
  Expr a = loop();
  switch (random.below(9)) {
  case 0:
  case 1:
    return simple("arith.addi", {a, indexNumber(random.between(1, 3))});
  case 2:
    return simple("arith.subi", {a, indexNumber(random.between(1, 3))});
  case 3:
    return simple("arith.subi", {a, position(depth - 1)});
  case 4:
    return simple("arith.addi", {a, position(depth - 1)});
  case 5: {
    std::string name = oneOf("arith.floordivsi", "arith.divsi", "arith.divui",
                             "arith.remsi", "arith.remui", "arith.ceildivsi");
    Expr divided = npu::division(name, a, indexNumber(random.between(1, 4)));
    if (random.oneIn(3))
      divided.operands[1] =
          simple("arith.addi", {position(0), number(kIndex, 1)});
    return divided;
  }
  case 6:
    return simple("arith.muli", {a, indexNumber(random.between(-1, 3))});
  case 7: {
    std::string name =
        oneOf("arith.maxsi", "arith.minsi", "arith.minui", "arith.maxui");
    return simple(name, {a, position(depth - 1)});
  }
  default:
    if (scope.hasLength)
      return simple("arith.subi", {{Expr::Length, kIndex}, a});
    return a;
  }
}

Expr RandomExprs::mask() {
  std::string predicate =
      oneOf("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
            "slt", "sle", "sgt", "sge");
  // Compare two plain loops.
  if (scope.loops.size() > 1 && scope.rowLoop < 0 && !random.oneIn(3)) {
    int64_t first = random.below(std::ssize(scope.loops));
    int64_t second = random.below(std::ssize(scope.loops) - 1);
    return comparison(predicate, npu::position(first),
                      {Expr::Loop, kIndex, "", second + (second >= first)});
  }
  int depth = random.oneIn(3) ? 1 : 0;
  Expr a = position(depth), b = position(random.oneIn(4) ? 1 : 0);
  if (a == b)
    b = position(1);
  if (random.oneIn(8))
    return comparison(predicate, positionAs(ElementType::I32, a),
                      positionAs(ElementType::I32, b));
  return comparison(predicate, a, b);
}

Expr RandomExprs::truth(int depth) {
  if (depth <= 0 || !random.oneIn(3))
    return mask();
  switch (random.below(6)) {
  case 0:
    return both(oneOf("arith.andi", "arith.ori", "arith.xori"),
                ElementType::Bool, depth);
  case 1:
    return simple("arith.xori",
                  {truth(depth - 1), number(ElementType::Bool, 1)});
  case 2:
    return leaf(ElementType::Bool);
  case 3: {
    Expr condition = truth(depth - 1), yes = truth(depth - 1);
    return choose(condition, yes, truth(depth - 1));
  }
  default: {
    // Compare data of a type that an input has.
    ElementType type =
        scope.inputs.empty()
            ? ElementType::I32
            : scope.inputs[random.below(std::ssize(scope.inputs))];
    if (type == ElementType::Bool)
      return leaf(type);
    std::string predicate =
        isFloat(type)
            ? oneOf("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq",
                    "ugt", "uge", "ult", "ule", "une", "uno")
            : oneOf("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ugt");
    Expr a = leaf(type);
    return comparison(predicate, a, any(type, depth - 2));
  }
  }
}

Expr RandomExprs::both(const std::string &name, ElementType type, int depth) {
  Expr a = any(type, depth - 1);
  return simple(name, {a, any(type, depth - 1)});
}

Expr RandomExprs::floating(ElementType type, int depth) {
  switch (random.below(10)) {
  case 0:
  case 1:
    return both(oneOf("arith.addf", "arith.subf"), type, depth);
  case 2:
    return both("arith.mulf", type, depth);
  case 3:
    return both("arith.divf", type, depth);
  case 4:
    return both(oneOf("arith.maximumf", "arith.minimumf", "arith.maxnumf",
                      "arith.minnumf"),
                type, depth);
  case 5:
  case 6: {
    std::string name = oneOf("math.exp", "math.log", "math.sqrt", "math.exp2",
                             "math.exp", "math.log");
    return simple(name, {any(type, depth - 1)});
  }
  case 7: {
    std::string name =
        oneOf("arith.negf", "math.absf", "math.floor", "math.ceil");
    return simple(name, {any(type, depth - 1)});
  }
  case 8: {
    if (type == ElementType::F32 && random.oneIn(2))
      return cast("arith.extf", type, any(ElementType::F16, depth - 1));
    if (type == ElementType::F16)
      return cast("arith.truncf", type, any(ElementType::F32, depth - 1));
    std::string name = oneOf("arith.sitofp", "arith.uitofp");
    return cast(name, type, any(ElementType::I32, depth - 1));
  }
  default:
    return afterMask(type, depth);
  }
}

Expr RandomExprs::afterMask(ElementType type, int depth) {
  Expr condition = mask(), entry = any(type, depth - 1);
  return choose(condition, entry, special(type));
}

Expr RandomExprs::division(ElementType type, int depth) {
  Expr divided =
      both(oneOf("arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
                 "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"),
           type, depth);
  divided.form = Expr::Divide;
  if (random.oneIn(3))
    divided.operands[0] = special(type);
  const double divisors[] = {1, 2, 3, 4, 7, 8, -2, -3};
  if (random.oneIn(2))
    divided.operands[1] =
        number(type, divisors[random.below(std::size(divisors))]);
  else if (random.oneIn(2))
    divided.operands[1] = positionAs(
        type, simple("arith.addi", {position(0), number(kIndex, 1)}));
  return divided;
}

Expr RandomExprs::integer(ElementType type, int depth) {
  switch (random.below(7)) {
  case 0:
    return both(oneOf("arith.addi", "arith.subi"), type, depth);
  case 1:
    return both("arith.muli", type, depth);
  case 2:
    return both(oneOf("arith.andi", "arith.ori", "arith.xori"), type, depth);
  case 3:
    return both(
        oneOf("arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui"), type,
        depth);
  case 4: {
    if (type == ElementType::I32 && random.oneIn(3))
      return cast("arith.fptosi", type, any(ElementType::F32, depth - 1));
    if (random.oneIn(2))
      return afterMask(type, depth);
    std::string name = oneOf("arith.extui", "arith.extsi");
    return cast(name, type, truth(depth - 1));
  }
  default:
    return division(type, depth);
  }
}

Expr RandomExprs::read(ElementType type, int depth) {
  std::vector<unsigned> fitting;
  for (unsigned table : scope.tables)
    if ((*scope.steps)[table].type == type)
      fitting.push_back(table);
  if (fitting.empty())
    return leaf(type);
  unsigned table = fitting[random.below(std::ssize(fitting))];
  Expr expr;
  expr.form = Expr::Extract;
  expr.type = type;
  expr.number = table;
  if (random.oneIn(3))
    expr.name = "guarded";
  for (std::size_t dim = 0; dim < (*scope.steps)[table].extents.size(); ++dim) {
    if (random.oneIn(3))
      expr.operands.push_back(indexNumber(random.below(2)));
    else if (random.oneIn(5))
      expr.operands.push_back(
          cast("arith.index_cast", kIndex, any(ElementType::I32, depth - 1)));
    else
      expr.operands.push_back(position(random.oneIn(2) ? 1 : 0));
  }
  return expr;
}

} // namespace npu
