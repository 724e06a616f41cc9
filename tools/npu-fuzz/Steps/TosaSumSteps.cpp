// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of graphs of TOSA that combine entries: reductions, products,
// convolutions, pools, resizes, rescales and transforms.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Steps/TosaCall.h"

#include <algorithm>

namespace npu {
namespace {

constexpr int64_t kMostEntries = 4000;

bool isTosaFloat(ElementType type) {
  return isFloat(type) && type != ElementType::F64;
}
bool isQuantized(ElementType type) {
  return type == ElementType::I8 || type == ElementType::I16;
}

std::optional<ValueFacts> factsOf(const Step &step, const Extents &shape,
                                  ElementType type) {
  for (int64_t extent : shape)
    if (extent < 1)
      return std::nullopt;
  if (entriesOf(shape.span()) > kMostEntries)
    return std::nullopt;
  return factsWith(step, shape, type, 1);
}

struct Reduction {
  const char *op;
  bool (*takes)(ElementType);
  bool hasNanMode = false;
};
bool isTruth(ElementType type) { return type == ElementType::Bool; }
bool isNumber(ElementType type) {
  return isTosaFloat(type) || isQuantized(type) || type == ElementType::I32;
}
bool isWide(ElementType type) {
  return isTosaFloat(type) || type == ElementType::I32;
}
bool isNarrow(ElementType type) {
  return isTosaFloat(type) || isQuantized(type);
}
constexpr Reduction kReductions[] = {
    {"reduce_all", isTruth},        {"reduce_any", isTruth},
    {"reduce_max", isNumber, true}, {"reduce_min", isNumber, true},
    {"reduce_sum", isWide},         {"reduce_product", isTosaFloat},
    {"argmax", isNarrow, true},
};

/// Numbers: the row, the dimension, what is done with NaN.
void proposeReduce(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < std::ssize(kReductions); ++row)
    if (kReductions[row].takes(builder[*value].type))
      rows.push_back(row);
  if (!rows.empty())
    builder.add(
        {&kind,
         {*value},
         {rows[builder.below(std::ssize(rows))],
          builder.below(std::ssize(builder[*value].shape)), builder.below(2)}});
}

std::optional<ValueFacts> inferReduce(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &a = *operands[0];
  const Reduction &row = kReductions[step.numbers[0]];
  int64_t axis = step.numbers[1];
  if (a.scalar || axis >= std::ssize(a.shape) || !row.takes(a.type))
    return std::nullopt;
  Extents shape = a.shape;
  if (std::string_view(row.op) != "argmax") {
    shape[axis] = 1;
    return factsOf(step, shape, a.type);
  }
  Extents rest;
  for (int64_t dim = 0; dim < std::ssize(shape); ++dim)
    if (dim != axis)
      rest.push_back(shape[dim]);
  return factsOf(step, rest, ElementType::I32);
}

void writeReduce(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  const Reduction &row = kReductions[step.numbers[0]];
  std::string attributes = fmt::format("axis = {} : i32", step.numbers[1]);
  if (row.hasNanMode)
    attributes += ", " + nanMode(step.numbers[2]);
  TosaCall(writer)
      .operand(0, operands)
      .write(writer.result(), row.op, attributes, writer.type(result));
}

/// The types of a product: of its weights, its bias and result, its
/// accumulator and of the value of the step, which is rescaled where nothing
/// else has the result's type.
struct ProductTypes {
  ElementType weight;
  std::string sum, accumulator;
  ElementType result;
};

std::optional<ProductTypes> productOf(ElementType type, bool isMatmul) {
  switch (type) {
  case ElementType::F32:
    return ProductTypes{type, "f32", "f32", type};
  case ElementType::F16:
    return ProductTypes{type, "f16", "f32", type};
  case ElementType::BF16:
    if (isMatmul)
      return ProductTypes{type, "f32", "f32", ElementType::F32};
    return ProductTypes{type, "bf16", "f32", type};
  case ElementType::I8:
    return ProductTypes{type, "i32", "i32", ElementType::I32};
  case ElementType::I16:
    return ProductTypes{isMatmul ? type : ElementType::I8, "i48", "i48",
                        ElementType::I32};
  default:
    return std::nullopt;
  }
}

/// Writes the product, and rescales sums of 48 bits to 32.
void writeProduct(TosaCall &call, const ProductTypes &types, const char *op,
                  const std::string &attributes, const ValueFacts &result,
                  RecipeWriter &writer) {
  if (types.sum != "i48")
    return call.write(writer.result(), op, attributes, writer.type(result));
  std::string wide = writer.fresh(),
              type = tosaType(result.shape.span(), "i48");
  call.write(wide, op, attributes, type);
  TosaCall(writer)
      .value(wide, type)
      .number("i16", 16384)
      .number("i8", 15)
      .number("i48", 0)
      .number("i32", 0)
      .write(writer.result(), "rescale",
             "scale32 = false, rounding_mode = "
             "#tosa.rounding_mode<SINGLE_ROUND>, per_channel = false, "
             "input_unsigned = false, output_unsigned = false",
             writer.type(result));
}

bool isProductInput(ElementType type) {
  return productOf(type, true).has_value();
}

/// A value that a product takes, with that many dimensions.
unsigned inputOf(RecipeBuilder &builder, const Extents &otherwise) {
  auto found = builder.pick([&](const ValueFacts &f) {
    return f.shape.size() == otherwise.size() && isProductInput(f.type);
  });
  if (found && !builder.oneIn(4))
    return *found;
  constexpr ElementType kTypes[] = {ElementType::I8, ElementType::I16,
                                    ElementType::F32, ElementType::F16,
                                    ElementType::BF16};
  ElementType type = isProductInput(builder.mainType())
                         ? builder.mainType()
                         : kTypes[builder.below(std::size(kTypes))];
  return builder.argument(otherwise, type);
}

void proposeMatmul(RecipeBuilder &builder, const StepKind &kind) {
  unsigned a = inputOf(builder, {builder.between(1, 3), builder.between(1, 9),
                                 builder.between(1, 9)});
  const ValueFacts first = builder[a];
  unsigned b = builder.valueOf(
      {first.shape[0], first.shape[2], builder.between(1, 9)}, first.type);
  builder.add({&kind, {a, b}, {builder.below(3)}});
}

std::optional<ValueFacts> inferMatmul(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &a = *operands[0], &b = *operands[1];
  auto types = productOf(a.type, true);
  if (!types || a.type != b.type || a.shape.size() != 3 ||
      b.shape.size() != 3 || a.shape[0] != b.shape[0] ||
      a.shape[2] != b.shape[1])
    return std::nullopt;
  return factsOf(step, {a.shape[0], a.shape[1], b.shape[2]}, types->result);
}

void writeMatmul(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  ElementType type = operands[0]->type;
  int64_t zero = type == ElementType::I8 ? step.numbers[0] : 0;
  TosaCall call(writer);
  call.operand(0, operands)
      .operand(1, operands)
      .number(nameOf(type), zero)
      .number(nameOf(type), -zero);
  writeProduct(call, *productOf(type, true), "matmul", "", result, writer);
}

/// Kinds of convolutions, in numbers[0] of the step. Behind it are the zero
/// points, and then padding, strides and dilations; of transposed ones only
/// padding of the result and strides.
enum Convolution { Plain, Depthwise, Spatial3D, Transposed };

constexpr const char *kConvolutions[] = {"conv2d", "depthwise_conv2d", "conv3d",
                                         "transpose_conv2d"};

struct ConvolutionNumbers {
  int64_t form, zero;
  std::span<const int64_t> pad, stride, dilation;
};

ConvolutionNumbers numbersOf(const Step &step) {
  std::span<const int64_t> rest(step.numbers);
  ConvolutionNumbers numbers{rest[0], rest[1], {}, {}, {}};
  std::size_t dims = rest[0] == Spatial3D ? 3 : 2;
  rest = rest.subspan(2);
  numbers.pad = rest.first(2 * dims);
  numbers.stride = rest.subspan(2 * dims, dims);
  numbers.dilation = rest.subspan(3 * dims, dims);
  return numbers;
}

void proposeConvolution(RecipeBuilder &builder, const StepKind &kind) {
  int64_t form = builder.below(4);
  int64_t dims = form == Spatial3D ? 3 : 2;
  Extents shape = {builder.between(1, 2)};
  for (int64_t dim = 0; dim < dims; ++dim)
    shape.push_back(builder.between(3, 8));
  shape.push_back(builder.between(1, 5));
  unsigned x = inputOf(builder, shape);
  const ValueFacts input = builder[x];
  ElementType weightType = productOf(input.type, false)->weight;
  int64_t channels = input.shape.back();
  int64_t outputs =
      form == Depthwise ? builder.between(1, 3) : builder.between(1, 6);
  Extents weights;
  if (form != Depthwise)
    weights.push_back(outputs);
  Step step{&kind, {}, {form, builder.below(3)}};
  std::vector<int64_t> strides, dilations;
  for (int64_t dim = 0; dim < dims; ++dim) {
    int64_t extent = input.shape[dim + 1];
    weights.push_back(builder.between(1, std::min<int64_t>(3, extent)));
    int64_t most = builder.oneIn(2) ? 0 : weights.back() - 1;
    step.numbers.push_back(builder.between(0, most));
    step.numbers.push_back(builder.between(0, most + 1));
    strides.push_back(builder.oneIn(2) ? 1 : builder.between(1, 3));
    dilations.push_back(builder.oneIn(3) ? builder.between(1, 2) : 1);
  }
  weights.push_back(channels);
  if (form == Depthwise)
    weights.push_back(outputs);
  // Convolutions that are not transposed have as many outputs as their strides
  // divide: what is left over is padded.
  for (int64_t dim = 0; dim < dims && form != Transposed; ++dim) {
    int64_t kernel = weights[form == Depthwise ? dim : dim + 1];
    int64_t room = input.shape[dim + 1] - 1 + step.numbers[2 + 2 * dim] +
                   step.numbers[3 + 2 * dim] - (kernel - 1) * dilations[dim];
    if (room >= 0)
      step.numbers[3 + 2 * dim] +=
          (strides[dim] - room % strides[dim]) % strides[dim];
  }
  step.numbers.insert(step.numbers.end(), strides.begin(), strides.end());
  step.numbers.insert(step.numbers.end(), dilations.begin(), dilations.end());
  unsigned w = builder.valueOf(weights, weightType);
  std::string sum = productOf(input.type, false)->sum;
  // Biases of 48 bits are constants, because nothing else has them.
  step.operands = {x, w};
  if (sum != "i48") {
    int64_t biases = form == Depthwise ? channels * outputs : outputs;
    step.operands.push_back(
        builder.valueOf({biases}, productOf(input.type, false)->result));
  }
  builder.add(std::move(step));
}

std::optional<ValueFacts> inferConvolution(const Step &step,
                                           const Operands &operands, bool) {
  const ValueFacts &x = *operands[0], &w = *operands[1];
  ConvolutionNumbers n = numbersOf(step);
  std::size_t dims = n.stride.size();
  auto types = productOf(x.type, false);
  if (!types || w.type != types->weight || x.shape.size() != dims + 2 ||
      w.shape.size() != dims + 2 ||
      (operands.size() == 2) != (types->sum == "i48"))
    return std::nullopt;
  bool depthwise = n.form == Depthwise;
  std::size_t first = depthwise ? 0 : 1;
  if (w.shape[depthwise ? dims : dims + 1] != x.shape.back())
    return std::nullopt;
  Extents shape = {x.shape[0]};
  for (std::size_t dim = 0; dim < dims; ++dim) {
    int64_t kernel = w.shape[first + dim], extent = x.shape[dim + 1];
    int64_t before = n.pad[2 * dim], behind = n.pad[2 * dim + 1];
    if (n.form == Transposed) {
      shape.push_back((extent - 1) * n.stride[dim] + before + behind + kernel);
      continue;
    }
    int64_t room =
        extent - 1 + before + behind - (kernel - 1) * n.dilation[dim];
    if (room < 0 || room % n.stride[dim] != 0)
      return std::nullopt;
    shape.push_back(room / n.stride[dim] + 1);
  }
  shape.push_back(depthwise ? w.shape[dims] * w.shape[dims + 1] : w.shape[0]);
  if (operands.size() == 3 &&
      (operands[2]->scalar || operands[2]->type != types->result ||
       operands[2]->shape != Extents{shape.back()}))
    return std::nullopt;
  return factsOf(step, shape, types->result);
}

void writeConvolution(const Step &step, const Operands &operands,
                      const ValueFacts &result, RecipeWriter &writer) {
  ConvolutionNumbers n = numbersOf(step);
  ProductTypes types = *productOf(operands[0]->type, false);
  TosaCall call(writer);
  call.operand(0, operands).operand(1, operands);
  if (operands.size() == 3) {
    call.operand(2, operands);
  } else {
    int64_t channels = result.shape.back(), entry = 5;
    call.constant(std::span(&channels, 1), types.sum, std::span(&entry, 1));
  }
  bool bytes = operands[0]->type == ElementType::I8;
  call.number(nameOf(operands[0]->type), bytes ? n.zero : 0)
      .number(nameOf(operands[1]->type), bytes ? -n.zero : 0);
  std::string attributes =
      n.form == Transposed
          ? fmt::format("out_pad = {}, stride = {}, acc_type = {}",
                        tosaArray(n.pad), tosaArray(n.stride),
                        types.accumulator)
          : fmt::format("pad = {}, stride = {}, dilation = {}, acc_type = {}",
                        tosaArray(n.pad), tosaArray(n.stride),
                        tosaArray(n.dilation), types.accumulator);
  writeProduct(call, types, kConvolutions[n.form], attributes, result, writer);
}

/// Numbers: whether it is a maximum, a choice of attributes, the kernel, the
/// strides, the padding.
void proposePool(RecipeBuilder &builder, const StepKind &kind) {
  unsigned x = inputOf(builder, {builder.between(1, 2), builder.between(2, 9),
                                 builder.between(2, 9), builder.between(1, 5)});
  const ValueFacts input = builder[x];
  Step step{&kind, {x}, {builder.below(2), builder.below(2)}};
  std::vector<int64_t> strides, padding;
  for (int64_t dim : {1, 2}) {
    int64_t kernel = builder.between(1, std::min<int64_t>(3, input.shape[dim]));
    int64_t stride = builder.between(1, 2);
    int64_t before = builder.between(0, kernel - 1), behind = 0;
    int64_t room = input.shape[dim] + before - kernel;
    behind = (stride - room % stride) % stride;
    step.numbers.push_back(kernel);
    strides.push_back(stride);
    padding.push_back(before);
    padding.push_back(behind);
  }
  step.numbers.insert(step.numbers.end(), strides.begin(), strides.end());
  step.numbers.insert(step.numbers.end(), padding.begin(), padding.end());
  builder.add(std::move(step));
}

std::optional<ValueFacts> inferPool(const Step &step, const Operands &operands,
                                    bool) {
  const ValueFacts &x = *operands[0];
  if (x.shape.size() != 4 || x.scalar || !isNarrow(x.type))
    return std::nullopt;
  std::span<const int64_t> numbers = std::span(step.numbers).subspan(2);
  Extents shape = x.shape;
  for (std::size_t dim = 0; dim < 2; ++dim) {
    int64_t kernel = numbers[dim], stride = numbers[2 + dim];
    int64_t before = numbers[4 + 2 * dim], behind = numbers[5 + 2 * dim];
    int64_t room = x.shape[dim + 1] + before + behind - kernel;
    if (room < 0 || room % stride != 0 || before >= kernel || behind >= kernel)
      return std::nullopt;
    shape[dim + 1] = room / stride + 1;
  }
  return factsOf(step, shape, x.type);
}

void writePool(const Step &step, const Operands &operands,
               const ValueFacts &result, RecipeWriter &writer) {
  std::span<const int64_t> numbers = std::span(step.numbers).subspan(2);
  std::string attributes = fmt::format(
      "kernel = {}, stride = {}, pad = {}", tosaArray(numbers.first(2)),
      tosaArray(numbers.subspan(2, 2)), tosaArray(numbers.subspan(4, 4)));
  TosaCall call(writer);
  call.operand(0, operands);
  if (step.numbers[0])
    return call.write(writer.result(), "max_pool2d",
                      attributes + ", " + nanMode(step.numbers[1]),
                      writer.type(result));
  std::string element = nameOf(result.type);
  int64_t zero = result.type == ElementType::I8 ? 3 * step.numbers[1] : 0;
  call.number(element, zero).number(element, -zero);
  call.write(writer.result(), "avg_pool2d",
             attributes +
                 ", acc_type = " + (isTosaFloat(result.type) ? "f32" : "i32"),
             writer.type(result));
}

/// Numbers: whether it is bilinear, and for each dimension the scale, the
/// offset and the border.
void proposeResize(RecipeBuilder &builder, const StepKind &kind) {
  unsigned x = inputOf(builder, {builder.between(1, 2), builder.between(1, 6),
                                 builder.between(1, 6), builder.between(1, 4)});
  const ValueFacts input = builder[x];
  Step step{&kind, {x}, {builder.below(2)}};
  for (int64_t dim : {1, 2}) {
    int64_t n = builder.between(1, 6), d = builder.between(1, 6);
    int64_t offset = builder.oneIn(2) ? 0 : builder.between(-n, n);
    int64_t room = (input.shape[dim] - 1) * n - offset;
    int64_t border = room < 0 ? -room : (d - room % d) % d;
    step.numbers.insert(step.numbers.end(), {n, d, offset, border});
  }
  builder.add(std::move(step));
}

std::optional<ValueFacts> inferResize(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &x = *operands[0];
  bool bilinear = step.numbers[0] != 0;
  if (x.shape.size() != 4 || x.scalar || !isNarrow(x.type) ||
      (bilinear && x.type == ElementType::I16))
    return std::nullopt;
  Extents shape = x.shape;
  for (std::size_t dim = 0; dim < 2; ++dim) {
    int64_t n = step.numbers[1 + 4 * dim], d = step.numbers[2 + 4 * dim];
    int64_t offset = step.numbers[3 + 4 * dim],
            border = step.numbers[4 + 4 * dim];
    int64_t room = (x.shape[dim + 1] - 1) * n - offset + border;
    if (room < 0 || room % d != 0)
      return std::nullopt;
    shape[dim + 1] = room / d + 1;
  }
  return factsOf(step, shape,
                 bilinear && !isTosaFloat(x.type) ? ElementType::I32 : x.type);
}

void writeResize(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  std::span<const int64_t> n(step.numbers);
  const int64_t scale[] = {n[1], n[2], n[5], n[6]};
  const int64_t offset[] = {n[3], n[7]}, border[] = {n[4], n[8]};
  TosaCall(writer)
      .operand(0, operands)
      .shape(scale)
      .shape(offset)
      .shape(border)
      .write(writer.result(), "resize",
             fmt::format("mode = #tosa.resize_mode<{}>",
                         n[0] ? "BILINEAR" : "NEAREST_NEIGHBOR"),
             writer.type(result));
}

/// Numbers: whether multipliers have 32 bits, whether there is one for each
/// channel, the rounding, and whether bytes are unsigned.
void proposeRescale(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pick([](const ValueFacts &f) {
    return !f.shape.empty() &&
           (isQuantized(f.type) || f.type == ElementType::I32);
  });
  if (!value)
    return;
  constexpr ElementType kTypes[] = {ElementType::I8, ElementType::I16,
                                    ElementType::I32};
  Step step{
      &kind,
      {*value},
      {builder.below(2), builder.below(2), builder.below(3), builder.below(4)}};
  step.type = kTypes[builder.below(std::size(kTypes))];
  builder.add(std::move(step));
}

std::optional<ValueFacts> inferRescale(const Step &step,
                                       const Operands &operands, bool) {
  const ValueFacts &x = *operands[0];
  bool fromUnsigned = step.numbers[3] == 1, toUnsigned = step.numbers[3] == 2;
  if (x.scalar || x.shape.empty() ||
      !(isQuantized(x.type) || x.type == ElementType::I32) ||
      (fromUnsigned && x.type != ElementType::I8) ||
      (toUnsigned && step.type != ElementType::I8) ||
      (fromUnsigned && step.type == ElementType::I32) ||
      // Two roundings are for multipliers of 32 bits.
      (step.numbers[0] == 0 && step.numbers[2] == 1) || x.shape.back() < 1)
    return std::nullopt;
  return factsOf(step, x.shape, step.type);
}

void writeRescale(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  constexpr const char *kRoundings[] = {"SINGLE_ROUND", "DOUBLE_ROUND",
                                        "INEXACT_ROUND"};
  std::span<const int64_t> n(step.numbers);
  bool wide = n[0] != 0;
  int64_t count = n[1] ? result.shape.back() : 1;
  std::vector<int64_t> multipliers, shifts;
  for (int64_t i = 0; i < count; ++i) {
    multipliers.push_back((int64_t(1) << (wide ? 30 : 14)) + 1234 / (i + 1));
    shifts.push_back((wide ? 31 : 15) + i % 3);
  }
  std::string from = nameOf(operands[0]->type), to = nameOf(result.type);
  auto text = [](bool value) { return value ? "true" : "false"; };
  TosaCall(writer)
      .operand(0, operands)
      .constant(std::span(&count, 1), wide ? "i32" : "i16", multipliers)
      .constant(std::span(&count, 1), "i8", shifts)
      .number(from, from == "i8" ? 3 : 0)
      .number(to, to == "i8" && n[3] != 2 ? -5 : 0)
      .write(writer.result(), "rescale",
             fmt::format("scale32 = {}, rounding_mode = "
                         "#tosa.rounding_mode<{}>, per_channel = {}, "
                         "input_unsigned = {}, output_unsigned = {}",
                         text(wide), kRoundings[n[2]], text(n[1] != 0),
                         text(n[3] == 1), text(n[3] == 2)),
             writer.type(result));
}

/// Numbers: whether only real numbers are transformed.
void proposeTransform(RecipeBuilder &builder, const StepKind &kind) {
  const Extents shape = {builder.between(1, 2), int64_t(1) << builder.below(3),
                         int64_t(1) << builder.between(1, 3)};
  unsigned real = builder.valueOf(shape, ElementType::F32);
  if (builder.oneIn(2)) {
    builder.add({&kind, {real}});
    return;
  }
  unsigned imaginary = builder.valueOf(shape, ElementType::F32);
  builder.add({&kind, {real, imaginary}, {builder.below(2)}});
}

std::optional<ValueFacts> inferTransform(const Step &step,
                                         const Operands &operands, bool) {
  Extents shape = operands[0]->shape;
  for (const ValueFacts *part : operands)
    if (part->type != ElementType::F32 || part->scalar || shape.size() != 3 ||
        part->shape != shape)
      return std::nullopt;
  auto isPower = [](int64_t n) { return n > 0 && (n & (n - 1)) == 0; };
  if (!isPower(shape[1]) || !isPower(shape[2]))
    return std::nullopt;
  if (operands.size() == 1)
    shape[2] = shape[2] / 2 + 1;
  return factsOf(step, shape, ElementType::F32);
}

/// One of both results is enough: the other one is computed like it.
void writeTransform(const Step &step, const Operands &operands,
                    const ValueFacts &result, RecipeWriter &writer) {
  std::string both = writer.result() + ", " + writer.fresh();
  std::string types = writer.type(result) + ", " + writer.type(result);
  TosaCall call(writer);
  call.operand(0, operands);
  if (operands.size() == 1)
    return call.write(both, "rfft2d", "", types);
  call.operand(1, operands);
  call.write(both, "fft2d",
             step.numbers[0] ? "inverse = true" : "inverse = false", types);
}

constexpr StepKind kKinds[] = {
    {"tosa reduction", proposeReduce, inferReduce, writeReduce},
    {"tosa reduction", proposeReduce, inferReduce, writeReduce},
    {"tosa matmul", proposeMatmul, inferMatmul, writeMatmul},
    {"tosa convolution", proposeConvolution, inferConvolution,
     writeConvolution},
    {"tosa convolution", proposeConvolution, inferConvolution,
     writeConvolution},
    {"tosa pool", proposePool, inferPool, writePool},
    {"tosa resize", proposeResize, inferResize, writeResize},
    {"tosa rescale", proposeRescale, inferRescale, writeRescale},
    {"tosa transform", proposeTransform, inferTransform, writeTransform},
};

} // namespace

std::span<const StepKind> tosaSumKinds() { return kKinds; }

} // namespace npu
