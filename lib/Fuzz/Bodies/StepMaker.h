// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds random steps to a function that is being made up: what both kinds of
// functions, to be padded and to be run in chunks, consist of.

#ifndef NPU_LIB_FUZZ_BODIES_STEPMAKER_H
#define NPU_LIB_FUZZ_BODIES_STEPMAKER_H

#include "RandomExprs.h"

#include <optional>

namespace npu {

class StepMaker {
public:
  StepMaker(BodyRecipe &recipe, RandomNumbers &random)
      : recipe(recipe), random(random) {}

  /// What reductions of this function are likely to be, and what masks are
  /// likely to hold.
  void setTheme(BodyType type) {
    theme = randomCombiner(random, type);
    themeType = type;
  }
  const Combiner &getTheme() const { return theme; }
  /// See Scope.
  void keepTame() { tame = true; }

  unsigned argument(BodyType type, std::vector<BodyExtent> shape,
                    BodyStep::Kind kind = BodyStep::Argument);
  /// A constant of 2 to 4 numbers that stand out, of rank 1 or 2.
  unsigned table(BodyType type);

  /// An operation of these loops; inputs are added with `read`.
  BodyStep generic(std::vector<BodyLoop> loops);
  /// Makes `source` an input if each of its dimensions has a loop of its
  /// extent; mostly each its own.
  std::optional<BodyExpr> read(BodyStep &step, unsigned source);
  /// Inputs among the values that there are, the latest most often.
  void readSome(BodyStep &step);
  Scope scopeOf(const BodyStep &step) const;
  unsigned add(BodyStep step);

  /// Elementwise on a tensor of that shape.
  unsigned map(BodyType type, const std::vector<BodyExtent> &shape);
  /// A select, by positions, between entries of `source` and a number.
  unsigned masked(unsigned source);
  /// Over some dimensions of `source`, or its diagonal; anything where it has
  /// none.
  unsigned reduced(unsigned source);
  /// A softmax of `source` in parts, with masks before and behind.
  unsigned softmaxInParts(unsigned source);
  /// Of a quotient of constants, or an entry of a table that is always the
  /// same.
  unsigned constantByDetour(BodyType type,
                            const std::vector<BodyExtent> &shape);

  /// Elementwise on a tensor of that shape, in loops of which some reduce.
  unsigned mapByReduction(BodyType type, const std::vector<BodyExtent> &shape);
  /// One entry of a dimension, without that dimension: taken out of a tensor,
  /// put into it.
  unsigned takeSlice(unsigned source);
  unsigned putSlice(unsigned source);
  /// A sum over the prompt of what a mask's number gives as a divisor, or as a
  /// position of a table: 0 as it is written. In padding, an operand that may
  /// trap is another number.
  unsigned sumOfGuarded();

  BodyStep &step(unsigned number) { return recipe.steps[number]; }

private:
  unsigned manyUnits(BodyType type);
  void place(BodyStep &step, const std::vector<BodyExtent> &shape);
  BodyExpr constantDivision(BodyType type);
  void beginAsInput(BodyStep &step, BodyType type);
  std::string combinerFor(BodyType type, double &neutral);
  BodyExpr beginFor(BodyType type, double neutral);

  BodyRecipe &recipe;
  RandomNumbers &random;
  Combiner theme;
  BodyType themeType = BodyType::F32;
  bool tame = false;
};

} // namespace npu

#endif // NPU_LIB_FUZZ_BODIES_STEPMAKER_H
