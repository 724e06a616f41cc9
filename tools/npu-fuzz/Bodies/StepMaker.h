// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds random steps to a function that is being made up: the steps that
// functions to be padded and functions to be run in chunks have in common.

#ifndef NPU_FUZZ_BODIES_STEPMAKER_H
#define NPU_FUZZ_BODIES_STEPMAKER_H

#include "npu-fuzz/Bodies/RandomExprs.h"

#include <optional>

namespace npu {

class StepMaker {
public:
  StepMaker(BodyRecipe &recipe, RandomNumbers &random)
      : recipe(recipe), random(random) {}

  /// Chooses the combiner of most reductions, whose neutral element masks
  /// mostly have.
  void setTheme(BodyType type) {
    theme = randomCombiner(random, type);
    themeType = type;
  }
  const Combiner &getTheme() const { return theme; }
  /// Draws only finite and small numbers (Scope::tame).
  void keepTame() { tame = true; }

  unsigned argument(BodyType type, std::vector<BodyExtent> shape,
                    BodyStep::Kind kind = BodyStep::Argument);
  /// A constant of 2 to 4 special numbers, of rank 1 or 2.
  unsigned table(BodyType type);

  /// A generic with these loops; inputs are added with `read`.
  BodyStep generic(std::vector<BodyLoop> loops);
  /// Makes `source` an input if each of its dimensions has a loop of its
  /// extent. Mostly, dimensions get distinct loops.
  std::optional<BodyExpr> read(BodyStep &step, unsigned source);
  /// Makes some existing values inputs, the latest most often.
  void readSome(BodyStep &step);
  Scope scopeOf(const BodyStep &step) const;
  unsigned add(BodyStep step);

  /// Adds an elementwise operation on a tensor of that shape.
  unsigned map(BodyType type, const std::vector<BodyExtent> &shape);
  /// Adds a select, by positions, between entries of `source` and a number.
  unsigned masked(unsigned source);
  /// Adds a reduction over some dimensions of `source`, or over its diagonal;
  /// another operation where it has no dimensions.
  unsigned reduced(unsigned source);
  /// Adds a softmax of `source` in parts, with masks before and behind.
  unsigned softmaxInParts(unsigned source);
  /// Adds a tensor of one value that is a quotient of constants, or an entry of
  /// a table whose entries are equal.
  unsigned constantByDetour(BodyType type,
                            const std::vector<BodyExtent> &shape);

  /// Adds an elementwise operation on a tensor of that shape, some of whose
  /// loops are declared as reductions.
  unsigned mapByReduction(BodyType type, const std::vector<BodyExtent> &shape);
  /// Add a slice of one entry of a dimension, without that dimension, or an
  /// insertion of such a slice.
  unsigned takeSlice(unsigned source);
  unsigned putSlice(unsigned source);
  /// Adds a sum over the prompt of quotients or table entries whose divisor or
  /// position is a mask's number: 0 as it is written. In padding, an operand
  /// that may trap is replaced by another number.
  unsigned sumOfGuarded();

  BodyStep &step(unsigned number) { return recipe.steps[number]; }

private:
  unsigned manyUnits(BodyType type);
  void place(BodyStep &step, const std::vector<BodyExtent> &shape);
  BodyExpr exponential(const BodyStep &power, BodyType type, BodyExpr seen);
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

#endif // NPU_FUZZ_BODIES_STEPMAKER_H
