// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearest neighbours by slices, interpolations by small contractions.

#include "ResizeDimension.h"

using namespace mlir;

namespace npu {
namespace {

using Iterator = utils::IteratorType;

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
  SmallVector<Iterator> loops(entry, Iterator::parallel);
  loops.push_back(Iterator::reduction);
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  Value zero = build.filled(sizes, build.scalar(type, 0));
  return build.reshape(build.contract(x, weights, zero, maps, loops), together);
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

} // namespace

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

Value repeated(TensorBuilder &build, Value x, ArrayRef<int64_t> repeats) {
  SmallVector<int64_t> apart, all, together;
  for (auto [extent, times] : llvm::zip_equal(shapeOf(x), repeats)) {
    apart.push_back(extent);
    all.push_back(extent);
    together.push_back(extent * times);
    if (times == 1)
      continue;
    apart.push_back(1);
    all.push_back(times);
  }
  Value spread = build.broadcast(build.reshape(x, apart), build.sizes(all));
  return build.reshape(spread, together);
}

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

} // namespace npu
