// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that are sums of products: matmuls, convolutions, and pooling beside
// them. A form names the dimensions of its operands by letters; windows slide
// over `w` and `h`.

#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Steps/NamedSteps.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace npu {
namespace {

struct ContractionForm {
  /// The operation; null for a linalg.generic.
  const char *op;
  std::string_view input;
  /// The dimensions of the filter; for a pooling, those of the window.
  std::string_view filter;
  std::string_view output;
  enum { Product, Sum, Most } body = Product;
};

constexpr ContractionForm kForms[] = {
    {"linalg.matmul", "mk", "kn", "mn"},
    {"linalg.batch_matmul", "bmk", "bkn", "bmn"},
    {"linalg.matvec", "mk", "k", "m"},
    {"linalg.vecmat", "k", "kn", "n"},
    {"linalg.dot", "k", "k", ""},
    {nullptr, "mk", "nk", "mn"},
    {nullptr, "qbd", "kbd", "bqk"},
    {nullptr, "mk", "kn", "nm"},
    {"linalg.conv_1d_nwc_wcf", "nwc", "wcf", "nwf"},
    {"linalg.conv_1d_ncw_fcw", "ncw", "fcw", "nfw"},
    {"linalg.conv_2d_nhwc_hwcf", "nhwc", "hwcf", "nhwf"},
    {"linalg.conv_2d_nhwc_fhwc", "nhwc", "fhwc", "nhwf"},
    {"linalg.conv_2d_nchw_fchw", "nchw", "fchw", "nfhw"},
    {"linalg.depthwise_conv_2d_nhwc_hwc", "nhwc", "hwc", "nhwc"},
    {"linalg.depthwise_conv_2d_nchw_chw", "nchw", "chw", "nchw"},
    {"linalg.pooling_nhwc_max", "nhwc", "hw", "nhwc", ContractionForm::Most},
    {"linalg.pooling_nchw_max", "nchw", "hw", "nchw", ContractionForm::Most},
    {"linalg.pooling_nhwc_sum", "nhwc", "hw", "nhwc", ContractionForm::Sum},
    {"linalg.pooling_nchw_sum", "nchw", "hw", "nchw", ContractionForm::Sum},
    {"linalg.pooling_nwc_sum", "nwc", "w", "nwc", ContractionForm::Sum},
};
constexpr std::size_t kPlainForms = 8;

bool isSpatial(char letter) { return letter == 'w' || letter == 'h'; }
bool has(std::string_view letters, char letter) {
  return letters.find(letter) != std::string_view::npos;
}

const ContractionForm &formOf(const Step &step) {
  return kForms[step.numbers[0]];
}
std::size_t spatialCount(const ContractionForm &form) {
  return std::count_if(form.input.begin(), form.input.end(), isSpatial);
}
/// Numbers: the form; a stride, then a dilation for each spatial dimension, in
/// the order of the input.
std::span<const int64_t> stridesOf(const Step &step) {
  return std::span(step.numbers).subspan(1, spatialCount(formOf(step)));
}
std::span<const int64_t> dilationsOf(const Step &step) {
  return std::span(step.numbers).subspan(1 + spatialCount(formOf(step)));
}

/// The dimensions that are summed over: all dimensions of a filter or window
/// that only it has, and those whose letters the output does not have.
std::vector<int64_t> summedDims(const ContractionForm &form,
                                std::string_view letters) {
  std::vector<int64_t> dims;
  for (std::size_t dim = 0; dim < letters.size(); ++dim)
    if (!has(form.output, letters[dim]) ||
        (letters == form.filter && isSpatial(letters[dim])))
      dims.push_back(static_cast<int64_t>(dim));
  return dims;
}

/// The extent of each letter, 0 for unused letters.
using LetterExtents = std::array<int64_t, 128>;

std::optional<LetterExtents> outputExtents(const Step &step,
                                           const Operands &operands) {
  const ContractionForm &form = formOf(step);
  if (operands[0]->shape.size() != form.input.size() ||
      operands[1]->shape.size() != form.filter.size())
    return std::nullopt;
  LetterExtents kernel = {}, extents = {};
  for (auto [letter, extent] : llvm::zip(form.filter, operands[1]->shape))
    kernel[letter] = extent;
  std::size_t spatial = 0;
  for (auto [letter, extent] : llvm::zip(form.input, operands[0]->shape)) {
    extents[letter] = extent;
    if (isSpatial(letter)) {
      int64_t reach = (kernel[letter] - 1) * dilationsOf(step)[spatial] + 1;
      int64_t room = extent - reach;
      if (kernel[letter] < 1 || room < 0)
        return std::nullopt;
      extents[letter] = room / stridesOf(step)[spatial++] + 1;
    } else if (has(form.filter, letter) && kernel[letter] != extent) {
      return std::nullopt;
    }
  }
  for (char letter : form.filter)
    if (!has(form.input, letter))
      extents[letter] = kernel[letter];
  return extents;
}

std::optional<ValueFacts>
inferContraction(const Step &step, const Operands &operands, bool exact) {
  const ContractionForm &form = formOf(step);
  const ValueFacts &input = *operands[0], &filter = *operands[1];
  auto extents = outputExtents(step, operands);
  if (!extents || input.type != filter.type)
    return std::nullopt;
  if (byteSize(step.type) < byteSize(input.type) ||
      isFloat(step.type) != isFloat(input.type) ||
      (step.type != input.type && form.body != ContractionForm::Product) ||
      (byteSize(step.type) == byteSize(input.type) && step.type != input.type))
    return std::nullopt;
  std::vector<int64_t> inputDims = summedDims(form, form.input),
                       filterDims = summedDims(form, form.filter);
  if (form.body != ContractionForm::Most &&
      (!sumIsSafe(input, inputDims, exact) ||
       (form.body == ContractionForm::Product &&
        !sumIsSafe(filter, filterDims, exact))))
    return std::nullopt;
  double terms = 1;
  for (char letter : form.filter)
    if (isSpatial(letter) || !has(form.output, letter))
      terms *= static_cast<double>(filter.shape[form.filter.find(letter)]);
  double most = input.most;
  if (form.body == ContractionForm::Product)
    most *= filter.most;
  if (form.body != ContractionForm::Most)
    most *= terms;
  most += operands.size() == 3 ? operands[2]->most : 10;
  if (!mayReach(step.type, most, exact))
    return std::nullopt;
  Extents shape;
  for (char letter : form.output)
    shape.push_back((*extents)[letter]);
  ValueFacts result = factsWith(step, shape, step.type, most);
  if (operands.size() == 3) {
    if (operands[2]->shape != shape || operands[2]->type != step.type)
      return std::nullopt;
    result.layout = operands[2]->layout;
  }
  return result;
}

/// An input for that form: a value of its rank, or an argument.
unsigned inputOf(RecipeBuilder &builder, const ContractionForm &form) {
  auto found = builder.pick([&](const ValueFacts &value) {
    return value.shape.size() == form.input.size();
  });
  if (found && !builder.oneIn(3))
    return *found;
  Extents shape;
  for (char letter : form.input)
    shape.push_back(isSpatial(letter) ? builder.between(4, 9)
                    : builder.wantsSharedSums() && !has(form.output, letter)
                        ? builder.between(8, 24)
                        : builder.between(1, 4));
  return builder.argument(shape, builder.mainType());
}

ElementType accumulatorOf(RecipeBuilder &builder, ElementType type,
                          const ContractionForm &form) {
  if (form.body != ContractionForm::Product || builder.oneIn(2))
    return type;
  return isFloat(type) ? ElementType::F32 : ElementType::I32;
}

void proposeForm(RecipeBuilder &builder, const StepKind &kind, int64_t number) {
  const ContractionForm &form = kForms[number];
  unsigned input = inputOf(builder, form);
  if (form.body != ContractionForm::Most)
    input = builder.summable(input, summedDims(form, form.input));
  const ValueFacts facts = builder[input];
  Step step{&kind, {input}, {number}};
  step.type = accumulatorOf(builder, facts.type, form);
  std::size_t spatial = spatialCount(form);
  for (std::size_t i = 0; i < 2 * spatial; ++i)
    step.numbers.push_back(builder.oneIn(2) ? 1 : builder.between(1, 3));
  Extents filter;
  for (char letter : form.filter) {
    std::size_t dim = form.input.find(letter);
    filter.push_back(isSpatial(letter) || dim == std::string_view::npos
                         ? builder.between(1, 3)
                         : facts.shape[dim]);
  }
  unsigned second = builder.valueOf(filter, facts.type);
  if (form.body == ContractionForm::Product)
    second = builder.summable(second, summedDims(form, form.filter));
  step.operands.push_back(second);
  // At times, accumulate into a value instead of zeros.
  Step onTop = step;
  if (builder.oneIn(4)) {
    auto extents = outputExtents(step, {&builder[input], &builder[second]});
    Extents shape;
    if (extents)
      for (char letter : form.output)
        shape.push_back((*extents)[letter]);
    auto value = builder.pick([&](const ValueFacts &value) {
      return value.shape == shape && value.type == step.type;
    });
    if (value) {
      onTop.operands.push_back(*value);
      if (builder.add(onTop))
        return;
    }
  }
  builder.addWithLayout(std::move(step));
}

void proposeMatmul(RecipeBuilder &builder, const StepKind &kind) {
  proposeForm(builder, kind, builder.below(kPlainForms));
}

void proposeSliding(RecipeBuilder &builder, const StepKind &kind) {
  proposeForm(builder, kind,
              builder.between(kPlainForms, std::ssize(kForms) - 1));
}

/// Writes a linalg.generic with a loop for each letter.
void writeGeneric(const Step &step, const Operands &operands,
                  const ContractionForm &form, const ValueFacts &result,
                  RecipeWriter &writer) {
  std::string letters(form.output);
  for (char letter : form.input)
    if (!has(letters, letter))
      letters += letter;
  auto map = [&](std::string_view dims) {
    std::vector<int64_t> loops;
    for (char letter : dims)
      loops.push_back(static_cast<int64_t>(letters.find(letter)));
    return plainIndices(loops);
  };
  ElementType from = operands[0]->type, to = result.type;
  bool floats = isFloat(to);
  std::vector<Expr> factors = {input(from, 0), input(from, 1)};
  for (Expr &factor : factors)
    if (from != to)
      factor = cast(floats ? "arith.extf" : "arith.extsi", to, factor);
  Expr product = simple(floats ? "arith.mulf" : "arith.muli", factors);
  Step generic = elementwise(
      {}, letters.size(),
      simple(floats ? "arith.addf" : "arith.addi", {accumulator(to), product}));
  generic.nest->inputs = {map(form.input), map(form.filter)};
  generic.nest->outputs = {map(form.output)};
  generic.nest->begins = {number(to, 0)};
  generic.nest->beginsAsOperand = step.operands.size() == 3;
  nestKind.write(generic, operands, result, writer);
}

void writeContraction(const Step &step, const Operands &operands,
                      const ValueFacts &result, RecipeWriter &writer) {
  const ContractionForm &form = formOf(step);
  if (!form.op)
    return writeGeneric(step, operands, form, result, writer);
  std::string init =
      operands.size() == 3
          ? writer.operand(2)
          : writer.filled(result, form.body == ContractionForm::Most ? -9 : 0);
  std::string attributes;
  if (!stridesOf(step).empty())
    attributes =
        fmt::format("{{strides = {}, dilations = {}}} ",
                    vectorOf(stridesOf(step)), vectorOf(dilationsOf(step)));
  writer.line("{} = {} {}ins({}, {} : {}, {}) outs({} : {}) -> {}",
              writer.result(), form.op, attributes, writer.operand(0),
              writer.operand(1), writer.type(*operands[0]),
              writer.type(*operands[1]), init, writer.type(result),
              writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"matmul", proposeMatmul, inferContraction, writeContraction},
    {"matmul", proposeMatmul, inferContraction, writeContraction},
    {"sliding", proposeSliding, inferContraction, writeContraction},
    {"sliding", proposeSliding, inferContraction, writeContraction},
};

} // namespace

std::span<const StepKind> contractionKinds() { return kKinds; }

int64_t contractionNamed(std::string_view op) {
  return llvm::find_if(kForms,
                       [&](const ContractionForm &form) {
                         return form.op && form.op == op;
                       }) -
         std::begin(kForms);
}

} // namespace npu
