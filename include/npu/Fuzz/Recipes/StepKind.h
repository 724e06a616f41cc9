// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is to know about one kind of step: how it is made up, when it is
// legal, and how it is written.

#ifndef NPU_FUZZ_RECIPES_STEPKIND_H
#define NPU_FUZZ_RECIPES_STEPKIND_H

#include "npu/Fuzz/Recipes/Recipe.h"

#include <span>
#include <string_view>

namespace npu {

class RecipeBuilder;
class RecipeWriter;

using Operands = std::vector<const ValueFacts *>;

struct StepKind {
  const char *name;
  /// Appends such a step to the recipe, with arguments or other steps that it
  /// needs, or does nothing when there is no value that it could take.
  void (*propose)(RecipeBuilder &builder, const StepKind &kind);
  /// The result; nothing when the step is not legal. What concerns the layout
  /// alone is checked by `inferFacts`.
  std::optional<ValueFacts> (*infer)(const Step &step, const Operands &operands,
                                     bool exact);
  void (*write)(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer);
  /// Lets the step's numbers follow operands whose extents were others; null
  /// where none have to.
  void (*follow)(Step &step, const Operands &were,
                 const Operands &are) = nullptr;
};

/// Rows of one family; a kind that should come up more often stands there
/// twice.
std::span<const StepKind> sourceKinds();
std::span<const StepKind> elementwiseKinds();
std::span<const StepKind> contractionKinds();
std::span<const StepKind> reductionKinds();
std::span<const StepKind> reshapeKinds();
std::span<const StepKind> sliceKinds();
std::span<const StepKind> layoutKinds();
/// Only in recipes for functions, not for prompts.
std::span<const StepKind> indexedKinds();
std::span<const StepKind> pairKinds();
std::span<const StepKind> maskKinds();
std::span<const StepKind> lookupKinds();
std::span<const StepKind> controlKinds();
/// Only in a third of those (`RecipeBuilder`).
std::span<const StepKind> handingKinds();
std::span<const StepKind> switchKinds();
std::span<const StepKind> scalarKinds();
std::span<const StepKind> countingKinds();
std::span<const StepKind> bodyTensorKinds();
std::span<const StepKind> paddingKinds();
std::span<const StepKind> nothingKinds();
std::span<const StepKind> extremeKinds();
std::span<const StepKind> tosaKinds();

/// The first row of that name. Precondition: there is one.
const StepKind &kindNamed(std::span<const StepKind> kinds,
                          std::string_view name);

/// An argument of the function, which is also what reduction puts in place of
/// other steps. numbers: the shape.
extern const StepKind argumentKind;
/// An argument that is no tensor, of the step's type.
extern const StepKind scalarArgumentKind;
inline bool isArgument(const Step &step) {
  return step.kind == &argumentKind || step.kind == &scalarArgumentKind;
}
/// The other value of an operation that makes two. operand: the first one.
extern const StepKind secondKind;
extern const StepKind redistributeKind;

/// An i1 by itself, which decides something.
inline bool isFlag(const ValueFacts &value) {
  return value.scalar && value.type == ElementType::Bool;
}

/// The result with the step's own type and layout.
ValueFacts factsWith(const Step &step, Extents shape, ElementType type,
                     double most);
/// The same of what is no tensor.
ValueFacts scalarFacts(ElementType type, double most);

/// True when an element of that magnitude can be what it should: in exact
/// recipes an integer that the type has, else far from infinity.
bool mayReach(ElementType type, double most, bool exact);

/// True when no tile holds or computes a part only of one of the dimensions.
bool isUnsplit(const ValueFacts &value, std::span<const int64_t> dims);

/// True when a sum of so many terms means something in any order: integers, or
/// n u, a bound for both orders' rounding together, is at most the share of the
/// terms' magnitudes beyond which npu-run calls no results equal.
bool maySumInParts(ElementType type, double terms);

/// True when a sum over these dimensions is the same as that of a reference
/// that adds up in the same parts: the recipe is exact, the type holds the sum
/// in any order, or tiles do not share it.
bool sumIsSafe(const ValueFacts &value, std::span<const int64_t> dims,
               bool exact);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_STEPKIND_H
