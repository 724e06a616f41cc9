// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Steps/Carried.h"

#include "npu-fuzz/Recipes/RecipeWriter.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace npu {

bool areAlike(const Operands &operands, std::size_t from) {
  if (operands.size() <= from)
    return false;
  const ValueFacts &first = *operands[from];
  return !first.scalar && llvm::all_of(llvm::drop_begin(operands, from),
                                       [&](const ValueFacts *value) {
                                         return value->type == first.type &&
                                                value->shape == first.shape &&
                                                value->layout == first.layout;
                                       });
}

std::vector<double> mostOfEach(const Operands &operands, std::size_t from) {
  std::vector<double> most;
  for (const ValueFacts *operand : llvm::drop_begin(operands, from))
    most.push_back(operand->most);
  return most;
}

std::optional<ValueFacts> resultsLike(const ValueFacts &carried,
                                      const std::vector<double> &most) {
  if (most.empty() || most.size() > 2)
    return std::nullopt;
  ValueFacts result = carried;
  result.second = nullptr;
  result.most = most[0];
  if (most.size() == 2) {
    ValueFacts second = result;
    second.most = most[1];
    result.second = std::make_shared<const ValueFacts>(std::move(second));
  }
  return result;
}

std::optional<ValueFacts> resultsOfAny(std::span<const StepBody> bodies,
                                       const Operands &operands,
                                       std::size_t from, bool exact) {
  if (!areAlike(operands, from))
    return std::nullopt;
  std::vector<double> given = mostOfEach(operands, from), most;
  for (const StepBody &body : bodies) {
    auto yielded = mostOf(body, operands[from]->type, given, exact);
    if (!yielded || (!most.empty() && most.size() != yielded->size()))
      return std::nullopt;
    most.resize(yielded->size());
    for (auto [a, b] : llvm::zip(most, *yielded))
      a = std::max(a, b);
  }
  return resultsLike(*operands[from], most);
}

std::string resultsOf(const ValueFacts &result, RecipeWriter &writer) {
  std::string name = writer.result();
  if (!result.second)
    return name;
  writer.callResult(name + "#0");
  return name + ":2";
}

std::string typesOf(const std::string &type, std::size_t count) {
  return fmt::format("{}",
                     fmt::join(std::vector<std::string>(count, type), ", "));
}

std::vector<std::string> namesOf(RecipeWriter &writer, std::size_t from,
                                 std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = from; i < count; ++i)
    names.push_back(writer.operand(i));
  return names;
}

void writeRegion(const Step &step, unsigned body,
                 const std::vector<std::string> &given, const ValueFacts &value,
                 llvm::function_ref<std::string()> condition,
                 RecipeWriter &writer) {
  std::vector<std::string> yielded = write(
      step.bodies[body], given, value, step.secondLayout, condition, writer);
  writer.line("scf.yield {} : {}", fmt::join(yielded, ", "),
              typesOf(writer.type(value), yielded.size()));
}

} // namespace npu
