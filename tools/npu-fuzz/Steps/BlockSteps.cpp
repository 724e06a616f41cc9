// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks as models have them, each of several steps of other kinds: what one
// value is used for more than once, heads, windows, and joints; and the lists
// of all kinds.

#include "npu-fuzz/Steps/Steps.h"

namespace npu {
namespace {

/// Appends steps on the values before them. A step that is not legal, or that
/// has an operand which could not be made, makes no value.
class BlockMaker {
public:
  explicit BlockMaker(OperationMaker &maker) : maker(maker) {}

  Made multiplied(std::string_view op, Made a, Made b, int64_t stride = 1,
                  int64_t dilation = 1) {
    return a && b ? contraction(maker, op, *a, *b, stride, dilation)
                  : std::nullopt;
  }
  Made matmul(Made a, Made b) { return multiplied("matmul", a, b); }
  Made unary(Made value) {
    int64_t row = maker.below(2);
    Written written = anyForm(maker);
    return value ? elementwise(maker, {*value}, row, written) : std::nullopt;
  }
  Made add(Made a, Made b) { return binary(a, b, 0, anyForm(maker)); }
  Made subtract(Made a, Made b) { return binary(a, b, 1, anyForm(maker)); }
  /// Adds a tensor that has the dimensions `loops` of the first one.
  Made addAlong(Made a, Made b, std::vector<int64_t> loops) {
    if (!a || !b)
      return std::nullopt;
    return elementwise(maker, {*a, *b}, 0, Written::Generic,
                       {others(std::ssize(maker[*a].shape), {}), loops});
  }
  Made transpose(Made value, std::vector<int64_t> dims) {
    return value ? transposed(maker, *value, dims) : std::nullopt;
  }
  Made weight(const std::vector<int64_t> &shape) {
    return maker.valueOf(fixedDims(shape), maker.mainType());
  }
  /// A matrix: one that exists, or an argument with extents that may be odd.
  unsigned matrix() {
    auto found = maker.pick([&](const Fact &value) {
      return value.shape.size() == 2 && value.type == maker.mainType() &&
             value.volume() > 0;
    });
    if (found && !maker.oneIn(3))
      return *found;
    int64_t rows = maker.between(3, 48);
    return maker.argument({rows, maker.between(2, 24)}, maker.mainType());
  }

private:
  Made binary(Made a, Made b, int64_t row, Written written) {
    return a && b ? elementwise(maker, {*a, *b}, row, written) : std::nullopt;
  }

  OperationMaker &maker;
};

/// Two matmuls and what they began with added to what came of it.
void residual(OperationMaker &maker) {
  BlockMaker block(maker);
  unsigned x = block.matrix();
  int64_t width = maker[x].shape[1], inner = maker.between(1, 40);
  Made up = block.unary(block.matmul(x, block.weight({width, inner})));
  Made down = block.matmul(up, block.weight({inner, width}));
  if (maker.oneIn(2))
    down = block.addAlong(down, block.weight({width}), {1});
  block.add(x, down);
}

/// Attention: queries, keys and values of one tensor, in heads.
void attention(OperationMaker &maker) {
  BlockMaker block(maker);
  int64_t count = maker.between(1, 6), size = maker.between(1, 6),
          width = count * size;
  unsigned x = maker.argument({maker.between(2, 24), width}, maker.mainType());
  // A matmul, its heads apart and in front, or with the last two dimensions
  // the other way round.
  auto heads = [&](std::vector<int64_t> order) {
    Made y = block.matmul(x, block.weight({width, width}));
    return block.transpose(y ? expanded(maker, *y, 1, count) : y, order);
  };
  Made queries = heads({1, 0, 2}), keys = heads({1, 2, 0});
  Made scores = block.multiplied("batch_matmul", queries, keys);
  if (scores && isFloat(maker.mainType()) && !maker.exact())
    scores = softmax(maker, *scores, 2);
  Made mixed = block.multiplied("batch_matmul", scores, heads({1, 0, 2}));
  Made together = block.transpose(mixed, {1, 0, 2});
  Made flat = together ? collapsed(maker, *together, 1) : together;
  if (maker.oneIn(2))
    flat = block.matmul(flat, block.weight({width, width}));
  block.add(x, flat);
}

/// Padding, a convolution or a depthwise one, a bias, pooling.
void image(OperationMaker &maker) {
  BlockMaker block(maker);
  int64_t channels = maker.between(1, 8), kernel = maker.between(1, 3),
          filters = maker.between(1, 8), before = maker.below(2);
  int64_t batch = maker.between(1, 2), rows = maker.between(4, 15),
          columns = maker.between(4, 15);
  Made wide = padded(
      maker, maker.argument({batch, rows, columns, channels}, maker.mainType()),
      {0, 0, before, kernel / 2, before, kernel / 2, 0, 0});
  bool isDepthwise = maker.oneIn(3);
  int64_t stride = maker.between(1, 2),
          dilation = isDepthwise ? 1 : maker.between(1, 2);
  std::vector<int64_t> weights = {kernel, kernel, channels};
  if (!isDepthwise)
    weights.push_back(filters);
  Made made = block.multiplied(isDepthwise ? "depthwise_conv_2d_nhwc_hwc"
                                           : "conv_2d_nhwc_hwcf",
                               wide, block.weight(weights), stride, dilation);
  Made sum = block.addAlong(
      made, block.weight({isDepthwise ? channels : filters}), {3});
  Made active = maker.oneIn(2) ? block.unary(sum) : sum;
  if (maker.oneIn(2))
    block.multiplied("pooling_nhwc_max", active, block.weight({2, 2}), 2);
}

/// Both halves of a tensor by themselves, and together again, maybe the other
/// way round.
void halves(OperationMaker &maker) {
  BlockMaker block(maker);
  unsigned x = block.matrix();
  const Extents shape = maker[x].shape;
  int64_t dim = maker.below(2), half = shape[dim] / 2;
  if (half == 0)
    return;
  auto part = [&](int64_t from, int64_t size) {
    std::vector<Slice> slices = {{0, fixed(shape[0])}, {0, fixed(shape[1])}};
    slices[dim] = {from, fixed(size)};
    return slice(maker, x, slices);
  };
  Made low = part(0, half), high = block.unary(part(half, shape[dim] - half));
  if (!low || !high)
    return;
  std::vector<unsigned> parts = {*low, *high};
  maker.shuffle(parts);
  block.add(x, concat(maker, parts, dim));
}

/// What a tensor is beside its rows' maximum, which every row needs whole.
void centred(OperationMaker &maker) {
  BlockMaker block(maker);
  unsigned x = block.matrix();
  int64_t along = maker.below(2), extent = maker[x].shape[along];
  Made most = reduction(maker, x, kMaximum, {along});
  if (maker.oneIn(2))
    block.addAlong(x, most, {1 - along});
  else if (most)
    block.subtract(x, withDimension(maker, *most, along, extent));
}

} // namespace

std::span<const StepRow> blockSteps() {
  static constexpr StepRow kRows[] = {
      {residual, {.blocks = 1}}, {attention, {.blocks = 1}},
      {image, {.blocks = 1}},    {halves, {.blocks = 1}},
      {centred, {.blocks = 1}},
  };
  return kRows;
}

std::span<const StepRow> stepRows() {
  static const std::vector<StepRow> rows = [] {
    std::vector<StepRow> all;
    for (auto family :
         {blockSteps(), contractionSteps(), controlSteps(), entrySteps(),
          indexedSteps(), positionSteps(), reductionSteps(), shapeSteps(),
          sourceSteps(), tosaElementwiseSteps(), tosaShapeSteps(),
          tosaSumSteps()})
      all.insert(all.end(), family.begin(), family.end());
    return all;
  }();
  return rows;
}

} // namespace npu
