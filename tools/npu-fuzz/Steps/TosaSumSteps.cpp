// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of TOSA that combine entries: reductions, and, in graphs of TOSA,
// products, convolutions, pools, resizes, rescales and transforms.

#include "npu-fuzz/Steps/TosaSteps.h"

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

constexpr TosaRow kReductions[] = {
    {"reduce_all", "t"},
    {"reduce_any", "t"},
    {"reduce_max", "fbsw", true},
    {"reduce_min", "fbsw", true},
    {"reduce_sum", "fw", true},
    {"reduce_product", "f"},
    {"argmax", "fbs"},
};

void reduce(OperationMaker &maker) {
  Made value = tosaOperand(maker);
  if (!value || maker[*value].shape.empty())
    return;
  const TosaRow *row = rowFor(maker, kReductions, maker[*value]);
  int64_t axis = maker.below(std::ssize(maker[*value].shape));
  bool ignores = maker.oneIn(2);
  if (!row)
    return;
  bool isSum = row->op == "reduce_sum", isArgmax = row->op == "argmax";
  if (isSum && maker.hasBounds())
    value = maker.summable(*value, std::span(&axis, 1));
  const Fact from = maker[*value];
  if (isSum && maker.hasBounds() && !maker.sumIsSafe(from, std::span(&axis, 1)))
    return;
  std::string attributes = tosaAxis(axis);
  if (row->op.ends_with("max") || row->op.ends_with("min"))
    attributes += ", " + nanMode(ignores && !maker.hasBounds());
  Extents shape = from.shape;
  shape[axis] = 1;
  if (isArgmax)
    shape =
        only(from.shape, others(std::ssize(from.shape), std::span(&axis, 1)));
  tosaStep(maker, row->op, attributes, {from},
           isArgmax ? ElementType::I32 : from.type, shape);
}

/// The types of a product: of its weights, its bias and result, its
/// accumulator and of the value of the step, which is rescaled where nothing
/// else has the result's type.
struct ProductTypes {
  ElementType weight;
  /// Of 48 bits, which no ElementType has.
  bool isWide = false;
  ElementType result = ElementType::I32;
  const char *accumulator = "f32";
};

std::optional<ProductTypes> productOf(ElementType type, bool isMatmul) {
  switch (type) {
  case ElementType::F32:
  case ElementType::F16:
    return ProductTypes{type, false, type};
  case ElementType::BF16:
    return ProductTypes{type, false, isMatmul ? ElementType::F32 : type};
  case ElementType::I8:
    return ProductTypes{type, false, ElementType::I32, "i32"};
  case ElementType::I16:
    return ProductTypes{isMatmul ? type : ElementType::I8, true,
                        ElementType::I32, "i48"};
  default:
    return std::nullopt;
  }
}

std::string rescaleAttributes(bool wide, const char *rounding, bool perChannel,
                              bool fromUnsigned, bool toUnsigned) {
  return fmt::format("scale32 = {}, rounding_mode = #tosa.rounding_mode<{}>, "
                     "per_channel = {}, input_unsigned = {}, output_unsigned = "
                     "{}",
                     wide, rounding, perChannel, fromUnsigned, toUnsigned);
}

/// The product, whose sums of 48 bits are rescaled to 32.
Value product(TosaBuilder &tosa, const ProductTypes &types, llvm::StringRef op,
              const std::string &attributes, ValueRange operands, Type result) {
  if (!types.isWide)
    return tosa.one(op, attributes, operands, result);
  Type i48 = tosa.b.getIntegerType(48);
  Value wide = tosa.one(op, attributes, operands,
                        cast<RankedTensorType>(result).clone(i48));
  Value multiplier = tosa.number(ElementType::I16, 16384),
        shift = tosa.number(ElementType::I8, 15), from = tosa.number(i48, 0),
        to = tosa.number(ElementType::I32, 0);
  return tosa.one("rescale",
                  rescaleAttributes(false, "SINGLE_ROUND", false, false, false),
                  {wide, multiplier, shift, from, to}, result);
}

bool isProductInput(ElementType type) {
  return productOf(type, true).has_value();
}

/// A value that a product takes, with that many dimensions.
Fact inputOf(OperationMaker &maker, const Extents &otherwise) {
  auto found = maker.pick([&](const Fact &each) {
    return each.shape.size() == otherwise.size() && isProductInput(each.type);
  });
  if (found && !maker.oneIn(4))
    return maker[*found];
  constexpr ElementType kTypes[] = {ElementType::I8, ElementType::I16,
                                    ElementType::F32, ElementType::F16,
                                    ElementType::BF16};
  ElementType type =
      isProductInput(maker.mainType()) ? maker.mainType() : maker.oneOf(kTypes);
  return maker[maker.argument(fixedDims(otherwise), type)];
}

/// A value of that shape and type.
Fact given(OperationMaker &maker, const Extents &shape, ElementType type) {
  return maker[maker.valueOf(fixedDims(shape), type)];
}

void matmul(OperationMaker &maker) {
  int64_t batch = maker.between(1, 3), rows = maker.between(1, 9);
  const Fact a = inputOf(maker, {batch, rows, maker.between(1, 9)});
  int64_t columns = maker.between(1, 9);
  const Fact b = given(maker, {a.shape[0], a.shape[2], columns}, a.type);
  int64_t zero = maker.below(3);
  if (a.type != ElementType::I8)
    zero = 0;
  ProductTypes types = *productOf(a.type, true);
  tosaStep(maker, types.result, {a.shape[0], a.shape[1], columns},
           [&](TosaBuilder &tosa, Type result) {
             Value za = tosa.number(a.type, zero),
                   zb = tosa.number(a.type, -zero);
             return product(tosa, types, "matmul", "",
                            {a.value, b.value, za, zb}, result);
           });
}

void convolution(OperationMaker &maker) {
  enum { Plain, Depthwise, Spatial3D, Transposed };
  constexpr const char *kNames[] = {"conv2d", "depthwise_conv2d", "conv3d",
                                    "transpose_conv2d"};
  int64_t form = maker.below(std::size(kNames));
  int64_t dims = form == Spatial3D ? 3 : 2;
  bool depthwise = form == Depthwise;
  Extents shape = {maker.between(1, 2)};
  for (int64_t dim = 0; dim < dims; ++dim)
    shape.push_back(maker.between(3, 8));
  shape.push_back(maker.between(1, 5));
  const Fact input = inputOf(maker, shape);
  ProductTypes types = *productOf(input.type, false);
  int64_t channels = input.shape.back();
  int64_t outputs = maker.between(1, depthwise ? 3 : 6);
  Extents weights;
  if (!depthwise)
    weights.push_back(outputs);
  int64_t zero = maker.below(3);
  if (input.type != ElementType::I8)
    zero = 0;
  std::vector<int64_t> pad, strides, dilations;
  shape = {input.shape[0]};
  for (int64_t dim = 0; dim < dims; ++dim) {
    int64_t extent = input.shape[dim + 1];
    int64_t kernel = maker.between(1, std::min<int64_t>(3, extent));
    weights.push_back(kernel);
    int64_t most = maker.oneIn(2) ? 0 : kernel - 1;
    int64_t before = maker.between(0, most), after = maker.between(0, most + 1);
    int64_t stride = maker.oneIn(2) ? 1 : maker.between(1, 3);
    int64_t dilation = maker.oneIn(3) ? maker.between(1, 2) : 1;
    // Convolutions that are not transposed have as many outputs as their
    // strides divide: what is left over is padded.
    int64_t room = extent - 1 + before + after - (kernel - 1) * dilation;
    int64_t rest = (stride - room % stride) % stride;
    if (form == Transposed) {
      shape.push_back((extent - 1) * stride + before + after + kernel);
    } else if (room < 0) {
      shape.push_back(0);
    } else {
      after += rest;
      shape.push_back((room + rest) / stride + 1);
    }
    pad.insert(pad.end(), {before, after});
    strides.push_back(stride);
    dilations.push_back(dilation);
  }
  weights.push_back(channels);
  if (depthwise)
    weights.push_back(outputs);
  shape.push_back(depthwise ? channels * outputs : outputs);
  const Fact filter = given(maker, weights, types.weight);
  // Biases of 48 bits are constants, because nothing else has them.
  Fact bias;
  if (!types.isWide)
    bias = given(maker, {shape.back()}, types.result);
  std::string attributes =
      form == Transposed
          ? tosaNumbers("out_pad", pad) + ", " + tosaNumbers("stride", strides)
          : tosaNumbers("pad", pad) + ", " + tosaNumbers("stride", strides) +
                ", " + tosaNumbers("dilation", dilations);
  attributes += fmt::format(", acc_type = {}", types.accumulator);
  tosaStep(maker, types.result, shape, [&](TosaBuilder &tosa, Type result) {
    if (types.isWide)
      bias.value = tosa.constant({shape.back()}, tosa.b.getIntegerType(48), 5);
    Value zx = tosa.number(input.type, zero),
          zw = tosa.number(types.weight, -zero);
    return product(tosa, types, kNames[form], attributes,
                   {input.value, filter.value, bias.value, zx, zw}, result);
  });
}

/// A value of TOSA's order of images, of a type that pools and resizes take.
std::optional<Fact> image(OperationMaker &maker, int64_t least, int64_t most) {
  int64_t batch = maker.between(1, 2), rows = maker.between(least, most),
          columns = maker.between(least, most);
  const Fact input =
      inputOf(maker, {batch, rows, columns, maker.between(1, 5)});
  return takes("fbs", input.type) ? std::optional(input) : std::nullopt;
}

void pool(OperationMaker &maker) {
  auto input = image(maker, 2, 9);
  if (!input)
    return;
  bool takesMost = maker.oneIn(2), choice = maker.oneIn(2);
  std::vector<int64_t> kernels, strides, padding;
  Extents shape = input->shape;
  for (int64_t dim : {1, 2}) {
    int64_t kernel = maker.between(1, std::min<int64_t>(3, shape[dim]));
    int64_t stride = maker.between(1, 2);
    int64_t before = maker.between(0, kernel - 1);
    int64_t room = shape[dim] + before - kernel;
    int64_t after = (stride - room % stride) % stride;
    if (after >= kernel)
      return;
    kernels.push_back(kernel);
    strides.push_back(stride);
    padding.insert(padding.end(), {before, after});
    shape[dim] = (room + after) / stride + 1;
  }
  std::string attributes = tosaNumbers("kernel", kernels) + ", " +
                           tosaNumbers("stride", strides) + ", " +
                           tosaNumbers("pad", padding) + ", ";
  if (takesMost) {
    tosaStep(maker, "max_pool2d", attributes + nanMode(choice), {*input},
             input->type, shape);
    return;
  }
  int64_t zero = input->type == ElementType::I8 && choice ? 3 : 0;
  attributes += isFloat(input->type) ? "acc_type = f32" : "acc_type = i32";
  tosaStep(maker, input->type, shape, [&](TosaBuilder &tosa, Type result) {
    Value from = tosa.number(input->type, zero),
          to = tosa.number(input->type, -zero);
    return tosa.one("avg_pool2d", attributes, {input->value, from, to}, result);
  });
}

void resize(OperationMaker &maker) {
  auto input = image(maker, 1, 6);
  if (!input)
    return;
  bool bilinear = maker.oneIn(2);
  std::vector<int64_t> scales, offsets, borders;
  Extents shape = input->shape;
  for (int64_t dim : {1, 2}) {
    int64_t n = maker.between(1, 6), d = maker.between(1, 6);
    int64_t offset = maker.oneIn(2) ? 0 : maker.between(-n, n);
    int64_t room = (shape[dim] - 1) * n - offset;
    int64_t border = room < 0 ? -room : (d - room % d) % d;
    scales.insert(scales.end(), {n, d});
    offsets.push_back(offset);
    borders.push_back(border);
    shape[dim] = (room + border) / d + 1;
  }
  if (bilinear && input->type == ElementType::I16)
    return;
  tosaStep(
      maker, bilinear && !isFloat(input->type) ? ElementType::I32 : input->type,
      shape, [&](TosaBuilder &tosa, Type result) {
        Value scale = tosa.shape(scales), offset = tosa.shape(offsets),
              border = tosa.shape(borders);
        return tosa.one("resize",
                        fmt::format("mode = #tosa.resize_mode<{}>",
                                    bilinear ? "BILINEAR" : "NEAREST_NEIGHBOR"),
                        {input->value, scale, offset, border}, result);
      });
}

/// A rescale with multipliers of 16 or 32 bits, one or one for each channel,
/// any rounding, and bytes that may be unsigned.
void rescale(OperationMaker &maker) {
  auto value = maker.pick([](const Fact &each) {
    return !each.shape.empty() && takes("bsw", each.type);
  });
  if (!value)
    return;
  constexpr ElementType kTypes[] = {ElementType::I8, ElementType::I16,
                                    ElementType::I32};
  constexpr const char *kRoundings[] = {"SINGLE_ROUND", "DOUBLE_ROUND",
                                        "INEXACT_ROUND"};
  const Fact from = maker[*value];
  bool wide = maker.oneIn(2), perChannel = maker.oneIn(2);
  int64_t rounding = maker.below(3), signs = maker.below(4);
  ElementType to = maker.oneOf(kTypes);
  bool fromUnsigned = signs == 1, toUnsigned = signs == 2;
  if ((fromUnsigned && from.type != ElementType::I8) ||
      (toUnsigned && to != ElementType::I8) ||
      (fromUnsigned && to == ElementType::I32) ||
      // Two roundings are for multipliers of 32 bits.
      (!wide && rounding == 1))
    return;
  int64_t count = perChannel ? from.shape.back() : 1;
  std::vector<int64_t> multipliers, shifts;
  for (int64_t i = 0; i < count; ++i) {
    multipliers.push_back((int64_t(1) << (wide ? 30 : 14)) + 1234 / (i + 1));
    shifts.push_back((wide ? 31 : 15) + i % 3);
  }
  tosaStep(maker, to, from.shape, [&](TosaBuilder &tosa, Type result) {
    Value multiplier = tosa.constant(
              count, tosa.b.getIntegerType(wide ? 32 : 16), multipliers),
          shift = tosa.constant(count, tosa.b.getI8Type(), shifts),
          zero = tosa.number(from.type, from.type == ElementType::I8 ? 3 : 0),
          zeroTo =
              tosa.number(to, to == ElementType::I8 && !toUnsigned ? -5 : 0);
    return tosa.one("rescale",
                    rescaleAttributes(wide, kRoundings[rounding], perChannel,
                                      fromUnsigned, toUnsigned),
                    {from.value, multiplier, shift, zero, zeroTo}, result);
  });
}

/// A transform. One of both results is enough: the other one is computed like
/// it.
void transform(OperationMaker &maker) {
  int64_t batch = maker.between(1, 2), rows = int64_t(1) << maker.below(3);
  Extents shape = {batch, rows, int64_t(1) << maker.between(1, 3)};
  bool isReal = maker.oneIn(2), inverse = maker.oneIn(2);
  SmallVector<Value> operands = {given(maker, shape, ElementType::F32).value};
  if (isReal)
    shape[2] = shape[2] / 2 + 1;
  else
    operands.push_back(given(maker, shape, ElementType::F32).value);
  tosaStep(maker, ElementType::F32, shape, [&](TosaBuilder &tosa, Type result) {
    return tosa
        .call(isReal ? "rfft2d" : "fft2d",
              isReal    ? ""
              : inverse ? "inverse = true"
                        : "inverse = false",
              operands, {result, result})
        ->getResult(0);
  });
}

} // namespace

std::span<const StepRow> tosaSumSteps() {
  static constexpr StepRow kRows[] = {
      {reduce, {.rare = 1, .tosa = 2}},
      {matmul, {.tosa = 1}},
      {convolution, {.tosa = 2}},
      {pool, {.tosa = 1}},
      {resize, {.tosa = 1}},
      {rescale, {.tosa = 1}},
      {transform, {.tosa = 1}},
  };
  return kRows;
}

} // namespace npu
