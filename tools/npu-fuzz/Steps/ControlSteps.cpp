// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of control flow and calls that carry tensors: scf.if, for, while and
// execute_region, and calls of functions of the module. Their bodies keep type,
// shape and layout (StepBody.h).

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Steps/Carried.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

/// A step with a tensor, some values like it, and one or two bodies that take
/// them and yield one or two values.
Step randomCarrier(RecipeBuilder &builder, const StepKind &kind,
                   unsigned bodies) {
  Step step{&kind};
  unsigned first = *builder.pick();
  const ValueFacts like = builder[first];
  step.operands.push_back(first);
  for (int64_t more = builder.below(3); more > 0; --more)
    step.operands.push_back(builder.valueLike(like));
  auto given = static_cast<unsigned>(step.operands.size());
  unsigned yields = given > 1 && builder.oneIn(2) ? 2 : 1;
  for (unsigned i = 0; i < bodies; ++i)
    step.bodies.push_back(randomBody(builder, like.type, given, yields));
  step.secondLayout = builder.layout(like.shape);
  return step;
}

std::string writeTrue(RecipeWriter &writer) {
  std::string name = writer.fresh();
  writer.line("{} = arith.constant true", name);
  return name;
}

/// Writes the condition that a counter has its first value.
std::string writeIsFirst(RecipeWriter &writer, const std::string &counter,
                         const std::string &first) {
  std::string name = writer.fresh();
  writer.line("{} = arith.cmpi eq, {}, {} : index", name, counter, first);
  return name;
}

/// Operands: an i1, then the values that the branches use.
void proposeIf(RecipeBuilder &builder, const StepKind &kind) {
  Step step = randomCarrier(builder, kind, 2);
  step.operands.insert(step.operands.begin(), builder.flag());
  builder.addPair(std::move(step));
}

std::optional<ValueFacts> inferIf(const Step &step, const Operands &operands,
                                  bool exact) {
  if (!isFlag(*operands[0]))
    return std::nullopt;
  return resultsOfAny(step.bodies, operands, 1, exact);
}

void writeIf(const Step &step, const Operands &operands,
             const ValueFacts &result, RecipeWriter &writer) {
  std::vector<std::string> given = namesOf(writer, 1, operands.size());
  auto flag = [&] { return writer.operand(0); };
  std::string name = resultsOf(result, writer);
  writer.line("{} = scf.if {} -> ({}) {{", name, writer.operand(0),
              typesOf(writer.type(result), step.bodies[0].yields.size()));
  writeRegion(step, 0, given, result, flag, writer);
  writer.line("}} else {{");
  writeRegion(step, 1, given, result, flag, writer);
  writer.line("}}");
}

/// Operands: the values that are carried from one iteration to the next, as
/// many as the body yields, and other values that it uses. Numbers: how often
/// the loop runs.
void proposeLoop(RecipeBuilder &builder, const StepKind &kind) {
  Step step = randomCarrier(builder, kind, 1);
  step.numbers = {builder.below(4)};
  builder.addPair(std::move(step));
}

std::optional<ValueFacts> inferLoop(const Step &step, const Operands &operands,
                                    bool exact) {
  if (!areAlike(operands, 0) || step.bodies[0].yields.size() > operands.size())
    return std::nullopt;
  std::vector<double> given = mostOfEach(operands, 0);
  for (int64_t i = 0; i < step.numbers[0]; ++i) {
    auto yielded = mostOf(step.bodies[0], operands[0]->type, given, exact);
    if (!yielded)
      return std::nullopt;
    std::copy(yielded->begin(), yielded->end(), given.begin());
  }
  // Check the body also where it never runs, because it has to be legal anyway.
  if (!mostOf(step.bodies[0], operands[0]->type, given, exact))
    return std::nullopt;
  given.resize(step.bodies[0].yields.size());
  return resultsLike(*operands[0], given);
}

/// The text "%a = %v1, %b = %v2" of the carried values, whose names become
/// those of the arguments.
std::string carry(std::vector<std::string> &names, std::size_t carried,
                  const std::string &as) {
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < carried; ++i) {
    std::string argument = fmt::format("{}{}", as, i);
    pairs.push_back(argument + " = " + names[i]);
    names[i] = argument;
  }
  return fmt::format("{}", fmt::join(pairs, ", "));
}

void writeBound(RecipeWriter &writer, std::string &name, int64_t value) {
  name = writer.fresh();
  writer.line("{} = arith.constant {} : index", name, value);
}

void writeFor(const Step &step, const Operands &operands,
              const ValueFacts &result, RecipeWriter &writer) {
  std::size_t carried = step.bodies[0].yields.size();
  std::vector<std::string> names = namesOf(writer, 0, operands.size());
  std::string first, last, by, counter = writer.fresh(),
                               arguments = writer.fresh();
  writeBound(writer, first, 1);
  writeBound(writer, last, 1 + 2 * step.numbers[0]);
  writeBound(writer, by, 2);
  std::string carrying = carry(names, carried, arguments + "_");
  writer.line("{} = scf.for {} = {} to {} step {} iter_args({}) -> ({}) {{",
              resultsOf(result, writer), counter, first, last, by, carrying,
              typesOf(writer.type(result), carried));
  auto isFirst = [&] { return writeIsFirst(writer, counter, first); };
  writeRegion(step, 0, names, result, isFirst, writer);
  writer.line("}}");
}

/// Writes a while loop that carries the tensors and a counter and returns the
/// values of the last iteration.
void writeWhile(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer) {
  std::size_t carried = step.bodies[0].yields.size();
  std::vector<std::string> names = namesOf(writer, 0, operands.size());
  std::string zero, one, last, prefix = writer.fresh(), holds = writer.fresh(),
                               next = writer.fresh();
  writeBound(writer, zero, 0);
  writeBound(writer, one, 1);
  writeBound(writer, last, step.numbers[0]);
  std::string types = typesOf(writer.type(result), carried);
  std::string carrying = carry(names, carried, prefix + "_");
  std::vector<std::string> arguments(names.begin(), names.begin() + carried),
      blockArguments;
  for (const std::string &name : arguments)
    blockArguments.push_back(name + "d: " + writer.type(result));
  std::string base = writer.result();
  writer.line("{}:{} = scf.while ({}, {}_k = {}) : ({}, index) -> ({}, index) "
              "{{",
              base, carried + 1, carrying, prefix, zero, types, types);
  writer.line("{} = arith.cmpi slt, {}_k, {} : index", holds, prefix, last);
  writer.line("scf.condition({}) {}, {}_k : {}, index", holds,
              fmt::join(arguments, ", "), prefix, types);
  writer.line("}} do {{");
  writer.line("^bb0({}, {}_kd: index):", fmt::join(blockArguments, ", "),
              prefix);
  for (std::size_t i = 0; i < carried; ++i)
    names[i] += "d";
  std::vector<std::string> yielded = write(
      step.bodies[0], names, result, step.secondLayout,
      [&] { return writeIsFirst(writer, prefix + "_kd", zero); }, writer);
  writer.line("{} = arith.addi {}_kd, {} : index", next, prefix, one);
  writer.line("scf.yield {}, {} : {}, index", fmt::join(yielded, ", "), next,
              types);
  writer.line("}}");
  writer.callResult(base + "#0");
}

void proposeRegion(RecipeBuilder &builder, const StepKind &kind) {
  builder.addPair(randomCarrier(builder, kind, 1));
}

std::optional<ValueFacts> inferRegion(const Step &step,
                                      const Operands &operands, bool exact) {
  return resultsOfAny(step.bodies, operands, 0, exact);
}

void writeRegionOp(const Step &step, const Operands &operands,
                   const ValueFacts &result, RecipeWriter &writer) {
  std::vector<std::string> given = namesOf(writer, 0, operands.size());
  writer.line("{} = scf.execute_region -> ({}) {{", resultsOf(result, writer),
              typesOf(writer.type(result), step.bodies[0].yields.size()));
  writeRegion(
      step, 0, given, result, [&] { return writeTrue(writer); }, writer);
  writer.line("}}");
}

/// Writes a function and as many calls of it as the number says, each with the
/// results of the one before.
void writeCall(const Step &step, const Operands &operands,
               const ValueFacts &result, RecipeWriter &writer) {
  std::string type = writer.type(result), name = writer.result().substr(1);
  std::size_t count = step.bodies[0].yields.size();
  std::vector<std::string> arguments, given;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    given.push_back(fmt::format("%arg{}", i));
    arguments.push_back(given.back() + ": " + type);
  }
  std::string types = typesOf(type, count);
  std::vector<std::string> yielded;
  std::string body = writer.apart([&] {
    yielded = write(
        step.bodies[0], given, result, step.secondLayout,
        [&] { return writeTrue(writer); }, writer);
  });
  writer.addFunction(fmt::format(
      "func.func private @of_{}({}) -> ({}) {{\n{}  return {} : {}\n}}\n", name,
      fmt::join(arguments, ", "), types, body, fmt::join(yielded, ", "),
      types));
  std::vector<std::string> values = namesOf(writer, 0, operands.size());
  for (int64_t left = step.numbers[0]; left > 0; --left) {
    bool last = left == 1;
    std::string results = last ? writer.result() : writer.fresh();
    writer.line("{}{} = func.call @of_{}({}) : ({}) -> ({})", results,
                count == 2 ? ":2" : "", name, fmt::join(values, ", "),
                typesOf(type, values.size()), types);
    for (std::size_t i = 0; i < count && !last; ++i)
      values[i] = count == 2 ? fmt::format("{}#{}", results, i) : results;
  }
  if (count == 2)
    writer.callResult(writer.result() + "#0");
}

void proposeCall(RecipeBuilder &builder, const StepKind &kind) {
  Step step = randomCarrier(builder, kind, 1);
  step.numbers = {builder.between(1, 2)};
  builder.addPair(std::move(step));
}

constexpr StepKind kKinds[] = {
    {"if", proposeIf, inferIf, writeIf},
    {"if", proposeIf, inferIf, writeIf},
    {"for", proposeLoop, inferLoop, writeFor},
    {"while", proposeLoop, inferLoop, writeWhile},
    {"execute_region", proposeRegion, inferRegion, writeRegionOp},
    {"call", proposeCall, inferLoop, writeCall},
};

} // namespace

std::span<const StepKind> controlKinds() { return kKinds; }

} // namespace npu
