// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of one type that regions and functions take and hand on, one or two
// of them.

#ifndef NPU_FUZZ_STEPS_CARRIED_H
#define NPU_FUZZ_STEPS_CARRIED_H

#include "npu-fuzz/Recipes/StepBody.h"

#include <string>
#include <vector>

namespace npu {

/// Whether the operands from `from` on have the same type, shape and layout.
bool areAlike(const Operands &operands, std::size_t from);

/// Bounds of their magnitudes.
std::vector<double> mostOfEach(const Operands &operands, std::size_t from);

/// The facts of one result or two, like the carried values.
std::optional<ValueFacts> resultsLike(const ValueFacts &carried,
                                      const std::vector<double> &most);

/// The facts of the results of one of several bodies; nothing where a body is
/// not legal or yields another number of values.
std::optional<ValueFacts> resultsOfAny(std::span<const StepBody> bodies,
                                       const Operands &operands,
                                       std::size_t from, bool exact);

/// The result's text, "%v3" or "%v3:2"; also sets the name of the value.
std::string resultsOf(const ValueFacts &result, RecipeWriter &writer);

/// A list of `count` equal types: "T" or "T, T".
std::string typesOf(const std::string &type, std::size_t count);

/// The names of `count` operands from `from` on.
std::vector<std::string> namesOf(RecipeWriter &writer, std::size_t from,
                                 std::size_t count);

/// Writes a region's operations and its terminator.
void writeRegion(const Step &step, unsigned body,
                 const std::vector<std::string> &given, const ValueFacts &value,
                 llvm::function_ref<std::string()> condition,
                 RecipeWriter &writer);

} // namespace npu

#endif // NPU_FUZZ_STEPS_CARRIED_H
