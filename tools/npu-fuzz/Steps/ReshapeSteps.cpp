// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that give the same elements another shape: transposes, permute_casts,
// expansions, collapses, broadcasts.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

std::optional<unsigned> pickRank(RecipeBuilder &builder, std::size_t least,
                                 std::size_t most) {
  return builder.pick([=](const ValueFacts &value) {
    return value.shape.size() >= least && value.shape.size() <= most;
  });
}

/// Numbers: the permutation.
void proposeTranspose(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickRank(builder, 2, kMaxRank);
  if (!value)
    return;
  Permutation dims = builder.permutation(builder[*value].shape.size());
  builder.addWithLayout({&kind, {*value}, {dims.begin(), dims.end()}});
}

std::optional<ValueFacts> inferTranspose(const Step &step,
                                         const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  if (step.numbers.size() != value.shape.size())
    return std::nullopt;
  return factsWith(step,
                   permute(value.shape, Permutation(std::span(step.numbers))),
                   value.type, value.most);
}

void writeTranspose(const Step &step, const Operands &operands,
                    const ValueFacts &result, RecipeWriter &writer) {
  std::string empty = writer.empty(result);
  writer.line(
      "{} = linalg.transpose ins({} : {}) outs({} : {}) permutation = {}",
      writer.result(), writer.operand(0), writer.type(*operands[0]), empty,
      writer.type(result), listOf(step.numbers));
}

/// Numbers: mem_perm. The order of the result determines its shape.
void proposePermuteCast(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickRank(builder, 1, kMaxRank);
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  std::size_t rank = facts.shape.size();
  Permutation order = facts.layout.order.empty() ? identityPermutation(rank)
                                                 : facts.layout.order;
  Extents memory = permute(facts.shape, order);
  // Dimensions of extent 1 may go anywhere; the others keep their order.
  Permutation memPerm;
  for (std::size_t dim = 0; dim < rank; ++dim)
    if (memory[dim] != 1)
      memPerm.push_back(static_cast<int64_t>(dim));
  for (std::size_t dim = 0; dim < rank; ++dim)
    if (memory[dim] == 1) {
      memPerm.push_back(static_cast<int64_t>(dim));
      for (int64_t i = builder.below(std::ssize(memPerm)); i > 0; --i)
        std::swap(memPerm[memPerm.size() - i], memPerm[memPerm.size() - i - 1]);
    }
  Step step{&kind, {*value}, {memPerm.begin(), memPerm.end()}};
  if (!builder.oneIn(3))
    step.layout.order = builder.permutation(rank);
  auto result = kind.infer(step, {&builder[*value]}, builder.exact());
  if (!result)
    return;
  Permutation inDim = castDimensions(order, memPerm, step.layout.order);
  if (facts.layout.distribution && builder.oneIn(3))
    step.layout.distribution = permute(*facts.layout.distribution, inDim);
  else
    step.layout.distribution = builder.layout(result->shape).distribution;
  builder.add(std::move(step));
}

std::optional<ValueFacts> inferPermuteCast(const Step &step,
                                           const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  std::size_t rank = value.shape.size();
  Permutation memPerm{std::span(step.numbers)};
  Permutation order = value.layout.order.empty() ? identityPermutation(rank)
                                                 : value.layout.order;
  if (memPerm.size() != rank ||
      (!step.layout.order.empty() && step.layout.order.size() != rank) ||
      !isTrivialMemPerm(permute(value.shape, order), memPerm))
    return std::nullopt;
  Permutation inDim =
      castDimensions(value.layout.order, memPerm, step.layout.order);
  return factsWith(step, permute(value.shape, inDim), value.type, value.most);
}

void writePermuteCast(const Step &step, const Operands &operands,
                      const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = npu.permute_cast {} mem_perm = {} : {} to {}",
              writer.result(), writer.operand(0), listOf(step.numbers),
              writer.type(*operands[0]), writer.type(result));
}

/// The text of `rank` groups, in which `dim` and the next dimension are one
/// group: "[[0], [1, 2], [3]]".
std::string groups(std::size_t rank, int64_t dim) {
  std::vector<std::string> parts;
  int64_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    if (static_cast<int64_t>(i) == dim) {
      parts.push_back(fmt::format("[{}, {}]", next, next + 1));
      ++next;
    } else {
      parts.push_back(fmt::format("[{}]", next));
    }
    ++next;
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// Numbers: the dimension, and the extent of the outer one of the two
/// dimensions that it becomes.
void proposeExpand(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickRank(builder, 1, 5);
  if (!value)
    return;
  const Extents &shape = builder[*value].shape;
  int64_t dim = builder.below(std::ssize(shape));
  std::vector<int64_t> divisors;
  for (int64_t outer = 1; outer <= shape[dim]; ++outer)
    if (shape[dim] % outer == 0)
      divisors.push_back(outer);
  if (!divisors.empty())
    builder.addWithLayout(
        {&kind,
         {*value},
         {dim, divisors[builder.below(std::ssize(divisors))]}});
}

std::optional<ValueFacts> inferExpand(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  int64_t dim = step.numbers[0], outer = step.numbers[1];
  if (dim >= std::ssize(value.shape) || outer < 1 ||
      value.shape[dim] % outer != 0)
    return std::nullopt;
  Extents shape;
  for (int64_t i = 0; i < std::ssize(value.shape); ++i) {
    if (i == dim)
      shape.push_back(outer);
    shape.push_back(i == dim ? value.shape[i] / outer : value.shape[i]);
  }
  return factsWith(step, shape, value.type, value.most);
}

/// Keeps the inner extent, unless the outer one would be zero.
void followExpand(Step &step, const Operands &were, const Operands &are) {
  int64_t dim = step.numbers[0], &outer = step.numbers[1];
  int64_t inner = were[0]->shape[dim] / outer;
  if (outer != 1 && inner > 0)
    outer = are[0]->shape[dim] / inner;
}

void writeExpand(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  std::vector<std::string> shape;
  shape.reserve(result.shape.size());
  for (std::size_t dim = 0; dim < result.shape.size(); ++dim)
    shape.push_back(writer.extent(result, dim));
  writer.line("{} = tensor.expand_shape {} {} output_shape {} : {} into {}",
              writer.result(), writer.operand(0),
              groups(operands[0]->shape.size(), step.numbers[0]), listOf(shape),
              writer.type(*operands[0]), writer.type(result));
}

/// Numbers: the first of the two dimensions that become one.
void proposeCollapse(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickRank(builder, 2, kMaxRank);
  if (value)
    builder.addWithLayout(
        {&kind,
         {*value},
         {builder.below(std::ssize(builder[*value].shape) - 1)}});
}

std::optional<ValueFacts> inferCollapse(const Step &step,
                                        const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  int64_t dim = step.numbers[0];
  if (dim + 1 >= std::ssize(value.shape))
    return std::nullopt;
  Extents shape;
  for (int64_t i = 0; i < std::ssize(value.shape); ++i) {
    if (i == dim + 1)
      shape.back() *= value.shape[i];
    else
      shape.push_back(value.shape[i]);
  }
  return factsWith(step, shape, value.type, value.most);
}

void writeCollapse(const Step &step, const Operands &operands,
                   const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = tensor.collapse_shape {} {} : {} into {}", writer.result(),
              writer.operand(0), groups(result.shape.size(), step.numbers[0]),
              writer.type(*operands[0]), writer.type(result));
}

/// Numbers: the new dimension and its extent.
void proposeBroadcast(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickRank(builder, 0, 4);
  if (value)
    builder.addWithLayout(
        {&kind,
         {*value},
         {builder.below(std::ssize(builder[*value].shape) + 1),
          builder.between(1, 4)}});
}

std::optional<ValueFacts> inferBroadcast(const Step &step,
                                         const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  if (step.numbers[0] > std::ssize(value.shape))
    return std::nullopt;
  Extents shape;
  for (int64_t i = 0; i <= std::ssize(value.shape); ++i) {
    if (i == step.numbers[0])
      shape.push_back(step.numbers[1]);
    if (i < std::ssize(value.shape))
      shape.push_back(value.shape[i]);
  }
  return factsWith(step, shape, value.type, value.most);
}

void writeBroadcast(const Step &step, const Operands &operands,
                    const ValueFacts &result, RecipeWriter &writer) {
  std::string empty = writer.empty(result);
  writer.line("{} = linalg.broadcast ins({} : {}) outs({} : {}) dimensions = "
              "[{}]",
              writer.result(), writer.operand(0), writer.type(*operands[0]),
              empty, writer.type(result), step.numbers[0]);
}

constexpr StepKind kKinds[] = {
    {"transpose", proposeTranspose, inferTranspose, writeTranspose},
    {"permute_cast", proposePermuteCast, inferPermuteCast, writePermuteCast},
    {"permute_cast", proposePermuteCast, inferPermuteCast, writePermuteCast},
    {"expand", proposeExpand, inferExpand, writeExpand, followExpand},
    {"collapse", proposeCollapse, inferCollapse, writeCollapse},
    {"broadcast", proposeBroadcast, inferBroadcast, writeBroadcast},
};

} // namespace

std::span<const StepKind> reshapeKinds() { return kKinds; }

} // namespace npu
