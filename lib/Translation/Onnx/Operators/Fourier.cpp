// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms, as products with constant tables of cosines and sines: on
// a device for tensors a product is the fast way, and it can be distributed.

#include "../Graph/OperatorTable.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// Tables have at most so many elements.
constexpr int64_t kMostTableElements = int64_t(1) << 26;

/// One transform of a dimension.
struct Transform {
  /// Entries that it reads, results that it gives, and the length whose waves
  /// it uses.
  int64_t entries = 0, results = 0, length = 0;
  /// 1 for real entries, 2 for complex ones.
  int64_t parts = 1;
  bool isInverse = false;
};

TensorData tableOf(OnnxElement element, std::vector<int64_t> shape,
                   ArrayRef<double> numbers) {
  TensorData data{element, std::move(shape), {}};
  auto append = [&](auto bits) {
    data.bytes.insert(data.bytes.end(), bits.begin(), bits.end());
  };
  for (double number : numbers) {
    if (element == OnnxElement::Double) {
      append(llvm::bit_cast<std::array<char, 8>>(number));
    } else if (element == OnnxElement::Float) {
      append(llvm::bit_cast<std::array<char, 4>>(static_cast<float>(number)));
    } else {
      APFloat rounded(number);
      bool losesInfo = false;
      rounded.convert(element == OnnxElement::BFloat16 ? APFloat::BFloat()
                                                       : APFloat::IEEEhalf(),
                      APFloat::rmNearestTiesToEven, &losesInfo);
      append(llvm::bit_cast<std::array<char, 2>>(
          static_cast<uint16_t>(rounded.bitcastToAPInt().getZExtValue())));
    }
  }
  return data;
}

/// The table entries x parts x results x 2: what a part of an entry adds to the
/// real and to the imaginary part of a result. Null after an error.
Value waveTable(NodeImport &node, const Transform &transform) {
  auto [entries, results, length, parts, isInverse] = transform;
  int64_t size = 0;
  if (llvm::MulOverflow(entries, results * parts * 2, size) ||
      size > kMostTableElements) {
    node.error() << "a transform of " << entries << " entries to " << results
                 << " needs a table of more than " << kMostTableElements
                 << " elements";
    return {};
  }
  double turn = 2 * std::acos(-1.0) / static_cast<double>(length);
  double scale = isInverse ? 1.0 / static_cast<double>(length) : 1.0;
  std::vector<double> numbers;
  numbers.reserve(size);
  for (int64_t entry = 0; entry < entries; ++entry)
    for (int64_t part = 0; part < parts; ++part)
      for (int64_t result = 0; result < results; ++result) {
        // Whole turns go, so that angles stay exact.
        auto angle = turn * static_cast<double>((entry * result) % length);
        double cosine = scale * std::cos(angle);
        double sine = scale * std::sin(isInverse ? angle : -angle);
        // (a + bi) * (cos + i sin)
        numbers.push_back(part == 0 ? cosine : -sine);
        numbers.push_back(part == 0 ? sine : cosine);
      }
  return node.build.constant(
      tableOf(node.operand(0).element, {entries, parts, results, 2}, numbers),
      "waves");
}

/// The one integer of a constant operand.
FailureOr<int64_t> constantInteger(NodeImport &node, unsigned operand,
                                   StringRef what) {
  FailureOr<SmallVector<int64_t>> numbers =
      node.constantIntegers(operand, what);
  if (failed(numbers))
    return failure();
  if (numbers->size() != 1)
    return node.error() << "expected one number as " << what << ", got "
                        << numbers->size();
  return numbers->front();
}

/// Entries of a dimension cut off, or zeros added after, so that there are
/// `length`.
Value cutOrPad(TensorBuilder &build, const OnnxTensor &x, int64_t dim,
               int64_t length) {
  int64_t extent = x.shape()[dim];
  if (length <= extent)
    return build.sliceDim(x.value, dim, 0, length);
  SmallVector<int64_t> low(x.rank(), 0), high(x.rank(), 0);
  high[dim] = length - extent;
  return build.pad(x.value, low, high, build.scalar(x.elementType(), 0));
}

/// Entries of dimension `axis` and their parts, the last dimension, times
/// waves.
Value transformed(NodeImport &node, Value entries, Value table, int64_t axis,
                  int64_t resultCount) {
  const OnnxTensor &x = node.operand(0);
  TensorBuilder &build = node.build;
  OpBuilder &builder = build.builder;
  MLIRContext *context = builder.getContext();
  // Loops: the result's dimensions, then entries and parts.
  int64_t rank = x.rank(), last = rank - 1;
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < rank; ++dim)
    exprs.push_back(builder.getAffineDimExpr(dim));
  AffineMap results = AffineMap::get(rank + 2, 0, exprs, context);
  AffineExpr entry = builder.getAffineDimExpr(rank);
  AffineExpr part = builder.getAffineDimExpr(rank + 1);
  AffineMap waves = AffineMap::get(
      rank + 2, 0, {entry, part, exprs[axis], exprs[last]}, context);
  exprs[axis] = entry;
  exprs[last] = part;
  AffineMap operand = AffineMap::get(rank + 2, 0, exprs, context);
  SmallVector<int64_t> shape(x.shape());
  shape[axis] = resultCount;
  shape[last] = 2;
  Value zeros =
      build.filled(build.sizes(shape), build.scalar(x.elementType(), 0));
  return build.contract(entries, table, zeros, {operand, waves, results});
}

LogicalResult buildDft(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  TensorBuilder &build = node.build;
  if (!x.type().hasStaticShape())
    return node.error() << "expected a static shape, got "
                        << NodeImport::describe(x);
  if (x.rank() < 2 || !isFloat(x.element) || x.shape().back() < 1 ||
      x.shape().back() > 2)
    return node.error() << "expected floats with real or complex parts as the "
                           "last dimension, got "
                        << NodeImport::describe(x);
  // The axis is an attribute before version 20 and an operand since.
  int64_t given = node.integer("axis", node.opset() < 20 ? 1 : -2);
  if (node.has(2)) {
    FailureOr<int64_t> number = constantInteger(node, 2, "the axis");
    if (failed(number))
      return failure();
    given = *number;
  }
  FailureOr<int64_t> axis = node.dimension(given, x.rank());
  if (failed(axis))
    return failure();
  int64_t last = x.rank() - 1, length = x.shape()[*axis];
  if (*axis == last)
    return node.error() << "expected an axis other than the last, got "
                        << given;
  if (node.has(1)) {
    FailureOr<int64_t> number = constantInteger(node, 1, "the length");
    if (failed(number))
      return failure();
    length = *number;
  }
  bool isOneSided = node.integer("onesided", 0) != 0;
  bool isInverse = node.integer("inverse", 0) != 0;
  if (length < 1 || length > kMostTableElements)
    return node.error() << "expected a length of at least 1, got " << length;
  if (isOneSided && (isInverse || x.shape().back() != 1))
    return node.error() << "expected onesided = 0 for complex operands and "
                           "inverse transforms";
  Transform transform{length, isOneSided ? length / 2 + 1 : length, length,
                      x.shape().back(), isInverse};
  Value table = waveTable(node, transform);
  if (!table)
    return failure();
  Value entries = cutOrPad(build, x, *axis, length);
  return node.setResult(
      0, transformed(node, entries, table, *axis, transform.results));
}

/// Frames of batch x entries x parts, which begin `step` entries after each
/// other, times waves.
Value framesTransformed(TensorBuilder &build, Value entries, Value table,
                        int64_t frames, int64_t step) {
  auto type = cast<RankedTensorType>(entries.getType());
  auto waveType = cast<RankedTensorType>(table.getType());
  MLIRContext *context = build.builder.getContext();
  SmallVector<AffineExpr> d;
  for (unsigned loop = 0; loop < 6; ++loop)
    d.push_back(build.builder.getAffineDimExpr(loop));
  // Loops: batch, frame, result, part of it, entry, part of it.
  AffineMap operand =
      AffineMap::get(6, 0, {d[0], d[1] * step + d[4], d[5]}, context);
  AffineMap waves = AffineMap::get(6, 0, {d[4], d[5], d[2], d[3]}, context);
  AffineMap results = AffineMap::get(6, 0, {d[0], d[1], d[2], d[3]}, context);
  SmallVector<int64_t> shape{type.getDimSize(0), frames, waveType.getDimSize(2),
                             2};
  Value zeros =
      build.filled(build.sizes(shape), build.scalar(type.getElementType(), 0));
  return build.contract(entries, table, zeros, {operand, waves, results});
}

/// Transforms of parts of a signal that begin `step` entries after each other.
LogicalResult buildStft(NodeImport &node) {
  const OnnxTensor &signal = node.operand(0);
  TensorBuilder &build = node.build;
  bool isShort = signal.rank() == 2;
  if (!isFloat(signal.element) ||
      (!isShort &&
       (signal.rank() != 3 || signal.shape()[2] < 1 || signal.shape()[2] > 2)))
    return node.error() << "expected floats, batch x entries x parts, got "
                        << NodeImport::describe(signal);
  if (!signal.type().hasStaticShape())
    return node.error() << "out of scope: frames of a signal of any length, "
                        << NodeImport::describe(signal);
  FailureOr<int64_t> step = constantInteger(node, 1, "the frames' step");
  if (failed(step))
    return failure();
  FailureOr<int64_t> length = -1;
  if (node.has(3))
    length = constantInteger(node, 3, "the frames' length");
  else if (node.has(2) && node.operand(2).rank() == 1)
    length = node.operand(2).shape()[0];
  if (failed(length))
    return failure();
  int64_t batch = signal.shape()[0], extent = signal.shape()[1],
          parts = isShort ? 1 : signal.shape()[2];
  if (*length < 1 || *length > extent || *step < 1)
    return node.error() << "expected frames of 1 .. " << extent
                        << " entries and a step of at least 1, got " << *length
                        << " and " << *step;
  bool isOneSided = node.integer("onesided", 1) != 0;
  if (isOneSided && parts != 1)
    return node.error() << "expected onesided = 0 for a complex signal";
  int64_t frames = (extent - *length) / *step + 1;
  Transform transform{*length, isOneSided ? *length / 2 + 1 : *length, *length,
                      parts, false};
  Value table = waveTable(node, transform);
  if (!table)
    return failure();
  if (node.has(2)) {
    if (node.operand(2).shape() != ArrayRef<int64_t>{*length} ||
        node.operand(2).elementType() != signal.elementType())
      return node.error() << "expected a window of " << *length
                          << " entries, got "
                          << NodeImport::describe(node.operand(2));
    Value window = build.reshape(node.operand(2).value, {*length, 1, 1, 1});
    table = build.map(
        {table, window}, signal.elementType(),
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); });
  }
  Value entries = build.reshape(signal.value, {batch, extent, parts});
  entries = build.sliceDim(entries, 1, 0, (frames - 1) * *step + *length);
  return node.setResult(
      0, framesTransformed(build, entries, table, frames, *step));
}

/// Of bins x triangles, how much each triangle takes of each bin. Triangle i
/// rises from corner i to i + 1 and falls to i + 2.
std::vector<double> triangles(ArrayRef<int64_t> corners, int64_t bins) {
  auto count = static_cast<int64_t>(corners.size()) - 2;
  std::vector<double> numbers(bins * count, 0.0);
  auto set = [&](int64_t bin, int64_t triangle, int64_t part, int64_t all) {
    if (bin < bins)
      numbers[bin * count + triangle] =
          static_cast<double>(part) / static_cast<double>(all);
  };
  for (int64_t triangle = 0; triangle < count; ++triangle) {
    int64_t left = corners[triangle], top = corners[triangle + 1],
            right = corners[triangle + 2];
    if (left == top)
      set(top, triangle, 1, 1);
    for (int64_t bin = left; left != top && bin <= top; ++bin)
      set(bin, triangle, bin - left, top - left);
    for (int64_t bin = top; bin < right; ++bin)
      set(bin, triangle, right - bin, right - top);
  }
  return numbers;
}

/// Triangles over the bins of a spectrum, whose corners lie on the mel scale.
LogicalResult buildMelWeightMatrix(NodeImport &node) {
  auto count = constantInteger(node, 0, "the number of mel bins");
  auto length = failed(count) ? count : constantInteger(node, 1, "the length");
  auto rate =
      failed(length) ? length : constantInteger(node, 2, "the sample rate");
  if (failed(rate))
    return failure();
  double edges[2];
  for (unsigned edge : {0u, 1u}) {
    auto numbers = node.constantNumbers(3 + edge, "an edge in hertz");
    if (failed(numbers))
      return failure();
    if (numbers->size() != 1 || !(numbers->front() > -700))
      return node.error() << "expected one number as an edge in hertz";
    edges[edge] = numbers->front();
  }
  int64_t number =
      node.integer("output_datatype", static_cast<int64_t>(OnnxElement::Float));
  std::optional<OnnxElement> element = onnxElement(number);
  if (!element || !isFloat(*element))
    return node.error() << "expected floats as output_datatype, got "
                        << onnxElementName(number);
  int64_t bins = *length / 2 + 1, size = 0;
  if (*count < 1 || *length < 1 || *rate < 1 ||
      llvm::MulOverflow(bins, *count, size) || size > kMostTableElements)
    return node.error() << "expected a table of 1 .. " << kMostTableElements
                        << " elements, got " << bins << "x" << *count;
  auto toMel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double low = toMel(edges[0]);
  double step = (toMel(edges[1]) - low) / static_cast<double>(*count + 2);
  std::vector<int64_t> corners;
  for (int64_t corner = 0; corner < *count + 2; ++corner) {
    double mel = low + static_cast<double>(corner) * step;
    double hertz = 700 * (std::pow(10.0, mel / 2595) - 1);
    double bin = std::floor(static_cast<double>(*length + 1) * hertz /
                            static_cast<double>(*rate));
    if (!(bin >= 0) || bin > static_cast<double>(bins))
      return node.error() << "an edge at " << hertz << " Hz is outside of the "
                          << bins << " bins of the spectrum";
    corners.push_back(static_cast<int64_t>(bin));
  }
  std::vector<double> numbers = triangles(corners, bins);
  return node.setResult(
      0, node.build.constant(tableOf(*element, {bins, *count}, numbers), "mel"),
      *element);
}

} // namespace

void addFourier(OperatorTable &table) {
  table.add("DFT", 1, buildDft);
  table.add("STFT", 2, buildStft);
  table.add("MelWeightMatrix", 5, buildMelWeightMatrix);
}

} // namespace npu
