// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/RandomExprs.h"

#include <cmath>
#include <limits>

namespace npu {
namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double smallest(BodyType type) {
  return type == BodyType::I8    ? -128.0
         : type == BodyType::I32 ? -2147483648.0
         : type == BodyType::I1  ? 1.0
                                 : -9223372036854775808.0;
}

double largest(BodyType type) {
  return type == BodyType::I8    ? 127.0
         : type == BodyType::I32 ? 2147483647.0
         : type == BodyType::I1  ? 0.0
                                 // The largest that a double has.
                                 : 9223372036854774784.0;
}
} // namespace

Combiner randomCombiner(RandomNumbers &random, BodyType type) {
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
  double ones = type == BodyType::I1 ? 1 : -1;
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

std::vector<BodyExpr> RandomExprs::inputsOf(BodyType type) const {
  std::vector<BodyExpr> found;
  for (std::size_t i = 0; i < scope.inputs.size(); ++i)
    if (scope.inputs[i] == type)
      found.push_back({BodyExpr::Input, type, "", static_cast<int64_t>(i)});
  if (scope.readsAccumulator && scope.accumulator == type)
    found.push_back({BodyExpr::Accumulator, type});
  return found;
}

BodyExpr RandomExprs::special(BodyType type) {
  if (random.oneIn(3) &&
      (type == scope.favouriteType || std::fabs(scope.favourite) <= 1))
    return number(type, type == BodyType::I1 ? scope.favourite != 0
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
  return number(type, type == BodyType::I1
                          ? static_cast<double>(random.below(2))
                          : value);
}

BodyExpr RandomExprs::leaf(BodyType type) {
  if (type == BodyType::Index)
    return position(0);
  std::vector<BodyExpr> inputs = inputsOf(type);
  if (!inputs.empty() && !random.oneIn(4))
    return inputs[random.below(std::ssize(inputs))];
  if (type != BodyType::I1 && type != BodyType::F16 && random.oneIn(4))
    return positionAs(type, position(0));
  return special(type);
}

BodyExpr RandomExprs::any(BodyType type, int depth) {
  if (type == BodyType::Index)
    return position(depth);
  if (depth <= 0)
    return type == BodyType::I1 && random.oneIn(2) ? mask() : leaf(type);
  if (type == BodyType::I1)
    return truth(depth);
  if (random.oneIn(4))
    return leaf(type);
  if (random.oneIn(4)) {
    BodyExpr condition = truth(depth - 1), yes = any(type, depth - 1);
    BodyExpr chosen = choose(condition, yes, any(type, depth - 1));
    if (random.oneIn(4))
      chosen.form = BodyExpr::If;
    return chosen;
  }
  if (!scope.tables.empty() && random.oneIn(8))
    return read(type, depth - 1);
  return isFloat(type) ? floating(type, depth) : integer(type, depth);
}

BodyExpr RandomExprs::position(int depth) {
  auto loop = [&]() -> BodyExpr {
    if (scope.loops.empty())
      return indexNumber(random.below(3));
    int64_t which = random.below(std::ssize(scope.loops));
    BodyExpr index{BodyExpr::Loop, BodyType::Index, "", which};
    // A row that is counted without the offset is another number in a chunk:
    // mostly avoid it.
    if (which == scope.rowLoop && !random.oneIn(16))
      return simple("arith.addi", {index, {BodyExpr::Offset, BodyType::Index}});
    return index;
  };
  if (depth <= 0) {
    if (random.oneIn(5))
      return indexNumber(random.between(0, 5));
    if (scope.hasLength && random.oneIn(6))
      return {BodyExpr::Length, BodyType::Index};
    return loop();
  }
  BodyExpr a = loop();
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
    BodyExpr divided = simple(name, {a, indexNumber(random.between(1, 4))});
    divided.form = BodyExpr::Divide;
    if (random.oneIn(3))
      divided.operands[1] =
          simple("arith.addi", {position(0), number(BodyType::Index, 1)});
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
      return simple("arith.subi", {{BodyExpr::Length, BodyType::Index}, a});
    return a;
  }
}

BodyExpr RandomExprs::mask() {
  std::string predicate =
      oneOf("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
            "slt", "sle", "sgt", "sge");
  // Compare two plain loops.
  if (scope.loops.size() > 1 && scope.rowLoop < 0 && !random.oneIn(3)) {
    int64_t first = random.below(std::ssize(scope.loops));
    int64_t second = random.below(std::ssize(scope.loops) - 1);
    return comparison(
        predicate, {BodyExpr::Loop, BodyType::Index, "", first},
        {BodyExpr::Loop, BodyType::Index, "", second + (second >= first)});
  }
  int depth = random.oneIn(3) ? 1 : 0;
  BodyExpr a = position(depth), b = position(random.oneIn(4) ? 1 : 0);
  if (a == b)
    b = position(1);
  if (random.oneIn(8))
    return comparison(predicate, positionAs(BodyType::I32, a),
                      positionAs(BodyType::I32, b));
  return comparison(predicate, a, b);
}

BodyExpr RandomExprs::truth(int depth) {
  if (depth <= 0 || !random.oneIn(3))
    return mask();
  switch (random.below(6)) {
  case 0:
    return both(oneOf("arith.andi", "arith.ori", "arith.xori"), BodyType::I1,
                depth);
  case 1:
    return simple("arith.xori", {truth(depth - 1), number(BodyType::I1, 1)});
  case 2:
    return leaf(BodyType::I1);
  case 3: {
    BodyExpr condition = truth(depth - 1), yes = truth(depth - 1);
    return choose(condition, yes, truth(depth - 1));
  }
  default: {
    // Compare data of a type that an input has.
    BodyType type = scope.inputs.empty()
                        ? BodyType::I32
                        : scope.inputs[random.below(std::ssize(scope.inputs))];
    if (type == BodyType::I1)
      return leaf(type);
    std::string predicate =
        isFloat(type)
            ? oneOf("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq",
                    "ugt", "uge", "ult", "ule", "une", "uno")
            : oneOf("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ugt");
    BodyExpr a = leaf(type);
    return comparison(predicate, a, any(type, depth - 2));
  }
  }
}

BodyExpr RandomExprs::both(const std::string &name, BodyType type, int depth) {
  BodyExpr a = any(type, depth - 1);
  return simple(name, {a, any(type, depth - 1)});
}

BodyExpr RandomExprs::floating(BodyType type, int depth) {
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
    if (type == BodyType::F32 && random.oneIn(2))
      return cast("arith.extf", type, any(BodyType::F16, depth - 1));
    if (type == BodyType::F16)
      return cast("arith.truncf", type, any(BodyType::F32, depth - 1));
    std::string name = oneOf("arith.sitofp", "arith.uitofp");
    return cast(name, type, any(BodyType::I32, depth - 1));
  }
  default:
    return behindMask(type, depth);
  }
}

BodyExpr RandomExprs::behindMask(BodyType type, int depth) {
  BodyExpr condition = mask(), entry = any(type, depth - 1);
  return choose(condition, entry, special(type));
}

BodyExpr RandomExprs::division(BodyType type, int depth) {
  BodyExpr divided =
      both(oneOf("arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
                 "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"),
           type, depth);
  divided.form = BodyExpr::Divide;
  if (random.oneIn(3))
    divided.operands[0] = special(type);
  const double divisors[] = {1, 2, 3, 4, 7, 8, -2, -3};
  if (random.oneIn(2))
    divided.operands[1] =
        number(type, divisors[random.below(std::size(divisors))]);
  else if (random.oneIn(2))
    divided.operands[1] = positionAs(
        type, simple("arith.addi", {position(0), number(BodyType::Index, 1)}));
  return divided;
}

BodyExpr RandomExprs::integer(BodyType type, int depth) {
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
    if (type == BodyType::I32 && random.oneIn(3))
      return cast("arith.fptosi", type, any(BodyType::F32, depth - 1));
    if (random.oneIn(2))
      return behindMask(type, depth);
    std::string name = oneOf("arith.extui", "arith.extsi");
    return cast(name, type, truth(depth - 1));
  }
  default:
    return division(type, depth);
  }
}

BodyExpr RandomExprs::read(BodyType type, int depth) {
  std::vector<unsigned> fitting;
  for (unsigned table : scope.tables)
    if ((*scope.steps)[table].type == type)
      fitting.push_back(table);
  if (fitting.empty())
    return leaf(type);
  unsigned table = fitting[random.below(std::ssize(fitting))];
  BodyExpr expr;
  expr.form = BodyExpr::Extract;
  expr.type = type;
  expr.number = table;
  if (random.oneIn(3))
    expr.name = "guarded";
  for (std::size_t dim = 0; dim < (*scope.steps)[table].shape.size(); ++dim) {
    if (random.oneIn(3))
      expr.operands.push_back(indexNumber(random.below(2)));
    else if (random.oneIn(5))
      expr.operands.push_back(cast("arith.index_cast", BodyType::Index,
                                   any(BodyType::I32, depth - 1)));
    else
      expr.operands.push_back(position(random.oneIn(2) ? 1 : 0));
  }
  return expr;
}

} // namespace npu
