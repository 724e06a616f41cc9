// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random function of operations on tensors with random layouts.

#ifndef NPU_FUZZ_FUNCTIONS_OPERATIONMAKER_H
#define NPU_FUZZ_FUNCTIONS_OPERATIONMAKER_H

#include "npu-fuzz/Functions/FunctionMaker.h"
#include "npu-fuzz/Functions/FuzzExtension.h"

namespace npu {

class OperationMaker : public FunctionMaker {
public:
  OperationMaker(uint64_t seed, uint64_t number, FunctionFor what);

  /// Returns what is to be returned, and gives the function.
  MadeFunction take();

  ElementType mainType() const { return type; }
  /// Whether values may have layouts: not where the prompt has a run-time
  /// length.
  bool hasLayouts() const { return !shortest; }
  /// Whether layouts split the dimensions that sums run over, which should be
  /// long enough for that.
  bool wantsSharedSums() const { return splitsSums; }

  /// A random layout that fits the shape, of none to eight tiles; the
  /// dimensions in `whole` are not split. Where layouts are to be assigned, it
  /// is mostly none; where the prompt has a run-time length, always.
  Layout layout(const Extents &shape,
                std::span<const int64_t> whole = {}) override;

  using FunctionMaker::argument;
  unsigned argument(const Dims &dims, ElementType type) {
    Fact value = tensor(type, dims);
    value.layout = layout(value.shape);
    return argument(std::move(value));
  }
  unsigned argument(std::initializer_list<int64_t> shape, ElementType type) {
    return argument(fixedDims(shape), type);
  }
  /// Random extents for an argument or another value.
  Dims randomDims(int64_t maxRank = 4) { return fixedDims(shape(maxRank)); }
  /// A value of these extents and that type: one that exists, or a new one.
  unsigned valueOf(const Dims &dims, ElementType type);
  /// A value of that type, extents and layout: one that exists, or a new one.
  unsigned valueLike(const Fact &like);
  /// A scalar of that type: one that exists, or a new argument.
  unsigned scalar(ElementType wanted);
  unsigned flag() { return scalar(ElementType::Bool); }
  /// The value in another layout.
  std::optional<unsigned> moved(unsigned value, const Layout &to);
  /// The value in a form that a sum over these dimensions can take: the value
  /// itself where tiles may share that sum or do not split these dimensions,
  /// else redistributed.
  unsigned summable(unsigned value, std::span<const int64_t> dims);
  /// Whether a sum over these dimensions is the same as in a reference that
  /// adds up in the same parts: the function is exact, the type holds the sum
  /// in any order, or tiles do not share it.
  bool sumIsSafe(const Fact &value, std::span<const int64_t> dims) const;
  /// The value is read by an operation that may add up parts of it: it is
  /// returned, because a later step like a comparison may hide errors.
  void returnIfSplit(unsigned value) {
    if (splitsSums)
      alwaysReturned.push_back(value);
  }
  /// The prompt has at least so many entries, of a function for a run-time
  /// length; false where there are no such prompts.
  bool needAtLeast(const Extent &extent, int64_t entries);

private:
  int64_t mostElements() const override {
    return large                              ? 60000
           : what == FunctionFor::Assignments ? 20000
           : what == FunctionFor::Tosa        ? 4000
                                              : 2000;
  }
  void propose();
  void beginGraph();
  void beginFunction(uint64_t number);
  Dims argumentDims();
  void choosePrompt();
  void chooseTask();
  void choosePins(const std::vector<unsigned> &results);
  bool mayAddUpInParts() const;
  Layout splitAlong(const Extents &shape, std::span<const int64_t> dims) const;
  bool returnTwice(const std::vector<unsigned> &results);

  FunctionFor what;
  ElementType type;
  int64_t maxTiles = 1;
  /// Half of the steps are of the kinds that only such functions have.
  bool rare = false;
  /// One of so many layouts that could be there is, where layouts are to be
  /// assigned; 0: none is.
  int64_t pinsOneIn = 0;
  /// Float sums run over dimensions that layouts split.
  bool splitsSums = false;
  /// Operations take long enough to be under way at the same time.
  bool large = false;
  /// Of a function whose prompt has a run-time length: the shortest that is
  /// legal.
  std::optional<int64_t> shortest;
  std::vector<unsigned> alwaysReturned;
};

/// A kind of step, and how often it is chosen, beside others, where the step is
/// of one of these lists.
struct StepRow {
  StepKind kind;
  struct Weights {
    /// Kinds that all functions have, and those of them that may add up.
    int plain = 0, sums = 0;
    /// Kinds that functions for prompts do not have.
    int more = 0;
    /// Kinds that only a third of the functions have.
    int rare = 0;
    /// Blocks as models have them, which only functions for assignments have.
    int blocks = 0;
    /// Steps of graphs of TOSA.
    int tosa = 0;
  } weights;
};

/// All kinds.
std::span<const StepRow> stepRows();

/// Whether every tile that has a part of the value has these dimensions whole.
bool isUnsplit(const Fact &value, std::span<const int64_t> dims);

/// Whether a sum of `terms` terms can be compared in any order: a sum of
/// integers, or one for which n u, a bound of both orders' rounding together,
/// is at most the share of the terms' magnitudes beyond which npu-run calls no
/// results equal.
bool maySumInParts(ElementType type, double terms);

/// Repeats some operations of `main` four to seven times, each time after the
/// last, as decoders repeat layers: those between two values of one type.
void repeatLayers(mlir::func::FuncOp main, RandomNumbers &random);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_OPERATIONMAKER_H
