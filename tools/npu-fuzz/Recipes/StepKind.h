// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kind of step: how such a step is made up, when it is legal, and how it is
// written.

#ifndef NPU_FUZZ_RECIPES_STEPKIND_H
#define NPU_FUZZ_RECIPES_STEPKIND_H

#include "npu-fuzz/Recipes/Recipe.h"

#include <span>
#include <string_view>

namespace npu {

class RecipeBuilder;
class RecipeWriter;

using Operands = std::vector<const ValueFacts *>;

struct StepKind {
  const char *name;
  /// Appends such a step to the recipe, with arguments or other steps that it
  /// needs, or does nothing when no value fits.
  void (*propose)(RecipeBuilder &builder, const StepKind &kind);
  /// The facts of the result; nothing when the step is not legal. `inferFacts`
  /// checks what concerns the layout alone.
  std::optional<ValueFacts> (*infer)(const Step &step, const Operands &operands,
                                     bool exact);
  void (*write)(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer);
  /// Adapts the step's numbers to operands whose extents have changed from
  /// those of `were` to those of `are`; null where no number depends on
  /// extents.
  void (*follow)(Step &step, const Operands &were,
                 const Operands &are) = nullptr;
};

/// The kinds of steps, by family. A kind that should occur more often has
/// several rows.
std::span<const StepKind> sourceKinds();
std::span<const StepKind> elementwiseKinds();
std::span<const StepKind> contractionKinds();
std::span<const StepKind> reductionKinds();
std::span<const StepKind> reshapeKinds();
std::span<const StepKind> sliceKinds();
std::span<const StepKind> layoutKinds();
std::span<const StepKind> plainPadKinds();
/// Kinds that only recipes for functions have, not those for prompts.
std::span<const StepKind> indexedKinds();
std::span<const StepKind> pairKinds();
std::span<const StepKind> maskKinds();
std::span<const StepKind> lookupKinds();
std::span<const StepKind> controlKinds();
/// Kinds that only a third of the recipes for functions have (`RecipeBuilder`).
std::span<const StepKind> handingKinds();
std::span<const StepKind> switchKinds();
std::span<const StepKind> scalarKinds();
std::span<const StepKind> countingKinds();
std::span<const StepKind> bodyTensorKinds();
std::span<const StepKind> paddingKinds();
std::span<const StepKind> nothingKinds();
std::span<const StepKind> extremeKinds();
std::span<const StepKind> tosaKinds();
/// Kinds that only graphs of TOSA have.
std::span<const StepKind> tosaElementwiseKinds();
std::span<const StepKind> tosaShapeKinds();
std::span<const StepKind> tosaSumKinds();
/// Kinds that only recipes for assignments have. They stand for several steps
/// of other kinds, so that no step is of them.
std::span<const StepKind> blockKinds();

/// The first row of `kinds` with that name. Precondition: there is one.
const StepKind &kindNamed(std::span<const StepKind> kinds,
                          std::string_view name);

/// An argument of the function; reduction also puts arguments in place of other
/// steps. `numbers` is the shape.
extern const StepKind argumentKind;
/// A scalar argument, of the step's type.
extern const StepKind scalarArgumentKind;
/// An argument with an entry for each position; see `npu.cache_dim`.
extern const StepKind cacheKind;
inline bool isArgument(const Step &step) {
  return step.kind == &argumentKind || step.kind == &scalarArgumentKind ||
         step.kind == &cacheKind;
}
/// A linalg operation that is the step's LoopNest.
extern const StepKind nestKind;
/// A constant of the step's `values`.
extern const StepKind tableKind;
/// The rows of the first operand put into the second one, a cache.
extern const StepKind intoCacheKind;
/// The second value of an operation that makes two. Its operand is the first
/// value.
extern const StepKind secondKind;
extern const StepKind redistributeKind;

/// Whether the value is a scalar i1, which can be a condition.
inline bool isFlag(const ValueFacts &value) {
  return value.scalar && value.type == ElementType::Bool;
}

/// The facts of a tensor result with the given type and the step's layout.
ValueFacts factsWith(const Step &step, Extents shape, ElementType type,
                     double most);
/// The facts of a scalar.
ValueFacts scalarFacts(ElementType type, double most);

/// The shape at the length at which functions of regions are inferred.
Extents shapeAt(std::span<const Extent> extents);

/// Whether elements of that magnitude have the value that they should: in exact
/// recipes an integer that the type represents, in others a number far from
/// infinity.
bool mayReach(ElementType type, double most, bool exact);

/// Whether every tile that has a part of the value has these dimensions whole.
bool isUnsplit(const ValueFacts &value, std::span<const int64_t> dims);

/// Whether a sum of `terms` terms can be compared in any order: a sum of
/// integers, or one for which n u, a bound of both orders' rounding together,
/// is at most the share of the terms' magnitudes beyond which npu-run calls no
/// results equal.
bool maySumInParts(ElementType type, double terms);

/// Whether a sum over these dimensions is the same as in a reference that adds
/// up in the same parts: the recipe is exact, the type holds the sum in any
/// order, or tiles do not share it.
bool sumIsSafe(const ValueFacts &value, std::span<const int64_t> dims,
               bool exact);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_STEPKIND_H
