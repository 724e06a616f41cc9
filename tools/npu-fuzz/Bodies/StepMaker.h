// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds random steps to a function that is being made up: the steps that
// functions to be padded and functions to be run in chunks have in common.

#ifndef NPU_FUZZ_BODIES_STEPMAKER_H
#define NPU_FUZZ_BODIES_STEPMAKER_H

#include "npu-fuzz/Bodies/RandomExprs.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"

#include <optional>

namespace npu {

class StepMaker {
public:
  explicit StepMaker(RecipeBuilder &builder)
      : builder(builder), recipe(builder.made()), random(builder) {}

  /// Chooses the combiner of most reductions, whose neutral element masks
  /// mostly have.
  void setTheme(ElementType type) {
    theme = randomCombiner(random, type);
    themeType = type;
  }
  const Combiner &getTheme() const { return theme; }
  /// Draws only finite and small numbers (Scope::tame).
  void keepTame() { tame = true; }

  unsigned argument(ElementType type, std::vector<Extent> shape,
                    const StepKind &kind = argumentKind);
  /// A constant of 2 to 4 special numbers, of rank 1 or 2.
  unsigned table(ElementType type);

  /// A generic with these loops; inputs are added with `read`.
  Step generic(std::vector<Loop> loops);
  /// Makes `source` an input if each of its dimensions has a loop of its
  /// extent. Mostly, dimensions get distinct loops.
  bool read(Step &step, unsigned source);
  /// Makes `source` an input whose dimensions have these loops.
  void read(Step &step, unsigned source, std::span<const int64_t> loops);
  void read(Step &step, unsigned source, std::initializer_list<int64_t> loops) {
    read(step, source, std::span(loops.begin(), loops.size()));
  }
  /// Makes some existing values inputs, the latest most often.
  void readSome(Step &step);
  Scope scopeOf(const Step &step) const;
  unsigned add(Step step);

  /// Adds an elementwise operation on a tensor of that shape.
  unsigned map(ElementType type, const std::vector<Extent> &shape);
  /// Adds a select, by positions, between entries of `source` and a number.
  unsigned masked(unsigned source);
  /// Adds a reduction over some dimensions of `source`, or over its diagonal;
  /// another operation where it has no dimensions.
  unsigned reduced(unsigned source);
  /// Adds a softmax of `source` in parts, with masks before and after.
  unsigned softmaxInParts(unsigned source);
  /// Adds a tensor of one value that is a quotient of constants, or an entry of
  /// a table whose entries are equal.
  unsigned constantByDetour(ElementType type, const std::vector<Extent> &shape);

  /// Adds an elementwise operation on a tensor of that shape, some of whose
  /// loops are declared as reductions.
  unsigned mapByReduction(ElementType type, const std::vector<Extent> &shape);
  /// Add a slice of one entry of a dimension, without that dimension, or an
  /// insertion of such a slice.
  unsigned takeSlice(unsigned source);
  unsigned putSlice(unsigned source);
  /// Adds a sum over the prompt of quotients or table entries whose divisor or
  /// position is a mask's number: 0 as it is written. In padding, an operand
  /// that may trap is replaced by another number.
  unsigned sumOfGuarded();

private:
  unsigned manyUnits(ElementType type);
  Step mapOf(ElementType type, const std::vector<Extent> &shape);
  Step sliceOf(unsigned source, std::string_view kind);
  Expr exponential(const Step &power, ElementType type, Expr seen);
  Expr constantDivision(ElementType type);
  void beginAsInput(Step &step, ElementType type);
  std::string combinerFor(ElementType type, double &neutral);
  Expr beginFor(ElementType type, double neutral);

  RecipeBuilder &builder;
  const Recipe &recipe;
  RandomNumbers &random;
  Combiner theme;
  ElementType themeType = ElementType::F32;
  bool tame = false;
};

} // namespace npu

#endif // NPU_FUZZ_BODIES_STEPMAKER_H
