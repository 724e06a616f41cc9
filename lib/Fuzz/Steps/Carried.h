// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of one type that regions and functions of our own are given and hand
// on, one or two of them.

#ifndef NPU_LIB_FUZZ_STEPS_CARRIED_H
#define NPU_LIB_FUZZ_STEPS_CARRIED_H

#include "../Recipes/StepBody.h"

#include <string>
#include <vector>

namespace npu {

/// All of one type, shape and layout: one type for all that is carried.
bool areAlike(const Operands &operands, std::size_t from);

/// How large each of them can be.
std::vector<double> mostOfEach(const Operands &operands, std::size_t from);

/// One value or two, like the carried ones.
std::optional<ValueFacts> resultsLike(const ValueFacts &carried,
                                      const std::vector<double> &most);

/// What comes out of one of several bodies; nothing where one is not legal or
/// yields another number of values.
std::optional<ValueFacts> resultsOfAny(std::span<const StepBody> bodies,
                                       const Operands &operands,
                                       std::size_t from, bool exact);

/// "%v3" or "%v3:2", and what the value is called from here on.
std::string resultsOf(const ValueFacts &result, RecipeWriter &writer);

/// "T" or "T, T".
std::string typesOf(const std::string &type, std::size_t count);

/// Names of the operands from that one on.
std::vector<std::string> namesOf(RecipeWriter &writer, std::size_t from,
                                 std::size_t count);

/// Writes a region's operations and its terminator.
void writeRegion(const Step &step, unsigned body,
                 const std::vector<std::string> &given, const ValueFacts &value,
                 llvm::function_ref<std::string()> condition,
                 RecipeWriter &writer);

} // namespace npu

#endif // NPU_LIB_FUZZ_STEPS_CARRIED_H
