// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of scf.index_switch that carry tensors.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Steps/Carried.h"

namespace npu {
namespace {

/// Operands: a scalar i32, then the values that the cases use. The first body
/// is the default.
void proposeSwitch(RecipeBuilder &builder, const StepKind &kind) {
  Step step{&kind, {builder.scalar(ElementType::I32)}};
  step.operands.push_back(*builder.pick());
  const ValueFacts like = builder[step.operands[1]];
  for (int64_t more = builder.below(3); more > 0; --more)
    step.operands.push_back(builder.valueLike(like));
  auto given = static_cast<unsigned>(step.operands.size()) - 1;
  unsigned yields = builder.oneIn(2) ? 2 : 1;
  bool handsOn = builder.oneIn(2);
  for (int64_t cases = builder.between(1, 4); cases > 0; --cases)
    step.bodies.push_back(handsOn
                              ? handingBody(builder, like.type, given, yields)
                              : randomBody(builder, like.type, given, yields));
  step.secondLayout = builder.layout(like.shape);
  builder.addPair(std::move(step));
}

std::optional<ValueFacts> inferSwitch(const Step &step,
                                      const Operands &operands, bool exact) {
  if (!operands[0]->scalar || operands[0]->type != ElementType::I32)
    return std::nullopt;
  return resultsOfAny(step.bodies, operands, 1, exact);
}

/// Writes the switch. Its argument may be one number more than there are cases,
/// which selects the default.
void writeSwitch(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  std::vector<std::string> given = namesOf(writer, 1, operands.size());
  std::string count = writer.constant(ElementType::I32,
                                      static_cast<int>(step.bodies.size())),
              within = writer.fresh(), which = writer.fresh();
  writer.line("{} = arith.remui {}, {} : i32", within, writer.operand(0),
              count);
  writer.line("{} = arith.index_cast {} : i32 to index", which, within);
  auto isDefault = [&] {
    std::string zero = writer.constant(ElementType::I32, 0),
                name = writer.fresh();
    writer.line("{} = arith.cmpi eq, {}, {} : i32", name, within, zero);
    return name;
  };
  writer.line("{} = scf.index_switch {} -> {}", resultsOf(result, writer),
              which,
              typesOf(writer.type(result), step.bodies[0].yields.size()));
  for (unsigned body = 1; body <= step.bodies.size(); ++body) {
    bool last = body == step.bodies.size();
    writer.line("{} {{",
                last ? std::string("default") : fmt::format("case {}", body));
    writeRegion(step, last ? 0 : body, given, result, isDefault, writer);
    writer.line("}}");
  }
}

constexpr StepKind kKinds[] = {
    {"index_switch", proposeSwitch, inferSwitch, writeSwitch},
    {"index_switch", proposeSwitch, inferSwitch, writeSwitch},
};

} // namespace

std::span<const StepKind> switchKinds() { return kKinds; }

} // namespace npu
