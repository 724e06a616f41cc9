// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resized images: what a node says of each dimension, one after the other.

#include "../Graph/NodeImport.h"
#include "../Graph/OperatorTable.h"
#include "ResizeTaps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace mlir;

namespace npu {
namespace {

// The operations that resize one dimension of an image. Nearest neighbours are
// repeated or taken by slices; interpolations are small contractions, with a
// window where the weights repeat along the dimension and with a whole matrix
// where not.

using AllTaps = std::vector<ResizeTaps>;

/// Nearest neighbours of more pieces than this are read one by one.
constexpr std::size_t kMostPieces = 64;

/// Interpolation matrices of more numbers than this are refused.
constexpr int64_t kMostWeights = int64_t(1) << 24;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Results begin .. begin + count - 1 come from entries at equal steps.
struct Piece {
  int64_t begin, count, step;
};

std::vector<Piece> piecesOf(const AllTaps &taps) {
  std::vector<Piece> pieces;
  auto results = static_cast<int64_t>(taps.size());
  for (int64_t begin = 0; begin < results;) {
    Piece piece{begin, 1, 1};
    if (begin + 1 < results)
      piece.step = taps[begin + 1].first - taps[begin].first;
    while (piece.step >= 0 && begin + piece.count < results &&
           taps[begin + piece.count].first -
                   taps[begin + piece.count - 1].first ==
               piece.step)
      ++piece.count;
    if (piece.count == 1)
      piece.step = 1;
    pieces.push_back(piece);
    begin += piece.count;
  }
  return pieces;
}

/// Entries of one dimension by a table of numbers.
Value readByTable(TensorBuilder &build, Value x, int64_t dim,
                  const AllTaps &taps) {
  SmallVector<int64_t> numbers;
  for (const ResizeTaps &tap : taps)
    numbers.push_back(tap.first);
  Value table = build.integers(numbers);
  TensorBuilder::Sizes sizes = build.sizes(x);
  sizes[dim] = build.builder.getIndexAttr(static_cast<int64_t>(taps.size()));
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  return build.generate(sizes, type, [&](ScalarBuilder &s, ValueRange at) {
    SmallVector<Value> source(at);
    Value number = TensorBuilder::read(s, table, at[dim]);
    source[dim] =
        s.create<arith::IndexCastOp>(s.builder.getIndexType(), number);
    return TensorBuilder::read(s, x, source);
  });
}

/// The products of entries and weights along dimension `dim`. The result has
/// `phases` entries where the image has one, and the weights are phases x
/// window, where window `n` begins at entry `stride * n`.
Value weigh(TensorBuilder &build, Value x, Value weights, int64_t dim,
            int64_t repeats, int64_t stride) {
  MLIRContext *context = build.builder.getContext();
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t phases = shapeOf(weights)[0];
  auto rank = static_cast<unsigned>(shape.size());
  unsigned phase = rank, entry = rank + (phases > 1 ? 1 : 0);
  SmallVector<AffineExpr> ofImage, ofResult, ofWeights;
  TensorBuilder::Sizes all = build.sizes(x), sizes;
  SmallVector<int64_t> together(shape);
  together[dim] = repeats * phases;
  for (unsigned loop = 0; loop < rank; ++loop) {
    AffineExpr place = getAffineDimExpr(loop, context);
    bool isResized = loop == dim;
    ofImage.push_back(
        isResized ? place * stride + getAffineDimExpr(entry, context) : place);
    ofResult.push_back(place);
    sizes.push_back(isResized ? build.builder.getIndexAttr(repeats)
                              : all[loop]);
    if (!isResized || phases == 1)
      continue;
    ofResult.push_back(getAffineDimExpr(phase, context));
    ofWeights.push_back(getAffineDimExpr(phase, context));
    sizes.push_back(build.builder.getIndexAttr(phases));
  }
  ofWeights.push_back(getAffineDimExpr(entry, context));
  if (phases == 1)
    weights = build.reshape(weights, shapeOf(weights).drop_front());
  SmallVector<AffineMap> maps;
  for (const auto *exprs : {&ofImage, &ofWeights, &ofResult})
    maps.push_back(AffineMap::get(entry + 1, 0, *exprs, context));
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  Value zero = build.filled(sizes, build.scalar(type, 0));
  return build.reshape(build.contract(x, weights, zero, maps), together);
}

/// An image with its edges repeated in front and after; negative numbers
/// remove entries.
Value withEdges(TensorBuilder &build, Value x, int64_t dim, int64_t low,
                int64_t high) {
  int64_t extent = shapeOf(x)[dim];
  auto edge = [&](int64_t at, int64_t count) {
    Value one = build.sliceDim(x, dim, at, 1);
    TensorBuilder::Sizes sizes = build.sizes(one);
    sizes[dim] = build.builder.getIndexAttr(count);
    return build.broadcast(one, sizes);
  };
  SmallVector<Value> parts;
  if (low > 0)
    parts.push_back(edge(0, low));
  int64_t begin = std::max<int64_t>(-low, 0);
  int64_t end = extent - std::max<int64_t>(-high, 0);
  parts.push_back(build.sliceDim(x, dim, begin, end - begin));
  if (high > 0)
    parts.push_back(edge(extent - 1, high));
  return build.concat(parts, dim);
}

/// The product with a matrix of results x entries.
FailureOr<Value> byMatrix(NodeImport &node, Value x, int64_t dim,
                          const AllTaps &taps, OnnxElement element) {
  int64_t entries = shapeOf(x)[dim];
  auto results = static_cast<int64_t>(taps.size());
  if (entries * results > kMostWeights)
    return node.error() << "cannot interpolate " << entries << " entries to "
                        << results << ": that takes more than " << kMostWeights
                        << " weights";
  std::vector<double> weights(entries * results, 0);
  for (int64_t result = 0; result < results; ++result)
    for (auto [at, weight] : llvm::enumerate(taps[result].weights)) {
      int64_t entry = std::clamp<int64_t>(
          taps[result].first + static_cast<int64_t>(at), 0, entries - 1);
      weights[result * entries + entry] += weight;
    }
  Value matrix = node.build.numbers(weights, {results, entries}, element);
  // A matrix is one window over everything.
  return weigh(node.build, x, matrix, dim, 1, 1);
}

/// How often nearest neighbours repeat each entry, one after the other;
/// nothing where they do not repeat all as often.
std::optional<int64_t> repeatsOf(const AllTaps &taps, int64_t entries) {
  auto results = static_cast<int64_t>(taps.size());
  if (entries == 0 || results % entries != 0)
    return std::nullopt;
  int64_t repeats = results / entries;
  for (int64_t at = 0; at < results; ++at)
    if (taps[at].first != at / repeats)
      return std::nullopt;
  return repeats;
}

/// Repeats every entry of dimension d `repeats[d]` times.
Value repeated(TensorBuilder &build, Value x, ArrayRef<int64_t> repeats) {
  Numbers numbers = build.numbersHere();
  TensorBuilder::Sizes apart, all, together;
  for (auto [extent, times] : llvm::zip_equal(build.sizes(x), repeats)) {
    apart.push_back(extent);
    all.push_back(extent);
    together.push_back(numbers.mul(extent, numbers.constant(times)));
    if (times == 1)
      continue;
    apart.push_back(numbers.constant(1));
    all.push_back(numbers.constant(times));
  }
  Value spread = build.broadcast(build.reshapeTo(x, apart), all);
  return build.reshapeTo(spread, together);
}

/// Takes nearest neighbours: each result is the first entry of its taps.
Value takeEntries(TensorBuilder &build, Value x, int64_t dim,
                  const AllTaps &taps) {
  std::vector<Piece> pieces = piecesOf(taps);
  if (pieces.size() > kMostPieces)
    return readByTable(build, x, dim, taps);
  SmallVector<Value> parts;
  for (const Piece &piece : pieces) {
    int64_t first = taps[piece.begin].first;
    if (piece.step > 0) {
      parts.push_back(build.sliceDim(x, dim, first, piece.count, piece.step));
      continue;
    }
    Value one = build.sliceDim(x, dim, first, 1);
    TensorBuilder::Sizes sizes = build.sizes(one);
    sizes[dim] = build.builder.getIndexAttr(piece.count);
    parts.push_back(build.broadcast(one, sizes));
  }
  return build.concat(parts, dim);
}

/// Weighs the entries of every result. An error where it takes too many
/// weights.
FailureOr<Value> interpolate(NodeImport &node, Value x, int64_t dim,
                             const ResizeAxis &axis, const AllTaps &taps,
                             OnnxElement element) {
  std::optional<RepeatingTaps> repeating = findRepeating(taps, axis);
  if (!repeating || repeating->count >= axis.entries)
    return byMatrix(node, x, dim, taps, element);
  std::vector<double> weights(repeating->phases * repeating->count, 0);
  for (int64_t phase = 0; phase < repeating->phases; ++phase)
    for (auto [at, weight] : llvm::enumerate(taps[phase].weights))
      weights[phase * repeating->count + taps[phase].first - repeating->first +
              static_cast<int64_t>(at)] = weight;
  int64_t end = repeating->first +
                (repeating->repeats - 1) * repeating->stride + repeating->count;
  Value image =
      withEdges(node.build, x, dim, -repeating->first, end - axis.entries);
  Value numbers = node.build.numbers(
      weights, {repeating->phases, repeating->count}, element);
  return weigh(node.build, image, numbers, dim, repeating->repeats,
               repeating->stride);
}

/// Another value at the positions that lie outside of the image.
Value replaceOutside(TensorBuilder &build, Value x, int64_t dim,
                     const AllTaps &taps, double number) {
  bool isAny =
      llvm::any_of(taps, [](const ResizeTaps &tap) { return tap.isOutside; });
  if (!isAny)
    return x;
  std::vector<double> flags;
  for (const ResizeTaps &tap : taps)
    flags.push_back(tap.isOutside ? 1 : 0);
  SmallVector<int64_t> shape(shapeOf(x).size() - dim, 1);
  shape[0] = static_cast<int64_t>(taps.size());
  Value outside = build.numbers(flags, shape, OnnxElement::Bool);
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  return build.map({x, outside}, type, [&](ScalarBuilder &s, ValueRange v) {
    return s.select(v[1], s.constant(type, number), v[0]);
  });
}

/// Results of a larger extent than this are refused.
constexpr int64_t kMostResults = int64_t(1) << 20;

/// Resize of version 10 says as much as Upsample did: scales, and how to
/// interpolate.
bool hasScalesOnly(NodeImport &node) {
  return node.node.op_type() == "Upsample" || node.opset() < 11;
}

FailureOr<ResizeRule> ruleOf(NodeImport &node) {
  ResizeRule rule;
  std::string mode = node.text("mode", "nearest");
  bool isUpsample = hasScalesOnly(node);
  rule.mode = mode == "nearest" ? ResizeMode::Nearest
              : mode == "cubic" ? ResizeMode::Cubic
                                : ResizeMode::Linear;
  if (mode != "nearest" && mode != "cubic" && mode != "linear" &&
      mode != "bilinear")
    return node.error() << "expected nearest, linear or cubic as mode, got '"
                        << mode << "'";
  rule.coordinates = node.text("coordinate_transformation_mode",
                               isUpsample ? "asymmetric" : "half_pixel");
  rule.rounding =
      node.text("nearest_mode", isUpsample ? "floor" : "round_prefer_floor");
  rule.cubicCoefficient = node.real("cubic_coeff_a", -0.75);
  rule.excludesOutside = node.integer("exclude_outside", 0) != 0;
  if (!rule.hasKnownNames())
    return node.error() << "'" << rule.coordinates << "' and '" << rule.rounding
                        << "' are not both modes of Resize";
  if (node.integer("antialias", 0))
    return node.error() << "antialias is not imported yet";
  return rule;
}

/// The dimensions that scales, sizes and the region of interest are given for.
FailureOr<SmallVector<int64_t>> resizedDims(NodeImport &node) {
  int64_t rank = node.operand(0).rank();
  if (auto axes = node.integers("axes"))
    return node.dimensions(*axes, rank);
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

LogicalResult checkCount(NodeImport &node, std::size_t count,
                         std::size_t wanted, StringRef what) {
  if (count == wanted)
    return success();
  return node.error() << "expected " << wanted << " numbers as " << what
                      << ", got " << count;
}

LogicalResult setScales(NodeImport &node, unsigned operand,
                        ArrayRef<int64_t> dims,
                        MutableArrayRef<ResizeAxis> axes) {
  auto attribute = node.reals("scales");
  FailureOr<SmallVector<double>> scales =
      attribute ? *attribute : node.constantNumbers(operand, "the scales");
  if (failed(scales) ||
      failed(checkCount(node, scales->size(), dims.size(), "the scales")))
    return failure();
  for (auto [dim, scale] : llvm::zip_equal(dims, *scales)) {
    if (!(scale > 0) || !(scale < 1e9))
      return node.error() << "expected scales above 0, got " << scale;
    ResizeAxis &axis = axes[dim];
    axis.scale = scale;
    // The standard rounds down the product of floats.
    axis.results = static_cast<int64_t>(std::floor(
        static_cast<float>(axis.entries) * static_cast<float>(scale)));
  }
  return success();
}

/// The sizes that follow from shapes: those of dimensions that are as long as a
/// prompt have to be a multiple or a part of it, which is their scale.
LogicalResult setSizesOfPrompt(NodeImport &node, ArrayRef<int64_t> dims,
                               ArrayRef<Number> sizes,
                               MutableArrayRef<ResizeAxis> axes) {
  Numbers numbers = node.build.numbersHere();
  for (auto [dim, size] : llvm::zip_equal(dims, sizes)) {
    Number extent = numbers.extentOf(node.operand(0).value, dim);
    std::optional<int64_t> results = getConstantIntValue(size),
                           entries = getConstantIntValue(extent);
    if (results && (*results < 0 || *results > kMostElements))
      return node.error() << "a size is " << *results;
    if (results && entries) {
      axes[dim].results = *results;
      axes[dim].scale =
          static_cast<double>(*results) / static_cast<double>(*entries);
      continue;
    }
    // Both are a constant times the same numbers.
    auto all = numbers.productOf(size), one = numbers.productOf(extent);
    int64_t times = all ? std::exchange(all->factor, 1) : 0,
            by = one ? std::exchange(one->factor, 1) : 0;
    auto left = all && one ? numbers.quotient(*all, *one) : std::nullopt;
    if (!left || !left->values.empty())
      return node.error()
             << "expected a size of dimension " << dim
             << " that is a constant multiple of its extent at every length, "
                "got "
             << (results   ? std::to_string(*results) + " of an extent that "
                                                        "follows from a prompt"
                 : entries ? "a number that follows from a prompt of an extent "
                             "of " +
                                 std::to_string(*entries)
                           : "one that is more or less at some lengths");
    axes[dim].scale = static_cast<double>(times) / static_cast<double>(by);
  }
  return success();
}

LogicalResult setSizes(NodeImport &node, ArrayRef<int64_t> dims,
                       MutableArrayRef<ResizeAxis> axes) {
  const OnnxTensor &given = node.operand(3);
  SmallVector<int64_t> sizes;
  auto declared = node.declaredShape(0);
  if (auto known = node.knownIntegers(3);
      known && known->size() == dims.size() &&
      !llvm::is_contained(*known, Number()) &&
      !node.operand(0).type().hasStaticShape() &&
      node.text("keep_aspect_ratio_policy", "stretch") == "stretch")
    return setSizesOfPrompt(node, dims, *known, axes);
  if (auto numbers = TensorBuilder::integersOf(given.value, given.element)) {
    sizes = *numbers;
  } else if (declared && declared->size() == axes.size()) {
    node.remark() << "the sizes, a value of run time, are taken to be those of "
                     "the declared shape";
    for (int64_t dim : dims)
      sizes.push_back((*declared)[dim]);
  } else {
    return LogicalResult(node.constantIntegers(3, "the sizes"));
  }
  if (failed(checkCount(node, sizes.size(), dims.size(), "the sizes")))
    return failure();
  for (auto [dim, size] : llvm::zip_equal(dims, sizes)) {
    if (size < 0 || size > kMostElements)
      return node.error() << "a size is " << size;
    axes[dim].results = size;
    axes[dim].scale =
        static_cast<double>(size) / static_cast<double>(axes[dim].entries);
  }
  std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || dims.empty())
    return success();
  if (policy != "not_larger" && policy != "not_smaller")
    return node.error() << "expected stretch, not_larger or not_smaller as "
                        << "keep_aspect_ratio_policy, got '" << policy << "'";
  double scale = axes[dims[0]].scale;
  for (int64_t dim : dims)
    scale = policy == "not_larger" ? std::min(scale, axes[dim].scale)
                                   : std::max(scale, axes[dim].scale);
  for (int64_t dim : dims) {
    axes[dim].scale = scale;
    axes[dim].results = static_cast<int64_t>(
        std::floor(scale * static_cast<double>(axes[dim].entries) + 0.5));
  }
  return success();
}

LogicalResult setRegion(NodeImport &node, ArrayRef<int64_t> dims,
                        MutableArrayRef<ResizeAxis> axes) {
  if (!node.has(1))
    return node.error() << "expected a region of interest as operand #1";
  FailureOr<SmallVector<double>> region =
      node.constantNumbers(1, "the region of interest");
  if (failed(region) ||
      failed(checkCount(node, region->size(), 2 * dims.size(), "the region")))
    return failure();
  for (auto [at, dim] : llvm::enumerate(dims)) {
    axes[dim].begin = (*region)[at];
    axes[dim].end = (*region)[dims.size() + at];
    if (!std::isfinite(axes[dim].begin) || !std::isfinite(axes[dim].end))
      return node.error() << "expected a finite region of interest";
  }
  return success();
}

FailureOr<SmallVector<ResizeAxis>> axesOf(NodeImport &node,
                                          const ResizeRule &rule) {
  const OnnxTensor &x = node.operand(0);
  bool isUpsample = hasScalesOnly(node);
  FailureOr<SmallVector<int64_t>> dims = resizedDims(node);
  if (failed(dims))
    return failure();
  SmallVector<ResizeAxis> axes;
  for (int64_t extent : x.shape())
    axes.push_back({extent, extent});
  unsigned scales = isUpsample ? 1 : 2;
  // Up to version 8 they are an attribute, and an empty operand is none.
  bool hasScales =
      node.hasAttribute("scales") ||
      (node.has(scales) && elementCount(node.operand(scales).shape()) != 0);
  bool hasSizes = !isUpsample && node.has(3);
  if (hasScales == hasSizes)
    return node.error() << "expected either scales or sizes";
  if (failed(hasScales ? setScales(node, scales, *dims, axes)
                       : setSizes(node, *dims, axes)))
    return failure();
  if (rule.coordinates == "tf_crop_and_resize" &&
      failed(setRegion(node, *dims, axes)))
    return failure();
  for (auto [dim, axis] : llvm::enumerate(axes))
    if (!ShapedType::isDynamic(axis.entries) && axis.results > kMostResults &&
        axis.results != axis.entries)
      return node.error() << "extent #" << dim << " of its result is "
                          << axis.results << ", more than " << kMostResults;
  return axes;
}

bool isUnchanged(const ResizeAxis &axis) {
  return axis.entries == axis.results && axis.scale == 1 && axis.begin == 0 &&
         axis.end == 1;
}

Value resizeNearest(TensorBuilder &build, Value x, ArrayRef<ResizeAxis> axes,
                    ArrayRef<AllTaps> taps) {
  SmallVector<int64_t> repeats(axes.size(), 1);
  // Entries that are only repeated are so in one operation after all others.
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    if (taps[dim].empty())
      continue;
    if (auto times = repeatsOf(taps[dim], axis.entries))
      repeats[dim] = *times;
    else
      x = takeEntries(build, x, static_cast<int64_t>(dim), taps[dim]);
  }
  return repeated(build, x, repeats);
}

//===----------------------------------------------------------------------===//
// Dimensions that are as long as a prompt: positions are computed at run time.
//===----------------------------------------------------------------------===//

/// Factors of prompts are quotients of numbers up to this.
constexpr int64_t kMostFactor = 64;

/// A scale as a quotient; nothing where it is none of small numbers.
std::optional<std::pair<int64_t, int64_t>> asQuotient(double scale) {
  for (int64_t divisor = 1; divisor <= kMostFactor; ++divisor) {
    double factor = scale * static_cast<double>(divisor);
    if (factor == std::floor(factor) && factor >= 1 && factor <= 1 << 20)
      return std::pair(static_cast<int64_t>(factor), divisor);
  }
  return std::nullopt;
}

/// Positions in an image of run-time extents, as numbers of 64 bits.
class PositionsOfPrompt {
public:
  PositionsOfPrompt(ScalarBuilder &s, const ResizeRule &rule, double scale,
                    Value entries, Value results)
      : s(s), rule(rule), scale(scale), type(s.builder.getF64Type()),
        entries(s.fromIndex(entries, type)),
        results(s.fromIndex(results, type)) {}

  /// As positionOf of a known axis.
  Value of(Value at) {
    Value x = s.fromIndex(at, type);
    StringRef mode = rule.coordinates;
    if (mode == "asymmetric")
      return s.div(x, number(scale));
    if (mode == "tf_half_pixel_for_nn")
      return s.div(s.add(x, number(0.5)), number(scale));
    if (mode == "align_corners") {
      Value width = s.sub(s.mul(entries, number(scale)), number(1));
      Value moved = s.div(s.mul(x, s.sub(entries, number(1))), width);
      return s.select(s.compare(Comparison::Equal, width, number(0)), number(0),
                      moved);
    }
    Value half =
        s.sub(s.div(s.add(x, number(0.5)), number(scale)), number(0.5));
    if (mode == "pytorch_half_pixel")
      return s.select(s.compare(Comparison::Equal, results, number(1)),
                      number(0), half);
    if (mode == "half_pixel_symmetric") {
      Value share = s.div(results, s.mul(entries, number(scale)));
      return s.add(half,
                   s.mul(s.div(entries, number(2)), s.sub(number(1), share)));
    }
    return half;
  }

  /// The entry at a position that is a whole number, moved into the image.
  Value entry(Value position) {
    Value inside = s.max(s.min(position, s.sub(entries, number(1))), number(0));
    return s.toIndex(inside);
  }

  Value number(double value) { return s.constant(type, value); }

private:
  ScalarBuilder &s;
  const ResizeRule &rule;
  double scale;
  Type type;
  Value entries, results;
};

/// Resizes one dimension that is as long as a prompt.
FailureOr<Value> resizePrompt(NodeImport &node, Value x, int64_t dim,
                              const ResizeRule &rule, double scale) {
  auto quotient = asQuotient(scale);
  if (!quotient || rule.mode == ResizeMode::Cubic || rule.excludesOutside ||
      rule.coordinates == "tf_crop_and_resize")
    return node.error()
           << "expected a scale of dimension " << dim
           << ", whose extent is known at run time only, that is a quotient of "
              "numbers up to "
           << kMostFactor
           << ", mode nearest or linear, and neither exclude_outside nor "
              "tf_crop_and_resize; got a scale of "
           << scale;
  TensorBuilder &build = node.build;
  Numbers numbers = build.numbersHere();
  TensorBuilder::Sizes sizes = build.sizes(x);
  Number results = numbers.floorDiv(
      numbers.mul(sizes[dim], numbers.constant(quotient->first)),
      numbers.constant(quotient->second));
  if (!results || !numbers.ensureAtLeast(results, 1))
    return node.error() << "expected at least 1 entry in dimension " << dim
                        << " of its result, got " << describeBelow(results, 1);
  Value entryCount = numbers.valueOf(sizes[dim]),
        resultCount = numbers.valueOf(results);
  sizes[dim] = results;
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  return build.generate(sizes, type, [&](ScalarBuilder &s, ValueRange at) {
    PositionsOfPrompt positions(s, rule, scale, entryCount, resultCount);
    Value position = positions.of(at[dim]);
    auto read = [&](Value whole) {
      SmallVector<Value> source(at);
      source[dim] = positions.entry(whole);
      return TensorBuilder::read(s, x, source);
    };
    auto rounded = [&](Value value, bool up) -> Value {
      return up ? s.create<math::CeilOp>(value)
                : s.create<math::FloorOp>(value);
    };
    Value half = positions.number(0.5);
    if (rule.mode == ResizeMode::Nearest) {
      if (rule.rounding == "floor" || rule.rounding == "ceil")
        return read(rounded(position, rule.rounding == "ceil"));
      bool prefersCeil = rule.rounding == "round_prefer_ceil";
      return read(prefersCeil ? rounded(s.add(position, half), false)
                              : rounded(s.sub(position, half), true));
    }
    Value below = rounded(position, false);
    Value rest = s.sub(position, below);
    auto weight = [&](Value wide) -> Value {
      return type == wide.getType() ? wide
                                    : s.create<arith::TruncFOp>(type, wide);
    };
    Value one = positions.number(1);
    return s.add(s.mul(read(below), weight(s.sub(one, rest))),
                 s.mul(read(s.add(below, one)), weight(rest)));
  });
}

LogicalResult buildResize(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  std::optional<int64_t> count =
      elementCount(llvm::map_to_vector(x.shape(), [](int64_t extent) {
        return ShapedType::isDynamic(extent) ? int64_t(1) : extent;
      }));
  if (!count || *count == 0)
    return node.error() << "expected entries, got " << NodeImport::describe(x);
  FailureOr<ResizeRule> rule = ruleOf(node);
  if (failed(rule))
    return failure();
  FailureOr<SmallVector<ResizeAxis>> axes = axesOf(node, *rule);
  if (failed(axes))
    return failure();
  // Dimensions of prompts are resized last, after all others.
  SmallVector<std::pair<int64_t, double>> prompts;
  SmallVector<int64_t> shape;
  for (auto [dim, axis] : llvm::enumerate(*axes)) {
    if (ShapedType::isDynamic(axis.entries)) {
      if (axis.scale != 1)
        prompts.push_back({static_cast<int64_t>(dim), axis.scale});
      axis = ResizeAxis{1, 1};
    }
    shape.push_back(axis.results);
  }
  std::optional<int64_t> results = elementCount(shape);
  if (!results || *results == 0)
    return node.error() << "its result has no elements, or more than "
                        << kMostElements;
  TensorBuilder &build = node.build;
  SmallVector<AllTaps> taps(axes->size());
  for (auto [dim, axis] : llvm::enumerate(*axes))
    if (!isUnchanged(axis))
      taps[dim] = resizeTaps(*rule, axis);
  Value result = x.value;
  bool isNearest = rule->mode == ResizeMode::Nearest;
  OnnxElement element =
      isNearest || isFloat(x.element) ? x.element : OnnxElement::Float;
  if (isNearest)
    result = resizeNearest(build, result, *axes, taps);
  else
    result = build.convert(result, x.element, element);
  double outside = node.real("extrapolation_value", 0);
  for (auto [number, axis] : llvm::enumerate(*axes)) {
    auto dim = static_cast<int64_t>(number);
    if (taps[dim].empty())
      continue;
    if (!isNearest) {
      FailureOr<Value> resized =
          interpolate(node, result, dim, axis, taps[dim], element);
      if (failed(resized))
        return failure();
      result = *resized;
    }
    result = replaceOutside(build, result, dim, taps[dim], outside);
  }
  for (auto [dim, scale] : prompts) {
    FailureOr<Value> resized = resizePrompt(node, result, dim, *rule, scale);
    if (failed(resized))
      return failure();
    result = *resized;
  }
  return node.setResult(0, build.convert(result, element, x.element));
}

} // namespace

void addResizing(OperatorTable &table) {
  table.add("Resize", 1, buildResize);
  table.add("Upsample", 1, buildResize);
}

} // namespace npu
