// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that make tensors of i1 and of other types that no other steps make:
// comparisons, masks, selects by them, and moves between layouts in small
// types.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

namespace npu {
namespace {

constexpr const char *kFloatPredicates[] = {"olt", "oge", "oeq", "une", "ult"};
constexpr const char *kIntegerPredicates[] = {"slt", "sge", "eq", "ne", "ult"};
constexpr const char *kLogic[] = {"arith.andi", "arith.ori", "arith.xori"};

/// Whether the step is a generic, or an operation on tensors of one layout.
bool isGeneric(const Step &step) {
  return static_cast<Form>(step.numbers[1]) == Form::Generic;
}

int64_t eitherForm(RecipeBuilder &builder) {
  return static_cast<int64_t>(builder.oneIn(2) ? Form::Generic : Form::Scalar);
}

/// Whether all operands have the layout of the first, which is that of the
/// result.
bool haveOneLayout(const Operands &operands) {
  return llvm::all_of(operands, [&](const ValueFacts *operand) {
    return operand->layout == operands[0]->layout;
  });
}

/// A second operand for a step with the operand `first`.
unsigned beside(RecipeBuilder &builder, const ValueFacts &first,
                ElementType type, int64_t form) {
  if (static_cast<Form>(form) == Form::Generic)
    return builder.valueOf(first.shape, type);
  ValueFacts wanted = first;
  wanted.type = type;
  return builder.valueLike(wanted);
}

/// Writes a generic with identity maps, in whose body `op` is applied to %x0,
/// %x1, ...
void writeGeneric(const char *op, const std::string &opType,
                  const Operands &operands, const ValueFacts &result,
                  RecipeWriter &writer) {
  std::size_t rank = result.shape.size();
  std::string identity = mapOf(rank, identityPermutation(rank).span());
  std::string maps, names, types, block, uses, empty = writer.empty(result);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    std::string comma = i ? ", " : "";
    maps += identity + ", ";
    names += comma + writer.operand(i);
    types += comma + writer.type(*operand);
    block += fmt::format("%x{}: {}, ", i, nameOf(operand->type));
    uses += fmt::format("{}%x{}", comma, i);
  }
  writer.line("{} = linalg.generic {{indexing_maps = [{}{}], iterator_types = "
              "{}}} ins({} : {}) outs({} : {}) {{",
              writer.result(), maps, identity, parallelLoops(rank), names,
              types, empty, writer.type(result));
  writer.line("^bb0({}%old: {}):", block, nameOf(result.type));
  writer.line("  %new = {} {} : {}", op, uses, opType);
  writer.line("  linalg.yield %new : {}", nameOf(result.type));
  writer.line("}} -> {}", writer.type(result));
}

/// Numbers: the predicate or the operation, and the form.
void proposeCompare(RecipeBuilder &builder, const StepKind &kind) {
  unsigned a = *builder.pick();
  const ValueFacts first = builder[a];
  int64_t form = eitherForm(builder);
  unsigned b = beside(builder, first, first.type, form);
  builder.addWithLayout({&kind, {a, b}, {builder.below(5), form}});
}

std::optional<ValueFacts> inferCompare(const Step &step,
                                       const Operands &operands, bool) {
  const ValueFacts &a = *operands[0], &b = *operands[1];
  if (a.type != b.type || a.shape != b.shape ||
      (!isGeneric(step) && !haveOneLayout(operands)))
    return std::nullopt;
  ValueFacts result = factsWith(step, a.shape, ElementType::Bool, 1);
  if (!isGeneric(step))
    result.layout = a.layout;
  return result;
}

void writeCompare(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  ElementType type = operands[0]->type;
  std::string op =
      isFloat(type)
          ? fmt::format("arith.cmpf {},", kFloatPredicates[step.numbers[0]])
          : fmt::format("arith.cmpi {},", kIntegerPredicates[step.numbers[0]]);
  if (isGeneric(step))
    return writeGeneric(op.c_str(), nameOf(type), operands, result, writer);
  writer.line("{} = {} {}, {} : {}", writer.result(), op, writer.operand(0),
              writer.operand(1), writer.type(*operands[0]));
}

bool isMask(const ValueFacts &value) { return value.type == ElementType::Bool; }

/// An existing mask, or an argument of the shape of an existing value.
unsigned maskOf(RecipeBuilder &builder) {
  if (auto mask = builder.pick(isMask); mask && !builder.oneIn(4))
    return *mask;
  const Extents shape = builder[*builder.pick()].shape;
  return builder.argument(shape, ElementType::Bool);
}

void proposeLogic(RecipeBuilder &builder, const StepKind &kind) {
  unsigned a = maskOf(builder);
  const ValueFacts first = builder[a];
  int64_t form = eitherForm(builder);
  unsigned b = beside(builder, first, ElementType::Bool, form);
  builder.addWithLayout({&kind, {a, b}, {builder.below(3), form}});
}

std::optional<ValueFacts> inferLogic(const Step &step, const Operands &operands,
                                     bool exact) {
  return isMask(*operands[0]) ? inferCompare(step, operands, exact)
                              : std::nullopt;
}

void writeLogic(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer) {
  const char *op = kLogic[step.numbers[0]];
  if (isGeneric(step))
    return writeGeneric(op, "i1", operands, result, writer);
  writer.line("{} = {} {}, {} : {}", writer.result(), op, writer.operand(0),
              writer.operand(1), writer.type(result));
}

/// Operands: the condition, a tensor or one i1 for all entries, and two values.
void proposeSelect(RecipeBuilder &builder, const StepKind &kind) {
  unsigned mask = maskOf(builder);
  const ValueFacts first = builder[mask];
  int64_t form = eitherForm(builder);
  ElementType type = builder.mainType();
  unsigned a = beside(builder, first, type, form);
  unsigned b = beside(builder, first, type, form);
  builder.addWithLayout({&kind, {mask, a, b}, {0, form}});
}

void proposeSelectByFlag(RecipeBuilder &builder, const StepKind &kind) {
  unsigned a = *builder.pick();
  unsigned b = builder.valueLike(builder[a]);
  unsigned flag = builder.flag();
  builder.add({&kind, {flag, a, b}, {0, static_cast<int64_t>(Form::Scalar)}});
}

std::optional<ValueFacts> inferSelect(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &mask = *operands[0], &a = *operands[1], &b = *operands[2];
  bool byFlag = mask.scalar;
  if (!isMask(mask) || a.type != b.type || a.shape != b.shape ||
      (!byFlag && mask.shape != a.shape) ||
      (!isGeneric(step) && a.layout != b.layout) ||
      (!isGeneric(step) && !byFlag && !haveOneLayout(operands)))
    return std::nullopt;
  ValueFacts result =
      factsWith(step, a.shape, a.type, std::max(a.most, b.most));
  if (!isGeneric(step))
    result.layout = a.layout;
  return result;
}

void writeSelect(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  if (isGeneric(step))
    return writeGeneric("arith.select", nameOf(result.type), operands, result,
                        writer);
  std::string types = writer.type(result);
  if (!operands[0]->scalar)
    types = writer.type(*operands[0]) + ", " + types;
  writer.line("{} = arith.select {}, {}, {} : {}", writer.result(),
              writer.operand(0), writer.operand(1), writer.operand(2), types);
}

/// A conversion to another type, a move to another layout, and a conversion
/// back.
struct Detour {
  const char *to, *through, *back;
};
constexpr Detour kIntegerDetours[] = {
    {"index", "arith.index_cast", "arith.index_cast"},
    {"i1", "arith.trunci", "arith.extui"},
    {"i64", "arith.extsi", "arith.trunci"},
    {"i4", "arith.trunci", "arith.extsi"},
};
constexpr Detour kBits[] = {{"i16", "tensor.bitcast", "tensor.bitcast"},
                            {"i32", "tensor.bitcast", "tensor.bitcast"},
                            {"f32", "tensor.bitcast", "tensor.bitcast"},
                            {"i64", "tensor.bitcast", "tensor.bitcast"}};

const Detour *detourOf(const Step &step, ElementType type) {
  switch (type) {
  case ElementType::F16:
  case ElementType::BF16:
    return &kBits[0];
  case ElementType::F32:
    return &kBits[1];
  case ElementType::F64:
    return &kBits[3];
  case ElementType::I32:
    if (step.numbers[0] == 4)
      return &kBits[2];
    [[fallthrough]];
  case ElementType::I8:
  case ElementType::I16:
    return &kIntegerDetours[step.numbers[0] % std::size(kIntegerDetours)];
  default:
    return nullptr;
  }
}

void proposeDetour(RecipeBuilder &builder, const StepKind &kind) {
  builder.addWithLayout({&kind, {*builder.pick()}, {builder.below(5)}});
}

std::optional<ValueFacts> inferDetour(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  if (!detourOf(step, value.type))
    return std::nullopt;
  return factsWith(step, value.shape, value.type, value.most);
}

void writeDetour(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  const Detour &detour = *detourOf(step, result.type);
  auto typeOf = [&](const ValueFacts &value) {
    std::string text = writer.type(value), element = nameOf(value.type);
    // The element type is in front of the layout, or at the end.
    std::size_t end = text.find(", "), begin = std::min(end, text.size() - 1);
    return text.replace(begin - element.size(), element.size(), detour.to);
  };
  std::string other = writer.fresh(), moved = writer.fresh();
  std::string from = typeOf(*operands[0]), to = typeOf(result);
  writer.line("{} = {} {} : {} to {}", other, detour.through, writer.operand(0),
              writer.type(*operands[0]), from);
  writer.line("{} = npu.redistribute {} : {} to {}", moved, other, from, to);
  writer.line("{} = {} {} : {} to {}", writer.result(), detour.back, moved, to,
              writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"compare", proposeCompare, inferCompare, writeCompare},
    {"compare", proposeCompare, inferCompare, writeCompare},
    {"logic", proposeLogic, inferLogic, writeLogic},
    {"select", proposeSelect, inferSelect, writeSelect},
    {"select", proposeSelectByFlag, inferSelect, writeSelect},
    {"detour", proposeDetour, inferDetour, writeDetour},
};

} // namespace

std::span<const StepKind> maskKinds() { return kKinds; }

} // namespace npu
