// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands inside of a step that has regions: operations that keep type,
// shape and layout, so that any of their values can be handed on in place of
// any other.

#ifndef NPU_LIB_FUZZ_RECIPES_STEPBODY_H
#define NPU_LIB_FUZZ_RECIPES_STEPBODY_H

#include "npu/Fuzz/Recipes/StepKind.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace npu {

class RecipeBuilder;
class RecipeWriter;

/// A body that is given so many values and yields `yields`. Every third does
/// nothing but yield.
StepBody randomBody(RecipeBuilder &builder, ElementType type, unsigned given,
                    unsigned yields);

/// A body that hands on: one value as all of what it yields, what it is given
/// the other way round, or a constant.
StepBody handingBody(RecipeBuilder &builder, ElementType type, unsigned given,
                     unsigned yields);

/// How large the values that it yields can be when it is given such; nothing
/// when it is not legal.
std::optional<std::vector<double>> mostOf(const StepBody &body,
                                          ElementType type,
                                          std::vector<double> given,
                                          bool exact);

/// Writes the operations; the names of what it yields. `value` has the type of
/// all of them, and `between` the layout of those that move there and back;
/// `condition` writes and names an i1.
std::vector<std::string> write(const StepBody &body,
                               std::vector<std::string> given,
                               const ValueFacts &value, const Layout &between,
                               llvm::function_ref<std::string()> condition,
                               RecipeWriter &writer);

/// Every body with one operation or one difference less.
std::vector<StepBody> simplerBodies(const StepBody &body, unsigned given);

} // namespace npu

#endif // NPU_LIB_FUZZ_RECIPES_STEPBODY_H
