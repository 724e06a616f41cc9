// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/StepBody.h"

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

namespace npu {
namespace {

/// How an operation of a body is written: on tensors, as a named operation, as
/// a move there and back, as an scf.if of which one branch computes and the
/// other one only yields; or it is a constant, whose value is the row.
enum BodyForm : int64_t {
  AsTensors,
  AsNamed,
  Moves,
  Branches,
  Constant,
  BodyFormCount
};

std::string tensorOperation(const ElementwiseRow &row, const std::string &a,
                            const std::string &b, const std::string &type,
                            RecipeWriter &writer) {
  std::string name = writer.fresh();
  writer.line("{} = {} {}, {} : {}", name, row.op, a, b, type);
  return name;
}

} // namespace

StepBody randomBody(RecipeBuilder &builder, ElementType type, unsigned given,
                    unsigned yields) {
  StepBody body;
  auto rows = std::ssize(rowsFor(type, true));
  auto anyValue = [&] {
    return static_cast<unsigned>(builder.below(given + std::ssize(body.steps)));
  };
  int64_t count = builder.oneIn(3) ? 0 : builder.between(1, 3);
  for (int64_t i = 0; i < count; ++i) {
    InnerStep step;
    step.form = builder.oneIn(4) ? builder.between(Moves, Branches)
                                 : builder.below(Moves);
    step.row = builder.below(rows);
    step.a = anyValue();
    step.b = anyValue();
    body.steps.push_back(step);
  }
  for (unsigned i = 0; i < yields; ++i)
    body.yields.push_back(
        count && !builder.oneIn(3)
            ? given + static_cast<unsigned>(std::ssize(body.steps)) - 1 -
                  static_cast<unsigned>(builder.below(count))
            : anyValue());
  return body;
}

StepBody handingBody(RecipeBuilder &builder, ElementType type, unsigned given,
                     unsigned yields) {
  StepBody body;
  auto anyGiven = [&] { return static_cast<unsigned>(builder.below(given)); };
  switch (builder.below(5)) {
  case 0: // round and round
    for (unsigned i = 0; i < yields; ++i)
      body.yields.push_back((i + 1) % given);
    break;
  case 1: // one value, which the body may not make
    body.yields.assign(yields, anyGiven());
    break;
  case 2: // one value, which it makes
    body = randomBody(builder, type, given, 1);
    body.yields.assign(yields, body.yields[0]);
    break;
  case 3: // one constant
    body.steps = {{Constant, builder.below(4), 0, 0}};
    body.yields.assign(yields, given);
    break;
  default: // a constant and something that it is given
    body.steps = {{Constant, builder.below(4), 0, 0}};
    for (unsigned i = 0; i < yields; ++i)
      body.yields.push_back(i == 0 ? given : anyGiven());
    builder.shuffle(body.yields);
  }
  return body;
}

std::optional<std::vector<double>> mostOf(const StepBody &body,
                                          ElementType type,
                                          std::vector<double> given,
                                          bool exact) {
  auto rows = rowsFor(type, true);
  for (const InnerStep &step : body.steps) {
    if (step.form >= BodyFormCount || step.a >= given.size() ||
        step.b >= given.size() || step.row >= std::ssize(rows))
      return std::nullopt;
    if (step.form == Moves || step.form == Constant) {
      given.push_back(step.form == Moves ? given[step.a]
                                         : static_cast<double>(step.row));
      continue;
    }
    const ElementwiseRow &row = rows[step.row];
    double most = row.most(given[step.a], given[step.b]);
    if ((exact && !row.isExact) || !mayReach(type, most, exact) ||
        (step.form == AsNamed && !row.hasNamed(type)))
      return std::nullopt;
    if (step.form == Branches)
      most = std::max(most, given[step.b]);
    given.push_back(isFloat(type) ? most : 0x1p63);
  }
  std::vector<double> yielded;
  for (unsigned value : body.yields) {
    if (value >= given.size())
      return std::nullopt;
    yielded.push_back(given[value]);
  }
  return yielded;
}

std::vector<std::string> write(const StepBody &body,
                               std::vector<std::string> given,
                               const ValueFacts &value, const Layout &between,
                               llvm::function_ref<std::string()> condition,
                               RecipeWriter &writer) {
  auto rows = rowsFor(value.type, true);
  std::string type = writer.type(value);
  for (const InnerStep &step : body.steps) {
    const ElementwiseRow &row = rows[step.row];
    std::string a = given[step.a], b = given[step.b];
    if (step.form == Moves) {
      ValueFacts moved = value;
      moved.layout = between;
      std::string there = writer.fresh(), back = writer.fresh();
      writer.line("{} = npu.redistribute {} : {} to {}", there, a, type,
                  writer.type(moved));
      writer.line("{} = npu.redistribute {} : {} to {}", back, there,
                  writer.type(moved), type);
      given.push_back(back);
      continue;
    }
    if (step.form == Constant) {
      given.push_back(writer.fresh());
      writer.line("{} = arith.constant dense<{}> : {}", given.back(),
                  literal(value.type, static_cast<int>(step.row)), type);
      continue;
    }
    if (step.form == AsTensors) {
      given.push_back(tensorOperation(row, a, b, type, writer));
      continue;
    }
    if (step.form == Branches) {
      std::string which = condition();
      given.push_back(writer.fresh());
      writer.line("{} = scf.if {} -> ({}) {{", given.back(), which, type);
      std::string computed = tensorOperation(row, a, b, type, writer);
      writer.line("scf.yield {} : {}", computed, type);
      writer.line("}} else {{");
      writer.line("scf.yield {} : {}", b, type);
      writer.line("}}");
      continue;
    }
    std::string empty = writer.empty(value);
    given.push_back(writer.fresh());
    writer.line("{} = {} ins({}, {} : {}, {}) outs({} : {}) -> {}",
                given.back(), row.named, a, b, type, type, empty, type, type);
  }
  std::vector<std::string> yielded;
  yielded.reserve(body.yields.size());
  for (unsigned number : body.yields)
    yielded.push_back(given[number]);
  return yielded;
}

std::vector<StepBody> simplerBodies(const StepBody &body, unsigned given) {
  std::vector<StepBody> simpler;
  // Drop one operation: users of its value use its operand.
  for (std::size_t gone = 0; gone < body.steps.size(); ++gone) {
    StepBody less = body;
    unsigned number = given + static_cast<unsigned>(gone);
    unsigned instead = body.steps[gone].a;
    less.steps.erase(less.steps.begin() + static_cast<std::ptrdiff_t>(gone));
    auto renumber = [&](unsigned &value) {
      if (value == number)
        value = instead;
      else if (value > number)
        --value;
    };
    for (InnerStep &step : less.steps) {
      renumber(step.a);
      renumber(step.b);
    }
    for (unsigned &value : less.yields)
      renumber(value);
    simpler.push_back(std::move(less));
  }
  for (std::size_t i = 0; i < body.yields.size(); ++i)
    if (body.yields[i] != 0) {
      StepBody less = body;
      less.yields[i] = 0;
      simpler.push_back(std::move(less));
    }
  return simpler;
}

} // namespace npu
