// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bodies of steps that have regions: operations that keep type, shape and
// layout, so that any of their values can replace any other.

#ifndef NPU_FUZZ_RECIPES_STEPBODY_H
#define NPU_FUZZ_RECIPES_STEPBODY_H

#include "npu-fuzz/Recipes/StepKind.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace npu {

class RecipeBuilder;
class RecipeWriter;

/// A random body with `given` arguments that yields `yields` values. Every
/// third body has no operations.
StepBody randomBody(RecipeBuilder &builder, ElementType type, unsigned given,
                    unsigned yields);

/// A body that yields one value several times, its arguments in reverse order,
/// or a constant.
StepBody handingBody(RecipeBuilder &builder, ElementType type, unsigned given,
                     unsigned yields);

/// Bounds of the magnitudes that the body yields for arguments with the bounds
/// `given`; nothing when the body is not legal.
std::optional<std::vector<double>> mostOf(const StepBody &body,
                                          ElementType type,
                                          std::vector<double> given,
                                          bool exact);

/// Writes the operations and gives the names of the yielded values. `value` has
/// the type of all of them, and `between` the layout of moves there and back;
/// `condition` writes and names an i1.
std::vector<std::string> write(const StepBody &body,
                               std::vector<std::string> given,
                               const ValueFacts &value, const Layout &between,
                               llvm::function_ref<std::string()> condition,
                               RecipeWriter &writer);

/// All bodies with one operation less or one simpler operation.
std::vector<StepBody> simplerBodies(const StepBody &body, unsigned given);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_STEPBODY_H
