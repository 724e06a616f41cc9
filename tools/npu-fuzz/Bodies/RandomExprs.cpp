// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/RandomExprs.h"

#include "npu/Execution/Jit/Signature.h"

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The ends of an integer type, as doubles have them.
double smallest(ElementType type) {
  return type == ElementType::Bool
             ? 1
             : -std::ldexp(1.0, static_cast<int>(bitSize(type)) - 1);
}
double largest(ElementType type) {
  return type == ElementType::Bool
             ? 0
             : std::floor(std::nextafter(-smallest(type), 0));
}

template <typename Item, std::size_t Count>
Item anyOf(RandomNumbers &random, const Item (&items)[Count]) {
  return items[random.below(Count)];
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
    return anyOf(random, all);
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
  return anyOf(random, all);
}

double specialNumber(RandomNumbers &random, ElementType type, bool isTame) {
  if (type == ElementType::Bool)
    return static_cast<double>(random.below(2));
  if (!isFloat(type)) {
    const double all[] = {
        0, 1, -1, 2, 3, 4, 7, 8, smallest(type), largest(type)};
    return anyOf(random, all);
  }
  const double tame[] = {0, -0.0, 1, -1, 0.5, 2, -kInfinity, 0},
               all[] = {0,          -0.0,      1,          -1,   2,   0.5, 3,
                        -kInfinity, kInfinity, -kInfinity, kNaN, 100, -7};
  return isTame ? anyOf(random, tame) : anyOf(random, all);
}

llvm::StringRef RandomExprs::oneOf(llvm::StringRef words) {
  SmallVector<llvm::StringRef> each;
  words.split(each, ' ');
  return each[random.below(std::ssize(each))];
}

Value RandomExprs::special(ElementType type) {
  if (random.oneIn(3) &&
      (type == scope.favouriteType || std::fabs(scope.favourite) <= 1))
    return at->number(type, type == ElementType::Bool ? scope.favourite != 0
                                                      : scope.favourite);
  return at->number(type, specialNumber(random, type, scope.tame));
}

Value RandomExprs::leaf(ElementType type) {
  Type wanted = at->maker.elementType(type);
  SmallVector<Value> inputs;
  for (Value each : region.in)
    if (each.getType() == wanted)
      inputs.push_back(each);
  if (scope.readsAccumulator && region.out[0].getType() == wanted)
    inputs.push_back(region.out[0]);
  if (!inputs.empty() && !random.oneIn(4))
    return inputs[random.below(std::ssize(inputs))];
  if (type != ElementType::Bool && type != ElementType::F16 && random.oneIn(4))
    return at->positionAs(type, position(0));
  return special(type);
}

Value RandomExprs::any(ElementType type, int depth) {
  if (depth <= 0)
    return type == ElementType::Bool && random.oneIn(2) ? mask() : leaf(type);
  if (type == ElementType::Bool)
    return truth(depth);
  if (random.oneIn(4))
    return leaf(type);
  if (random.oneIn(4))
    return choice(type, depth);
  if (!scope.tables.empty() && random.oneIn(8))
    return read(type, depth - 1);
  return isFloat(type) ? floating(type, depth) : integer(type, depth);
}

/// A select, or an scf.if whose branches stand in it.
Value RandomExprs::choice(ElementType type, int depth) {
  Value condition = truth(depth - 1);
  if (!random.oneIn(4)) {
    Value yes = any(type, depth - 1);
    return at->choose(condition, yes, any(type, depth - 1));
  }
  auto branch = [&](Scalars &here) {
    Scalars *before = std::exchange(at, &here);
    Value made = any(type, depth - 1);
    at = before;
    return made;
  };
  return at->ifElse(condition, branch, branch);
}

Value RandomExprs::position(int depth) {
  auto loop = [&] {
    if (region.loops.empty())
      return at->index(random.below(3));
    int64_t which = random.below(std::ssize(region.loops));
    Value index = region.loop(which);
    // A row that is counted without the offset is another number in a chunk:
    // mostly avoid it.
    return which == scope.rowLoop && !random.oneIn(16)
               ? at->add(index, scope.offset)
               : index;
  };
  if (depth <= 0) {
    if (random.oneIn(5))
      return at->index(random.between(0, 5));
    return scope.hasLength && random.oneIn(6) ? at->maker.length() : loop();
  }
  Value a = loop();
  switch (random.below(9)) {
  case 0:
  case 1:
    return at->add(a, at->index(random.between(1, 3)));
  case 2:
    return at->subtract(a, at->index(random.between(1, 3)));
  case 3:
    return at->subtract(a, position(depth - 1));
  case 4:
    return at->add(a, position(depth - 1));
  case 5: {
    llvm::StringRef name =
        oneOf("arith.floordivsi arith.divsi arith.divui arith.remsi "
              "arith.remui arith.ceildivsi");
    Value by = at->index(random.between(1, 4));
    if (random.oneIn(3))
      by = at->add(position(0), at->index(1));
    return at->divide(name, a, by);
  }
  case 6:
    return at->multiply(a, at->index(random.between(-1, 3)));
  case 7: {
    llvm::StringRef name =
        oneOf("arith.maxsi arith.minsi arith.minui arith.maxui");
    return at->op(name, {a, position(depth - 1)});
  }
  default:
    return scope.hasLength ? at->subtract(at->maker.length(), a) : a;
  }
}

Value RandomExprs::mask() {
  llvm::StringRef predicate =
      oneOf("eq ne slt sle sgt sge ult ule ugt uge slt sle sgt sge");
  // Compare two plain loops.
  auto loops = std::ssize(region.loops);
  if (loops > 1 && scope.rowLoop < 0 && !random.oneIn(3)) {
    int64_t first = random.below(loops);
    int64_t second = random.below(loops - 1);
    Value a = region.loop(first);
    return at->compare(predicate, a, region.loop(second + (second >= first)));
  }
  int depth = random.oneIn(3) ? 1 : 0;
  Value a = position(depth);
  Value b = position(random.oneIn(4) ? 1 : 0);
  if (!random.oneIn(8))
    return at->compare(predicate, a, b);
  a = at->positionAs(ElementType::I32, a);
  return at->compare(predicate, a, at->positionAs(ElementType::I32, b));
}

Value RandomExprs::truth(int depth) {
  constexpr ElementType kBool = ElementType::Bool;
  if (depth <= 0 || !random.oneIn(3))
    return mask();
  switch (random.below(6)) {
  case 0:
    return both("arith.andi arith.ori arith.xori", kBool, depth);
  case 1:
    return at->op("arith.xori", {truth(depth - 1), at->number(kBool, 1)});
  case 2:
    return leaf(kBool);
  case 3: {
    Value condition = truth(depth - 1), yes = truth(depth - 1);
    return at->choose(condition, yes, truth(depth - 1));
  }
  default: {
    // Compare data of a type that an input has.
    ElementType type =
        region.in.empty()
            ? ElementType::I32
            : *elementTypeOf(
                  region.in[random.below(std::ssize(region.in))].getType());
    if (type == kBool)
      return leaf(type);
    llvm::StringRef predicate =
        oneOf(isFloat(type) ? "oeq ogt oge olt ole one ord ueq ugt uge ult ule "
                              "une uno"
                            : "eq ne slt sle sgt sge ult ugt");
    Value a = leaf(type);
    return at->compare(predicate, a, any(type, depth - 2));
  }
  }
}

Value RandomExprs::both(llvm::StringRef names, ElementType type, int depth) {
  llvm::StringRef name = oneOf(names);
  Value a = any(type, depth - 1);
  return at->op(name, {a, any(type, depth - 1)});
}

Value RandomExprs::floating(ElementType type, int depth) {
  constexpr const char *kBinary[] = {
      "arith.addf arith.subf", "arith.addf arith.subf", "arith.mulf",
      "arith.divf",
      "arith.maximumf arith.minimumf arith.maxnumf arith.minnumf"};
  constexpr const char *kUnary[] = {
      "math.exp math.log math.sqrt math.exp2 math.exp math.log",
      "math.exp math.log math.sqrt math.exp2 math.exp math.log",
      "arith.negf math.absf math.floor math.ceil"};
  int64_t form = random.below(10);
  if (form < 5)
    return both(kBinary[form], type, depth);
  if (form < 8) {
    llvm::StringRef name = oneOf(kUnary[form - 5]);
    return at->op(name, any(type, depth - 1));
  }
  if (form == 8)
    return afterMask(type, depth);
  if (type == ElementType::F32 && random.oneIn(2))
    return at->cast("arith.extf", type, any(ElementType::F16, depth - 1));
  if (type == ElementType::F16)
    return at->cast("arith.truncf", type, any(ElementType::F32, depth - 1));
  llvm::StringRef name = oneOf("arith.sitofp arith.uitofp");
  return at->cast(name, type, any(ElementType::I32, depth - 1));
}

Value RandomExprs::afterMask(ElementType type, int depth) {
  Value condition = mask(), entry = any(type, depth - 1);
  return at->choose(condition, entry, special(type));
}

Value RandomExprs::division(ElementType type, int depth) {
  llvm::StringRef name =
      oneOf("arith.divsi arith.divui arith.remsi arith.remui "
            "arith.floordivsi arith.ceildivsi arith.ceildivui");
  Value a = random.oneIn(3) ? special(type) : any(type, depth - 1);
  const double divisors[] = {1, 2, 3, 4, 7, 8, -2, -3};
  switch (random.below(4)) {
  case 0:
  case 1:
    return at->divide(name, a, at->number(type, anyOf(random, divisors)));
  case 2:
    return at->divide(name, a,
                      at->positionAs(type, at->add(position(0), at->index(1))));
  default:
    return at->divide(name, a, any(type, depth - 1));
  }
}

Value RandomExprs::integer(ElementType type, int depth) {
  constexpr const char *kBinary[] = {
      "arith.addi arith.subi", "arith.muli", "arith.andi arith.ori arith.xori",
      "arith.maxsi arith.minsi arith.maxui arith.minui"};
  int64_t form = random.below(7);
  if (form < 4)
    return both(kBinary[form], type, depth);
  if (form > 4)
    return division(type, depth);
  if (type == ElementType::I32 && random.oneIn(3))
    return at->cast("arith.fptosi", type, any(ElementType::F32, depth - 1));
  if (random.oneIn(2))
    return afterMask(type, depth);
  llvm::StringRef name = oneOf("arith.extui arith.extsi");
  return at->cast(name, type, truth(depth - 1));
}

Value RandomExprs::read(ElementType type, int depth) {
  std::vector<Fact> fitting;
  for (const Fact &table : scope.tables)
    if (table.type == type)
      fitting.push_back(table);
  if (fitting.empty())
    return leaf(type);
  const Fact &table = fitting[random.below(std::ssize(fitting))];
  bool isGuarded = random.oneIn(3);
  SmallVector<Value> indices;
  for (std::size_t dim = 0; dim < table.dims.size(); ++dim) {
    if (random.oneIn(3))
      indices.push_back(at->index(random.below(2)));
    else if (random.oneIn(5))
      indices.push_back(at->cast("arith.index_cast", kIndex,
                                 any(ElementType::I32, depth - 1)));
    else
      indices.push_back(position(random.oneIn(2) ? 1 : 0));
  }
  return isGuarded ? at->extractGuarded(table, indices)
                   : at->extractClamped(table, indices);
}

} // namespace npu
