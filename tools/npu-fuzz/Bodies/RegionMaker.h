// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds random loop nests to a function that is being made up: the steps that
// functions to be padded and functions to be run in chunks have in common.

#ifndef NPU_FUZZ_BODIES_REGIONMAKER_H
#define NPU_FUZZ_BODIES_REGIONMAKER_H

#include "npu-fuzz/Bodies/RandomExprs.h"

namespace npu {

/// A loop nest whose loops have extents that follow from the prompt's length.
struct RegionNest {
  Dims loops;
  /// The loops that reduce.
  std::vector<int64_t> reduces = {};
  std::vector<mlir::Value> inputs = {};
  /// The loop of each dimension of each input, or -1 for the position 0.
  std::vector<std::vector<int64_t>> reads = {};
  /// Those of the output; all that do not reduce, in their order.
  std::optional<std::vector<int64_t>> output = {};
  /// What the output begins with; a value, if there is one.
  double begin = 0;
  std::optional<Fact> beginsAs = {};

  void read(const Fact &source, const std::vector<int64_t> &dims) {
    inputs.push_back(source.value);
    reads.push_back(dims);
  }
  std::vector<int64_t> written() const {
    return output.value_or(others(std::ssize(loops), reduces));
  }
};

using BodyOf = llvm::function_ref<mlir::Value(Region &)>;

class RegionMaker : public FunctionMaker {
public:
  RegionMaker(uint64_t seed, uint64_t number, int64_t longest)
      : FunctionMaker(seed, number, longest) {}

  unsigned argument(ElementType type, const Dims &dims) {
    return FunctionMaker::argument(tensor(type, dims));
  }
  /// A constant of 2 to 4 special numbers, of rank 1 or 2.
  unsigned table(ElementType type);
  unsigned tableOf(ElementType type, const Dims &dims,
                   const std::vector<double> &entries);
  bool isTable(unsigned value) const;

  /// Appends a step. One that is not legal adds nothing; the last value then
  /// stands for its value.
  unsigned step(Fact result, Build build) {
    return make(std::move(result), build).value_or(latest());
  }
  unsigned add(ElementType type, const RegionNest &nest, BodyOf body);
  /// Makes `source` an input if each of its dimensions has a loop of its
  /// extent. Mostly, dimensions get distinct loops.
  bool read(RegionNest &nest, unsigned source);
  /// Makes some existing values inputs, the latest most often.
  void readSome(RegionNest &nest);
  virtual Scope scope();

  /// Adds an elementwise operation on a tensor of that shape, some of whose
  /// loops may be declared as reductions.
  unsigned map(ElementType type, const Dims &dims, bool reduces = false);
  /// Adds a select, by positions, between entries of `source` and a number.
  unsigned masked(unsigned source);
  /// Adds a reduction over some dimensions of `source`, or over its diagonal;
  /// another operation where it has no dimensions.
  unsigned reduced(unsigned source);
  /// Adds a softmax of `source` in parts, with masks before and after.
  unsigned softmaxInParts(unsigned source);
  /// Adds a tensor of one value that is a quotient of constants, or an entry of
  /// a table whose entries are equal.
  unsigned constantByDetour(ElementType type, const Dims &dims);
  /// Add a slice of one entry of a dimension, without that dimension, or an
  /// insertion of such a slice.
  unsigned takeSlice(unsigned source) { return sliced(source, false); }
  unsigned putSlice(unsigned source) { return sliced(source, true); }
  /// Adds a sum over the prompt of quotients or table entries whose divisor or
  /// position is a mask's number: 0 as it is written. In padding, an operand
  /// that may trap is replaced by another number.
  unsigned sumOfGuarded();
  /// Adds a concatenation of `from` with a few entries that do not belong to
  /// the prompt, before or after it.
  bool concat(unsigned from);

protected:
  /// Chooses the combiner of most reductions, whose neutral element masks
  /// mostly have.
  void setTheme(ElementType type) {
    theme = randomCombiner(*this, type);
    themeType = type;
  }
  unsigned latest() const { return size() - 1; }

  bool tame = false;

private:
  unsigned manyUnits(ElementType type);
  unsigned sliced(unsigned source, bool isPut);
  mlir::Value constantDivision(Scalars &at, RandomExprs &exprs,
                               ElementType type);
  std::optional<Fact> anyLike(ElementType type, const Dims &dims) const;
  Combiner combinerFor(ElementType type) {
    return type == themeType && !oneIn(4) ? theme : randomCombiner(*this, type);
  }
  double beginFor(ElementType type, double neutral) {
    return oneIn(2) ? neutral : specialNumber(*this, type, tame);
  }

  Combiner theme;
  ElementType themeType = ElementType::F32;
};

/// Whether extents follow from the length, which those of arguments cannot.
bool follow(const Dims &dims);

} // namespace npu

#endif // NPU_FUZZ_BODIES_REGIONMAKER_H
