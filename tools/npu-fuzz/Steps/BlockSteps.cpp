// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks as models have them, each of several steps of other kinds: what one
// value is used for more than once, heads, windows, and joints.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Steps/NamedSteps.h"

namespace npu {
namespace {

using Value = std::optional<unsigned>;

/// Appends steps on the values before them. A step that is not legal, or that
/// has an operand which could not be made, makes no value.
class BlockMaker {
public:
  explicit BlockMaker(RecipeBuilder &builder) : builder(builder) {}

  Value make(std::span<const StepKind> family, std::string_view name,
             std::initializer_list<Value> operands,
             std::vector<int64_t> numbers) {
    Step step{&kindNamed(family, name), {}, std::move(numbers)};
    step.type = builder.mainType();
    for (Value operand : operands) {
      if (!operand)
        return std::nullopt;
      step.operands.push_back(*operand);
    }
    return builder.addWithLayout(std::move(step));
  }

  Value matmul(Value a, Value b) {
    return make(contractionKinds(), "matmul", {a, b},
                {contractionNamed("linalg.matmul")});
  }
  Value batchMatmul(Value a, Value b) {
    return make(contractionKinds(), "matmul", {a, b},
                {contractionNamed("linalg.batch_matmul")});
  }
  Value unary(Value value) {
    int64_t row = builder.below(2), written = builder.below(3);
    return value ? builder.addWithLayout(
                       elementwiseStep(builder, {*value}, row, written))
                 : std::nullopt;
  }
  Value add(Value a, Value b) { return binary(a, b, 0, builder.below(3)); }
  Value subtract(Value a, Value b) { return binary(a, b, 1, builder.below(3)); }
  /// Adds a tensor that has the dimensions `loops` of the first one.
  Value addAlong(Value a, Value b, std::initializer_list<int64_t> loops) {
    return binary(a, b, 0, 0, std::vector<int64_t>(loops));
  }
  Value transpose(Value value, std::vector<int64_t> dims) {
    return make(reshapeKinds(), "transpose", {value}, std::move(dims));
  }
  Value weight(std::initializer_list<int64_t> shape) {
    return builder.valueOf(Extents(shape), builder.mainType());
  }
  Value input(std::initializer_list<int64_t> shape) {
    return builder.argument(Extents(shape), builder.mainType());
  }
  int64_t between(int64_t low, int64_t high) {
    return builder.between(low, high);
  }
  bool oneIn(int64_t count) { return builder.oneIn(count); }
  bool takesSoftmax() const {
    return isFloat(builder.mainType()) && !builder.exact();
  }

private:
  Value binary(Value a, Value b, int64_t row, int64_t written,
               std::optional<std::vector<int64_t>> loops = {}) {
    return a && b ? builder.addWithLayout(elementwiseStep(
                        builder, {*a, *b}, row, written, std::move(loops)))
                  : std::nullopt;
  }

  RecipeBuilder &builder;
};

/// A matrix: one that exists, or an argument with extents that may be odd.
unsigned matrix(RecipeBuilder &builder) {
  auto found = builder.pick([&](const ValueFacts &value) {
    return value.shape.size() == 2 && value.type == builder.mainType() &&
           Box::whole(value.shape).volume() > 0;
  });
  if (found && !builder.oneIn(3))
    return *found;
  return builder.argument({builder.between(3, 48), builder.between(2, 24)},
                          builder.mainType());
}

/// Two matmuls and what they began with added to what came of it.
void proposeResidual(RecipeBuilder &builder, const StepKind &) {
  BlockMaker block(builder);
  unsigned x = matrix(builder);
  const Extents shape = builder[x].shape;
  int64_t inner = builder.between(1, 40);
  Value up = block.unary(block.matmul(x, block.weight({shape[1], inner})));
  Value down = block.matmul(up, block.weight({inner, shape[1]}));
  if (builder.oneIn(2))
    down = block.addAlong(down, block.weight({shape[1]}), {1});
  block.add(x, down);
}

/// A matmul, its heads apart and in front: [length, heads * size] to [heads,
/// length, size], or with the last two the other way round.
Value heads(BlockMaker &block, unsigned x, int64_t width, int64_t count,
            bool turned) {
  Value y = block.matmul(x, block.weight({width, width}));
  Value apart = block.make(reshapeKinds(), "expand", {y}, {1, count});
  return block.transpose(apart, turned ? std::vector<int64_t>{1, 2, 0}
                                       : std::vector<int64_t>{1, 0, 2});
}

/// Attention: queries, keys and values of one tensor, in heads.
void proposeAttention(RecipeBuilder &builder, const StepKind &) {
  BlockMaker block(builder);
  int64_t count = builder.between(1, 6), size = builder.between(1, 6),
          width = count * size;
  unsigned x = *block.input({builder.between(2, 24), width});
  Value scores = block.batchMatmul(heads(block, x, width, count, false),
                                   heads(block, x, width, count, true));
  if (block.takesSoftmax())
    scores = block.make(reductionKinds(), "softmax", {scores}, {2});
  Value mixed = block.batchMatmul(scores, heads(block, x, width, count, false));
  Value together = block.transpose(mixed, {1, 0, 2});
  Value flat = block.make(reshapeKinds(), "collapse", {together}, {1});
  if (builder.oneIn(2))
    flat = block.matmul(flat, block.weight({width, width}));
  block.add(x, flat);
}

/// Padding, a convolution or a depthwise one, a bias, pooling.
void proposeImage(RecipeBuilder &builder, const StepKind &) {
  BlockMaker block(builder);
  int64_t channels = builder.between(1, 8), kernel = builder.between(1, 3),
          filters = builder.between(1, 8), before = builder.below(2);
  Value image = block.input({builder.between(1, 2), builder.between(4, 15),
                             builder.between(4, 15), channels});
  Step padded = plainPad(*image);
  padded.numbers.insert(padded.numbers.end(),
                        {0, 0, before, kernel / 2, before, kernel / 2, 0, 0});
  Value wide = builder.addWithLayout(std::move(padded));
  bool depthwise = builder.oneIn(3);
  int64_t stride = builder.between(1, 2);
  Value made =
      depthwise
          ? block.make(contractionKinds(), "sliding",
                       {wide, block.weight({kernel, kernel, channels})},
                       {contractionNamed("linalg.depthwise_conv_2d_nhwc_hwc"),
                        stride, stride, 1, 1})
          : block.make(
                contractionKinds(), "sliding",
                {wide, block.weight({kernel, kernel, channels, filters})},
                {contractionNamed("linalg.conv_2d_nhwc_hwcf"), stride, stride,
                 1, builder.between(1, 2)});
  int64_t last = depthwise ? channels : filters;
  Value sum = block.addAlong(made, block.weight({last}), {3});
  Value active = builder.oneIn(2) ? block.unary(sum) : sum;
  if (builder.oneIn(2))
    block.make(contractionKinds(), "sliding", {active, block.weight({2, 2})},
               {contractionNamed("linalg.pooling_nhwc_max"), 1, 2, 1, 1});
}

/// Both halves of a tensor by themselves, and together again, maybe the other
/// way round.
void proposeHalves(RecipeBuilder &builder, const StepKind &) {
  BlockMaker block(builder);
  unsigned x = matrix(builder);
  const Extents shape = builder[x].shape;
  int64_t dim = builder.below(2), half = shape[dim] / 2;
  if (half == 0)
    return;
  auto part = [&](int64_t from, int64_t size) {
    std::vector<int64_t> numbers;
    for (int64_t d = 0; d < 2; ++d)
      numbers.insert(numbers.end(),
                     {d == dim ? from : 0, d == dim ? size : shape[d], 1, 0});
    return block.make(sliceKinds(), "extract_slice", {x}, std::move(numbers));
  };
  Value low = part(0, half), high = block.unary(part(half, shape[dim] - half));
  Value joined = builder.oneIn(2)
                     ? block.make(sliceKinds(), "concat", {high, low}, {dim})
                     : block.make(sliceKinds(), "concat", {low, high}, {dim});
  block.add(x, joined);
}

/// What a tensor is beside its rows' maximum, which every row needs whole.
void proposeCentred(RecipeBuilder &builder, const StepKind &) {
  BlockMaker block(builder);
  unsigned x = matrix(builder);
  int64_t along = builder.below(2), extent = builder[x].shape[along];
  Value most = builder.addWithLayout(
      reduceStep(builder, x, kMaximumRow, std::span(&along, 1)));
  if (builder.oneIn(2)) {
    block.addAlong(x, most, {1 - along});
    return;
  }
  Value wide = block.make(reshapeKinds(), "broadcast", {most}, {along, extent});
  block.subtract(x, wide);
}

constexpr StepKind kKinds[] = {
    {"residual", proposeResidual, nullptr, nullptr},
    {"attention", proposeAttention, nullptr, nullptr},
    {"image", proposeImage, nullptr, nullptr},
    {"halves", proposeHalves, nullptr, nullptr},
    {"centred", proposeCentred, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> blockKinds() { return kKinds; }

} // namespace npu
