// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of graphs of TOSA that move entries: concatenations, slices, tiles,
// reshapes, transposes, padding, gathers and scatters.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Steps/TosaCall.h"

#include <algorithm>

namespace npu {
namespace {

constexpr int64_t kMostEntries = 4000;

std::optional<ValueFacts> moved(const Step &step, const ValueFacts &value,
                                const Extents &shape) {
  if (value.scalar || entriesOf(shape.span()) > kMostEntries ||
      entriesOf(shape.span()) == 0)
    return std::nullopt;
  return factsWith(step, shape, value.type, 1);
}

/// Numbers: the dimension.
void proposeConcat(RecipeBuilder &builder, const StepKind &kind) {
  auto first = builder.pickFilled();
  if (!first)
    return;
  Extents shape = builder[*first].shape;
  ElementType type = builder[*first].type;
  int64_t axis = builder.below(std::ssize(shape));
  std::vector<unsigned> operands = {*first};
  for (int64_t more = builder.below(3); more > 0; --more) {
    shape[axis] = builder.between(1, 4);
    operands.push_back(builder.valueOf(shape, type));
  }
  builder.add({&kind, std::move(operands), {axis}});
}

std::optional<ValueFacts> inferConcat(const Step &step,
                                      const Operands &operands, bool) {
  int64_t axis = step.numbers[0];
  Extents shape = operands[0]->shape;
  if (axis >= std::ssize(shape))
    return std::nullopt;
  shape[axis] = 0;
  for (const ValueFacts *part : operands) {
    Extents other = part->shape;
    if (part->scalar || part->type != operands[0]->type ||
        other.size() != shape.size())
      return std::nullopt;
    shape[axis] += other[axis];
    other[axis] = shape[axis];
    if (other != shape)
      return std::nullopt;
  }
  return moved(step, *operands[0], shape);
}

void writeConcat(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  TosaCall call(writer);
  for (unsigned i = 0; i < operands.size(); ++i)
    call.operand(i, operands);
  call.write(writer.result(), "concat",
             fmt::format("axis = {} : i32", step.numbers[0]),
             writer.type(result));
}

/// Numbers: the new shape.
void proposeReshape(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pick(
      [](const ValueFacts &f) { return entriesOf(f.shape.span()) > 0; });
  if (!value)
    return;
  int64_t left = entriesOf(builder[*value].shape.span());
  std::vector<int64_t> shape;
  for (int64_t dims = builder.between(1, 4); dims > 1; --dims) {
    std::vector<int64_t> divisors;
    for (int64_t extent = 1; extent <= std::min<int64_t>(left, 12); ++extent)
      if (left % extent == 0)
        divisors.push_back(extent);
    shape.push_back(divisors[builder.below(std::ssize(divisors))]);
    left /= shape.back();
  }
  shape.push_back(left);
  std::swap(shape.back(), shape[builder.below(std::ssize(shape))]);
  builder.add({&kind, {*value}, std::move(shape)});
}

std::optional<ValueFacts> inferReshape(const Step &step,
                                       const Operands &operands, bool) {
  Extents shape{std::span<const int64_t>(step.numbers)};
  if (entriesOf(shape.span()) != entriesOf(operands[0]->shape.span()))
    return std::nullopt;
  return moved(step, *operands[0], shape);
}

/// Writes an operation of one tensor and one shape, which is called as its kind
/// behind "tosa ".
void writeWithShape(const Step &step, const Operands &operands,
                    const ValueFacts &result, RecipeWriter &writer) {
  std::string_view name = step.kind->name;
  name.remove_prefix(std::string_view("tosa ").size());
  TosaCall(writer)
      .operand(0, operands)
      .shape(step.numbers)
      .write(writer.result(), name, "", writer.type(result));
}

/// Numbers: the dimension.
void proposeReverse(RecipeBuilder &builder, const StepKind &kind) {
  if (auto value = builder.pickFilled())
    builder.add(
        {&kind, {*value}, {builder.below(std::ssize(builder[*value].shape))}});
}

std::optional<ValueFacts> inferReverse(const Step &step,
                                       const Operands &operands, bool) {
  if (step.numbers[0] >= std::ssize(operands[0]->shape))
    return std::nullopt;
  return moved(step, *operands[0], operands[0]->shape);
}

void writeReverse(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  TosaCall(writer)
      .operand(0, operands)
      .write(writer.result(), "reverse",
             fmt::format("axis = {} : i32", step.numbers[0]),
             writer.type(result));
}

/// Numbers: where the slice begins, and then its extents.
void proposeSlice(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  std::vector<int64_t> starts, sizes;
  for (int64_t extent : builder[*value].shape) {
    starts.push_back(builder.oneIn(2) ? 0 : builder.below(extent));
    sizes.push_back(builder.between(1, extent - starts.back()));
  }
  starts.insert(starts.end(), sizes.begin(), sizes.end());
  builder.add({&kind, {*value}, std::move(starts)});
}

std::optional<ValueFacts> inferSlice(const Step &step, const Operands &operands,
                                     bool) {
  const Extents &whole = operands[0]->shape;
  if (step.numbers.size() != 2 * whole.size())
    return std::nullopt;
  Extents shape = whole;
  for (std::size_t dim = 0; dim < whole.size(); ++dim) {
    shape[dim] = step.numbers[whole.size() + dim];
    if (step.numbers[dim] + shape[dim] > whole[dim])
      return std::nullopt;
  }
  return moved(step, *operands[0], shape);
}

void writeSlice(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer) {
  std::span<const int64_t> numbers = step.numbers;
  std::size_t rank = numbers.size() / 2;
  TosaCall(writer)
      .operand(0, operands)
      .shape(numbers.first(rank))
      .shape(numbers.last(rank))
      .write(writer.result(), "slice", "", writer.type(result));
}

/// Numbers: how often each dimension is repeated.
void proposeTile(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  std::vector<int64_t> times;
  for (std::size_t dim = 0; dim < builder[*value].shape.size(); ++dim)
    times.push_back(builder.oneIn(2) ? 1 : builder.between(1, 3));
  builder.add({&kind, {*value}, std::move(times)});
}

std::optional<ValueFacts> inferTile(const Step &step, const Operands &operands,
                                    bool) {
  Extents shape = operands[0]->shape;
  if (step.numbers.size() != shape.size())
    return std::nullopt;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    shape[dim] *= step.numbers[dim];
  return moved(step, *operands[0], shape);
}

/// Numbers: the dimension that each of the result's dimensions was.
void proposeTranspose(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  auto order = builder.permutation(builder[*value].shape.size());
  builder.add(
      {&kind, {*value}, std::vector<int64_t>(order.begin(), order.end())});
}

std::optional<ValueFacts> inferTranspose(const Step &step,
                                         const Operands &operands, bool) {
  const Extents &from = operands[0]->shape;
  if (step.numbers.size() != from.size())
    return std::nullopt;
  Extents shape = from;
  for (std::size_t dim = 0; dim < from.size(); ++dim)
    shape[dim] = from[step.numbers[dim]];
  return moved(step, *operands[0], shape);
}

void writeTranspose(const Step &step, const Operands &operands,
                    const ValueFacts &result, RecipeWriter &writer) {
  TosaCall(writer)
      .operand(0, operands)
      .write(writer.result(), "transpose",
             "perms = " + tosaArray(step.numbers, "i32"), writer.type(result));
}

/// Numbers: the entries before and behind each dimension.
void proposePad(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  std::vector<int64_t> padding;
  for (std::size_t i = 0; i < 2 * builder[*value].shape.size(); ++i)
    padding.push_back(builder.oneIn(2) ? 0 : builder.between(0, 3));
  builder.add({&kind, {*value}, std::move(padding)});
}

std::optional<ValueFacts> inferPad(const Step &step, const Operands &operands,
                                   bool) {
  Extents shape = operands[0]->shape;
  if (step.numbers.size() != 2 * shape.size())
    return std::nullopt;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    shape[dim] += step.numbers[2 * dim] + step.numbers[2 * dim + 1];
  return moved(step, *operands[0], shape);
}

void writePad(const Step &step, const Operands &operands,
              const ValueFacts &result, RecipeWriter &writer) {
  TosaCall(writer)
      .operand(0, operands)
      .shape(step.numbers)
      .number(nameOf(result.type), 1)
      .write(writer.result(), "pad", "", writer.type(result));
}

/// A value of three dimensions.
unsigned rows(RecipeBuilder &builder) {
  auto found = builder.pick([](const ValueFacts &f) {
    return f.shape.size() == 3 && entriesOf(f.shape.span()) > 0;
  });
  if (found && !builder.oneIn(4))
    return *found;
  return builder.argument(
      {builder.between(1, 3), builder.between(2, 9), builder.between(1, 8)},
      builder.mainType());
}

void proposeGather(RecipeBuilder &builder, const StepKind &kind) {
  unsigned values = rows(builder);
  unsigned places = builder.valueOf(
      {builder[values].shape[0], builder.between(1, 6)}, ElementType::I32);
  builder.add({&kind, {values, places}});
}

std::optional<ValueFacts> inferGather(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &values = *operands[0], &places = *operands[1];
  if (values.shape.size() != 3 || places.shape.size() != 2 || places.scalar ||
      places.type != ElementType::I32 || places.shape[0] != values.shape[0])
    return std::nullopt;
  return moved(step, values,
               {values.shape[0], places.shape[1], values.shape[2]});
}

/// Keeps the places inside of the values.
void writeGather(const Step &, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  std::string low = writer.fresh(), inside = writer.fresh(),
              type = writer.type(*operands[1]);
  constexpr int64_t kOnes[] = {1, 1};
  int64_t zero = 0, last = operands[0]->shape[1] - 1;
  TosaCall(writer)
      .operand(1, operands)
      .constant(kOnes, "i32", std::span(&zero, 1))
      .write(low, "maximum", nanMode(0), type);
  TosaCall(writer)
      .value(low, type)
      .constant(kOnes, "i32", std::span(&last, 1))
      .write(inside, "minimum", nanMode(0), type);
  TosaCall(writer)
      .operand(0, operands)
      .value(inside, type)
      .write(writer.result(), "gather", "", writer.type(result));
}

/// Numbers: the first place that is written, and the step to the next.
void proposeScatter(RecipeBuilder &builder, const StepKind &kind) {
  unsigned values = rows(builder);
  Extents shape = builder[values].shape;
  ElementType type = builder[values].type;
  int64_t first = builder.below(shape[1]), by = builder.between(1, 3);
  shape[1] = builder.between(1, (shape[1] - first - 1) / by + 1);
  unsigned updates = builder.valueOf(shape, type);
  builder.add({&kind, {values, updates}, {first, by}});
}

std::optional<ValueFacts> inferScatter(const Step &step,
                                       const Operands &operands, bool) {
  const ValueFacts &values = *operands[0], &updates = *operands[1];
  if (values.shape.size() != 3 || updates.shape.size() != 3 || updates.scalar ||
      updates.type != values.type || updates.shape[0] != values.shape[0] ||
      updates.shape[2] != values.shape[2] || updates.shape[1] < 1 ||
      step.numbers[0] + (updates.shape[1] - 1) * step.numbers[1] >=
          values.shape[1])
    return std::nullopt;
  return moved(step, values, values.shape);
}

void writeScatter(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  const Extents &updates = operands[1]->shape;
  const int64_t shape[] = {updates[0], updates[1]};
  std::vector<int64_t> places;
  for (int64_t batch = 0; batch < shape[0]; ++batch)
    for (int64_t i = 0; i < shape[1]; ++i)
      places.push_back(step.numbers[0] + i * step.numbers[1]);
  TosaCall(writer)
      .operand(0, operands)
      .constant(shape, "i32", places)
      .operand(1, operands)
      .write(writer.result(), "scatter", "", writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"tosa concat", proposeConcat, inferConcat, writeConcat},
    {"tosa reshape", proposeReshape, inferReshape, writeWithShape},
    {"tosa reverse", proposeReverse, inferReverse, writeReverse},
    {"tosa slice", proposeSlice, inferSlice, writeSlice},
    {"tosa tile", proposeTile, inferTile, writeWithShape},
    {"tosa transpose", proposeTranspose, inferTranspose, writeTranspose},
    {"tosa pad", proposePad, inferPad, writePad},
    {"tosa gather", proposeGather, inferGather, writeGather},
    {"tosa scatter", proposeScatter, inferScatter, writeScatter},
};

} // namespace

std::span<const StepKind> tosaShapeKinds() { return kKinds; }

} // namespace npu
