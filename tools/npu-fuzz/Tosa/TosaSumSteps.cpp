// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of graphs of TOSA that combine entries: reductions, products,
// convolutions, pools, resizes, rescales and transforms.

#include "npu-fuzz/Tosa/TosaGraph.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

bool isTosaFloat(ElementType type) {
  return isFloat(type) && type != ElementType::F64;
}
bool isQuantized(ElementType type) {
  return type == ElementType::I8 || type == ElementType::I16;
}
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

struct Reduction {
  std::string_view op;
  bool (*takes)(ElementType);
  bool hasNanMode = false;
};
constexpr Reduction kReductions[] = {
    {"reduce_all", isTruth},        {"reduce_any", isTruth},
    {"reduce_max", isNumber, true}, {"reduce_min", isNumber, true},
    {"reduce_sum", isWide},         {"reduce_product", isTosaFloat},
    {"argmax", isNarrow, true},
};

void proposeReduce(TosaGraph &graph) {
  auto value = graph.pickRanked();
  if (!value)
    return;
  const TosaTensor facts = graph[*value];
  std::vector<const Reduction *> rows;
  for (const Reduction &row : kReductions)
    if (row.takes(facts.type))
      rows.push_back(&row);
  if (rows.empty())
    return;
  const Reduction &row = *rows[graph.below(std::ssize(rows))];
  int64_t axis = graph.below(std::ssize(facts.shape));
  std::string nan = ", " + nanMode(graph.below(2));
  Extents shape = facts.shape;
  shape[axis] = 1;
  bool isArgmax = row.op == "argmax";
  if (isArgmax) {
    shape = {};
    for (int64_t dim = 0; dim < std::ssize(facts.shape); ++dim)
      if (dim != axis)
        shape.push_back(facts.shape[dim]);
  }
  TosaStep step(graph, {*value});
  step.result(row.op, axisOf(axis) + (row.hasNanMode ? nan : ""), {step[0]},
              isArgmax ? ElementType::I32 : facts.type, shape);
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

std::string rescaleAttributes(bool wide, const char *rounding, bool perChannel,
                              bool fromUnsigned, bool toUnsigned) {
  return fmt::format("scale32 = {}, rounding_mode = #tosa.rounding_mode<{}>, "
                     "per_channel = {}, input_unsigned = {}, output_unsigned = "
                     "{}",
                     wide, rounding, perChannel, fromUnsigned, toUnsigned);
}

/// Adds the product, and rescales sums of 48 bits to 32.
void addProduct(TosaStep &step, const ProductTypes &types, const char *op,
                const std::string &attributes,
                const std::vector<TosaValue> &operands, const Extents &shape) {
  if (types.sum != "i48")
    return step.result(op, attributes, operands, types.result, shape);
  TosaValue wide =
      step.call(op, attributes, operands, tosaType(shape.span(), "i48"));
  TosaValue multiplier = step.number("i16", 16384),
            shift = step.number("i8", 15), from = step.number("i48", 0),
            to = step.number("i32", 0);
  step.result("rescale",
              rescaleAttributes(false, "SINGLE_ROUND", false, false, false),
              {wide, multiplier, shift, from, to}, types.result, shape);
}

bool isProductInput(ElementType type) {
  return productOf(type, true).has_value();
}

/// A value that a product takes, with that many dimensions.
unsigned inputOf(TosaGraph &graph, const Extents &otherwise) {
  auto found = graph.pick([&](const TosaTensor &f) {
    return f.shape.size() == otherwise.size() && isProductInput(f.type);
  });
  if (found && !graph.oneIn(4))
    return *found;
  constexpr ElementType kTypes[] = {ElementType::I8, ElementType::I16,
                                    ElementType::F32, ElementType::F16,
                                    ElementType::BF16};
  ElementType type = isProductInput(graph.mainType())
                         ? graph.mainType()
                         : kTypes[graph.below(std::size(kTypes))];
  return graph.argument(otherwise, type);
}

void proposeMatmul(TosaGraph &graph) {
  unsigned a = inputOf(
      graph, {graph.between(1, 3), graph.between(1, 9), graph.between(1, 9)});
  const TosaTensor first = graph[a];
  int64_t columns = graph.between(1, 9);
  unsigned b =
      graph.valueOf({first.shape[0], first.shape[2], columns}, first.type);
  int64_t zero = graph.below(3);
  if (first.type != ElementType::I8)
    zero = 0;
  TosaStep step(graph, {a, b});
  std::string element = nameOf(first.type);
  TosaValue za = step.number(element, zero), zb = step.number(element, -zero);
  addProduct(step, *productOf(first.type, true), "matmul", "",
             {step[0], step[1], za, zb},
             {first.shape[0], first.shape[1], columns});
}

enum Convolution { Plain, Depthwise, Spatial3D, Transposed };
constexpr const char *kConvolutions[] = {"conv2d", "depthwise_conv2d", "conv3d",
                                         "transpose_conv2d"};

void proposeConvolution(TosaGraph &graph) {
  int64_t form = graph.below(4);
  int64_t dims = form == Spatial3D ? 3 : 2;
  bool depthwise = form == Depthwise;
  Extents shape = {graph.between(1, 2)};
  for (int64_t dim = 0; dim < dims; ++dim)
    shape.push_back(graph.between(3, 8));
  shape.push_back(graph.between(1, 5));
  unsigned x = inputOf(graph, shape);
  const TosaTensor input = graph[x];
  ProductTypes types = *productOf(input.type, false);
  int64_t channels = input.shape.back();
  int64_t outputs = graph.between(1, depthwise ? 3 : 6);
  Extents weights;
  if (!depthwise)
    weights.push_back(outputs);
  int64_t zero = graph.below(3);
  std::vector<int64_t> pad, strides, dilations;
  shape = {input.shape[0]};
  for (int64_t dim = 0; dim < dims; ++dim) {
    int64_t extent = input.shape[dim + 1];
    weights.push_back(graph.between(1, std::min<int64_t>(3, extent)));
    int64_t kernel = weights.back();
    int64_t most = graph.oneIn(2) ? 0 : kernel - 1;
    int64_t before = graph.between(0, most), after = graph.between(0, most + 1);
    strides.push_back(graph.oneIn(2) ? 1 : graph.between(1, 3));
    dilations.push_back(graph.oneIn(3) ? graph.between(1, 2) : 1);
    int64_t stride = strides.back();
    // Convolutions that are not transposed have as many outputs as their
    // strides divide: what is left over is padded.
    int64_t room =
        extent - 1 + before + after - (kernel - 1) * dilations.back();
    if (form != Transposed && room >= 0) {
      after += (stride - room % stride) % stride;
      room += (stride - room % stride) % stride;
    }
    pad.insert(pad.end(), {before, after});
    shape.push_back(form == Transposed
                        ? (extent - 1) * stride + before + after + kernel
                    : room < 0 ? 0
                               : room / stride + 1);
  }
  weights.push_back(channels);
  if (depthwise)
    weights.push_back(outputs);
  shape.push_back(depthwise ? channels * outputs : outputs);
  std::vector<unsigned> operands = {x, graph.valueOf(weights, types.weight)};
  // Biases of 48 bits are constants, because nothing else has them.
  bool hasBias = types.sum != "i48";
  if (hasBias)
    operands.push_back(graph.valueOf({shape.back()}, types.result));
  TosaStep step(graph, operands);
  TosaValue bias =
      hasBias ? step[2] : step.all(std::span(&shape.back(), 1), types.sum, 5);
  if (input.type != ElementType::I8)
    zero = 0;
  TosaValue zx = step.number(nameOf(input.type), zero),
            zw = step.number(nameOf(types.weight), -zero);
  std::string attributes =
      form == Transposed
          ? "out_pad = " + tosaArray(pad) + ", stride = " + tosaArray(strides)
          : fmt::format("pad = {}, stride = {}, dilation = {}", tosaArray(pad),
                        tosaArray(strides), tosaArray(dilations));
  addProduct(step, types, kConvolutions[form],
             attributes + ", acc_type = " + types.accumulator,
             {step[0], step[1], bias, zx, zw}, shape);
}

void proposePool(TosaGraph &graph) {
  unsigned x = inputOf(graph, {graph.between(1, 2), graph.between(2, 9),
                               graph.between(2, 9), graph.between(1, 5)});
  const TosaTensor input = graph[x];
  bool takesMost = graph.below(2) != 0;
  int64_t choice = graph.below(2);
  std::vector<int64_t> kernels, strides, padding;
  Extents shape = input.shape;
  for (int64_t dim : {1, 2}) {
    int64_t kernel = graph.between(1, std::min<int64_t>(3, shape[dim]));
    int64_t stride = graph.between(1, 2);
    int64_t before = graph.between(0, kernel - 1);
    int64_t room = shape[dim] + before - kernel;
    int64_t after = (stride - room % stride) % stride;
    if (after >= kernel)
      return;
    kernels.push_back(kernel);
    strides.push_back(stride);
    padding.insert(padding.end(), {before, after});
    shape[dim] = (room + after) / stride + 1;
  }
  if (!isNarrow(input.type))
    return;
  std::string attributes =
      fmt::format("kernel = {}, stride = {}, pad = {}", tosaArray(kernels),
                  tosaArray(strides), tosaArray(padding));
  TosaStep step(graph, {x});
  if (takesMost)
    return step.result("max_pool2d", attributes + ", " + nanMode(choice),
                       {step[0]}, input.type, shape);
  std::string element = nameOf(input.type);
  int64_t zero = input.type == ElementType::I8 ? 3 * choice : 0;
  TosaValue from = step.number(element, zero), to = step.number(element, -zero);
  step.result("avg_pool2d",
              attributes +
                  ", acc_type = " + (isTosaFloat(input.type) ? "f32" : "i32"),
              {step[0], from, to}, input.type, shape);
}

void proposeResize(TosaGraph &graph) {
  unsigned x = inputOf(graph, {graph.between(1, 2), graph.between(1, 6),
                               graph.between(1, 6), graph.between(1, 4)});
  const TosaTensor input = graph[x];
  bool bilinear = graph.below(2) != 0;
  std::vector<int64_t> scales, offsets, borders;
  Extents shape = input.shape;
  for (int64_t dim : {1, 2}) {
    int64_t n = graph.between(1, 6), d = graph.between(1, 6);
    int64_t offset = graph.oneIn(2) ? 0 : graph.between(-n, n);
    int64_t room = (shape[dim] - 1) * n - offset;
    int64_t border = room < 0 ? -room : (d - room % d) % d;
    scales.insert(scales.end(), {n, d});
    offsets.push_back(offset);
    borders.push_back(border);
    shape[dim] = (room + border) / d + 1;
  }
  if (!isNarrow(input.type) || (bilinear && input.type == ElementType::I16))
    return;
  TosaStep step(graph, {x});
  TosaValue scale = step.shape(scales), offset = step.shape(offsets),
            border = step.shape(borders);
  step.result("resize",
              fmt::format("mode = #tosa.resize_mode<{}>",
                          bilinear ? "BILINEAR" : "NEAREST_NEIGHBOR"),
              {step[0], scale, offset, border},
              bilinear && !isTosaFloat(input.type) ? ElementType::I32
                                                   : input.type,
              shape);
}

/// Proposes a rescale with multipliers of 16 or 32 bits, one or one for each
/// channel, any rounding, and bytes that may be unsigned.
void proposeRescale(TosaGraph &graph) {
  auto value = graph.pick([](const TosaTensor &f) {
    return !f.shape.empty() &&
           (isQuantized(f.type) || f.type == ElementType::I32);
  });
  if (!value)
    return;
  constexpr ElementType kTypes[] = {ElementType::I8, ElementType::I16,
                                    ElementType::I32};
  constexpr const char *kRoundings[] = {"SINGLE_ROUND", "DOUBLE_ROUND",
                                        "INEXACT_ROUND"};
  const TosaTensor from = graph[*value];
  bool wide = graph.below(2) != 0, perChannel = graph.below(2) != 0;
  int64_t rounding = graph.below(3), signs = graph.below(4);
  ElementType to = kTypes[graph.below(std::size(kTypes))];
  bool fromUnsigned = signs == 1, toUnsigned = signs == 2;
  if ((fromUnsigned && from.type != ElementType::I8) ||
      (toUnsigned && to != ElementType::I8) ||
      (fromUnsigned && to == ElementType::I32) ||
      // Two roundings are for multipliers of 32 bits.
      (!wide && rounding == 1) || from.shape.back() < 1)
    return;
  int64_t count = perChannel ? from.shape.back() : 1;
  std::vector<int64_t> multipliers, shifts;
  for (int64_t i = 0; i < count; ++i) {
    multipliers.push_back((int64_t(1) << (wide ? 30 : 14)) + 1234 / (i + 1));
    shifts.push_back((wide ? 31 : 15) + i % 3);
  }
  TosaStep step(graph, {*value});
  std::span<const int64_t> each(&count, 1);
  TosaValue multiplier = step.constant(each, wide ? "i32" : "i16", multipliers);
  TosaValue shift = step.constant(each, "i8", shifts);
  TosaValue zero =
      step.number(nameOf(from.type), from.type == ElementType::I8 ? 3 : 0);
  TosaValue zeroTo =
      step.number(nameOf(to), to == ElementType::I8 && !toUnsigned ? -5 : 0);
  step.result("rescale",
              rescaleAttributes(wide, kRoundings[rounding], perChannel,
                                fromUnsigned, toUnsigned),
              {step[0], multiplier, shift, zero, zeroTo}, to, from.shape);
}

/// Proposes a transform. One of both results is enough: the other one is
/// computed like it.
void proposeTransform(TosaGraph &graph) {
  Extents shape = {graph.between(1, 2), int64_t(1) << graph.below(3),
                   int64_t(1) << graph.between(1, 3)};
  unsigned real = graph.valueOf(shape, ElementType::F32);
  if (graph.oneIn(2)) {
    TosaStep step(graph, {real});
    shape[2] = shape[2] / 2 + 1;
    return step.result("rfft2d", "", {step[0]}, ElementType::F32, shape, true);
  }
  unsigned imaginary = graph.valueOf(shape, ElementType::F32);
  TosaStep step(graph, {real, imaginary});
  step.result("fft2d", graph.below(2) ? "inverse = true" : "inverse = false",
              {step[0], step[1]}, ElementType::F32, shape, true);
}

constexpr TosaKind kKinds[] = {
    proposeReduce,      proposeReduce,      proposeMatmul,
    proposeConvolution, proposeConvolution, proposePool,
    proposeResize,      proposeRescale,     proposeTransform,
};

} // namespace

std::span<const TosaKind> tosaSumKinds() { return kKinds; }

} // namespace npu
