// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps with parts of tensors: slices, insertions, padding, concatenation.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

namespace npu {
namespace {

/// Numbers: offset, size and stride of each dimension, and whether it is
/// dropped (0 or 1).
struct Slice {
  int64_t offset, size, stride, dropped;
};

Slice sliceAt(const Step &step, std::size_t dim) {
  const int64_t *numbers = &step.numbers[4 * dim];
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

std::string listOf(const Step &step, int64_t Slice::*member) {
  std::vector<int64_t> numbers;
  numbers.reserve(step.numbers.size() / 4);
  for (std::size_t dim = 0; dim < step.numbers.size() / 4; ++dim)
    numbers.push_back(sliceAt(step, dim).*member);
  return npu::listOf(numbers);
}

std::vector<int64_t> randomSlices(RecipeBuilder &builder, Extents shape) {
  std::vector<int64_t> numbers;
  for (int64_t extent : shape) {
    int64_t stride = builder.oneIn(4) ? 2 : 1;
    int64_t offset = builder.oneIn(2) ? 0 : builder.below(extent);
    int64_t most = (extent - 1 - offset) / stride + 1;
    int64_t size = builder.oneIn(3) ? most : builder.between(1, most);
    numbers.insert(numbers.end(),
                   {offset, size, stride, size == 1 && builder.oneIn(3)});
  }
  return numbers;
}

/// What one of some tiles has of a tensor that is split along a dimension.
std::vector<int64_t> partOfATile(RecipeBuilder &builder, Extents shape) {
  std::vector<int64_t> numbers;
  int64_t split = builder.below(std::ssize(shape));
  for (int64_t dim = 0; dim < std::ssize(shape); ++dim) {
    int64_t tiles = dim == split ? builder.between(2, 4) : 1;
    int64_t size = (shape[dim] + tiles - 1) / tiles;
    int64_t offset = size * builder.below((shape[dim] + size - 1) / size);
    numbers.insert(numbers.end(),
                   {offset, std::min(size, shape[dim] - offset), 1, 0});
  }
  return numbers;
}

/// The shape of the slice; nothing where it is not inside of the tensor.
std::optional<Extents> shapeOfSlice(const Step &step, const Extents &shape) {
  Extents result;
  if (step.numbers.size() != 4 * shape.size())
    return std::nullopt;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    Slice slice = sliceAt(step, dim);
    if (slice.offset + (slice.size - 1) * slice.stride >= shape[dim] ||
        (slice.dropped && slice.size != 1))
      return std::nullopt;
    if (!slice.dropped)
      result.push_back(slice.size);
  }
  return result;
}

/// Keeps slices of a whole dimension whole.
void followSlices(Step &step, const ValueFacts &was, const ValueFacts &is) {
  for (std::size_t dim = 0; dim < was.shape.size(); ++dim) {
    Slice slice = sliceAt(step, dim);
    if (slice.offset == 0 && slice.stride == 1 && slice.size == was.shape[dim])
      step.numbers[4 * dim + 1] = is.shape[dim];
  }
}

/// The text of the sizes of a slice of `whole`, some of which follow its
/// extents.
std::string sizesOf(const Step &step, const ValueFacts &whole,
                    RecipeWriter &writer) {
  std::vector<std::string> sizes;
  for (std::size_t dim = 0; dim < whole.shape.size(); ++dim) {
    Slice slice = sliceAt(step, dim);
    bool all = slice.offset == 0 && slice.stride == 1 &&
               slice.size == whole.shape[dim];
    sizes.push_back(all ? writer.extent(whole, dim)
                        : std::to_string(slice.size));
  }
  return npu::listOf(sizes);
}

void proposeExtract(RecipeBuilder &builder, const StepKind &kind) {
  if (auto value = builder.pickFilled())
    builder.addWithLayout(
        {&kind, {*value}, randomSlices(builder, builder[*value].shape)});
}

std::optional<ValueFacts> inferExtract(const Step &step,
                                       const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  std::optional<Extents> shape = shapeOfSlice(step, value.shape);
  if (!shape)
    return std::nullopt;
  return factsWith(step, *shape, value.type, value.most);
}

void followExtract(Step &step, const Operands &were, const Operands &are) {
  followSlices(step, *were[0], *are[0]);
}

void writeExtract(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  std::string sizes = sizesOf(step, *operands[0], writer);
  writer.line("{} = tensor.extract_slice {}{} {} {} : {} to {}",
              writer.result(), writer.operand(0), listOf(step, &Slice::offset),
              sizes, listOf(step, &Slice::stride), writer.type(*operands[0]),
              writer.type(result));
}

void proposeInsert(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  bool isPart = !facts.shape.empty() && builder.oneIn(3);
  Step step{&kind,
            {},
            isPart ? partOfATile(builder, facts.shape)
                   : randomSlices(builder, facts.shape)};
  unsigned part = builder.valueOf(*shapeOfSlice(step, facts.shape), facts.type);
  step.operands = {part, *value};
  builder.add(std::move(step));
}

std::optional<ValueFacts> inferInsert(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &part = *operands[0], &whole = *operands[1];
  if (part.type != whole.type ||
      shapeOfSlice(step, whole.shape) != std::optional(part.shape))
    return std::nullopt;
  ValueFacts result = whole;
  result.second = nullptr;
  result.most = std::max(part.most, whole.most);
  return result;
}

void followInsert(Step &step, const Operands &were, const Operands &are) {
  followSlices(step, *were[1], *are[1]);
}

void writeInsert(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  std::string sizes = sizesOf(step, *operands[1], writer);
  writer.line("{} = tensor.insert_slice {} into {}{} {} {} : {} into {}",
              writer.result(), writer.operand(0), writer.operand(1),
              listOf(step, &Slice::offset), sizes, listOf(step, &Slice::stride),
              writer.type(*operands[0]), writer.type(result));
}

/// Numbers: the dimension.
void proposeConcat(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  int64_t dim = builder.below(std::ssize(facts.shape));
  Step step{&kind, {*value}, {dim}};
  for (int64_t more = builder.between(1, 2); more > 0; --more) {
    Extents shape = facts.shape;
    if (builder.oneIn(2))
      shape[dim] = builder.between(1, 4);
    step.operands.push_back(builder.valueOf(shape, facts.type));
  }
  builder.shuffle(step.operands);
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferConcat(const Step &step,
                                      const Operands &operands, bool) {
  Extents shape = operands[0]->shape;
  int64_t dim = step.numbers[0];
  if (dim >= std::ssize(shape))
    return std::nullopt;
  int64_t extent = 0;
  double most = 0;
  for (const ValueFacts *operand : operands) {
    if (operand->shape.size() != shape.size() ||
        operand->type != operands[0]->type)
      return std::nullopt;
    extent += operand->shape[dim];
    most = std::max(most, operand->most);
    Extents rest = operand->shape;
    rest[dim] = shape[dim];
    if (rest != shape)
      return std::nullopt;
  }
  shape[dim] = extent;
  return factsWith(step, shape, operands[0]->type, most);
}

void writeConcat(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  std::string names, types;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    names += (i ? ", " : "") + writer.operand(i);
    types += (i ? ", " : "") + writer.type(*operand);
  }
  writer.line("{} = tensor.concat dim({}) {} : ({}) -> {}", writer.result(),
              step.numbers[0], names, types, writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"extract_slice", proposeExtract, inferExtract, writeExtract,
     followExtract},
    {"insert_slice", proposeInsert, inferInsert, writeInsert, followInsert},
    {"concat", proposeConcat, inferConcat, writeConcat},
};

} // namespace

std::span<const StepKind> sliceKinds() { return kKinds; }

} // namespace npu
