// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings: maxima, means and norms of windows and of whole images.

#include "Poolings.h"

#include "../Graph/OperatorTable.h"
#include "Moments.h"
#include "Windows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

FailureOr<Windows> poolingWindows(NodeImport &node, const OnnxTensor &x) {
  if (failed(checkImage(node, x)))
    return failure();
  auto kernel = node.integers("kernel_shape");
  if (!kernel)
    return node.error() << "expected a kernel_shape";
  TensorBuilder::Sizes sizes = node.build.sizes(x.value);
  FailureOr<Windows> windows =
      readWindows(node, ArrayRef(sizes).drop_front(2), *kernel);
  if (failed(windows))
    return failure();
  // Every window has an entry of the image.
  for (int64_t dim = 0; dim < windows->rank(); ++dim)
    if (std::max(windows->low[dim], windows->high[dim]) >= windows->reach(dim))
      return node.error() << "expected less padding than the "
                          << windows->reach(dim) << " entries of a window, got "
                          << std::max(windows->low[dim], windows->high[dim]);
  return windows;
}

Value padded(TensorBuilder &build, Value x, const Windows &windows,
             Value scalar) {
  Numbers numbers = build.numbersHere();
  TensorBuilder::Sizes high(windows.after);
  for (auto [after, more] : llvm::zip_equal(high, windows.beyond))
    after = numbers.add(after, numbers.constant(more));
  return padSpatial(build, x, windows.before, high, scalar);
}

/// Operands, maps and loops of operations on windows of an image.
struct WindowLoops {
  WindowLoops(TensorBuilder &build, Value image, const Windows &windows) {
    MLIRContext *context = build.builder.getContext();
    int64_t rank = windows.rank();
    auto loop = [&](int64_t number) {
      return getAffineDimExpr(static_cast<unsigned>(number), context);
    };
    SmallVector<AffineExpr> ofImage{loop(0), loop(1)}, ofWindow,
        ofResult(ofImage);
    for (int64_t dim = 0; dim < rank; ++dim) {
      AffineExpr place = loop(2 + dim), entry = loop(2 + rank + dim);
      ofImage.push_back(windowPosition(windows, dim, place, entry));
      ofResult.push_back(place);
      ofWindow.push_back(entry);
    }
    maps = AffineMap::inferFromExprList(
        ArrayRef<ArrayRef<AffineExpr>>{ofImage, ofWindow, ofResult}, context);
    TensorBuilder::Sizes all = build.sizes(image);
    sizes = {all[0], all[1]};
    llvm::append_range(sizes, windows.places);
    // Only its shape counts.
    window =
        build.empty(build.sizes(windows.kernel), build.builder.getF32Type());
  }

  SmallVector<AffineMap, 4> maps;
  TensorBuilder::Sizes sizes;
  Value window;
};

/// Maxima of windows; `image` is padded already.
Value maximaOf(NodeImport &node, Value image, const Windows &windows) {
  TensorBuilder &build = node.build;
  const OnnxTensor &x = node.operand(0);
  Value lowest = ScalarBuilder(build.builder, build.loc, x.element)
                     .lowest(x.elementType());
  WindowLoops loops(build, image, windows);
  Value init = build.filled(loops.sizes, lowest);
  if (windows.rank() == 2 && isFloat(x.element)) {
    Value window = build.empty(build.sizes(windows.kernel), x.elementType());
    return linalg::PoolingNchwMaxOp::create(
               build.builder, build.loc, init.getType(),
               ValueRange{image, window}, ValueRange{init},
               build.builder.getI64TensorAttr(windows.strides),
               build.builder.getI64TensorAttr(windows.dilations))
        .getResult(0);
  }
  return build.structured(
      {image, loops.window}, init, loops.maps,
      [](ScalarBuilder &s, ValueRange v) { return s.max(v[2], v[0]); });
}

/// The number of the entry of `x` that a loop point of a window reads, counted
/// over all dimensions of x, and whether there is one.
std::pair<Value, Value> numberOfEntry(ScalarBuilder &s, NodeImport &node,
                                      const Windows &windows) {
  const OnnxTensor &x = node.operand(0);
  Type index = s.builder.getIndexType();
  auto number = [&](int64_t n) { return s.integer(index, n); };
  auto loop = [&](int64_t n) -> Value { return s.create<linalg::IndexOp>(n); };
  Value flat = s.add(s.mul(loop(0), number(x.shape()[1])), loop(1));
  Value isInside = s.integer(s.builder.getI1Type(), 1);
  for (int64_t dim = 0; dim < windows.rank(); ++dim) {
    Value at = s.add(
        s.mul(loop(2 + dim), number(windows.strides[dim])),
        s.mul(loop(2 + windows.rank() + dim), number(windows.dilations[dim])));
    at = s.sub(at, node.build.numbersHere().valueOf(windows.before[dim]));
    Value extent = node.build.extent(x.value, 2 + dim);
    // As unsigned numbers, those in front of the image are large.
    Value fits = s.create<arith::CmpIOp>(arith::CmpIPredicate::ult, at, extent);
    isInside = s.create<arith::AndIOp>(isInside, fits);
    flat = s.add(s.mul(flat, extent), at);
  }
  return {s.create<arith::IndexCastOp>(s.builder.getI64Type(), flat), isInside};
}

/// Row-major numbers of entries as those that count the first spatial dimension
/// fastest.
Value columnMajor(NodeImport &node, Value numbers) {
  const OnnxTensor &x = node.operand(0);
  TensorBuilder counting(node.build.builder, node.loc, OnnxElement::Int64);
  Type type = node.build.builder.getI64Type();
  ArrayRef<int64_t> spatial = x.shape().drop_front(2);
  return counting.map(numbers, type, [&](ScalarBuilder &s, ValueRange v) {
    SmallVector<Value> position(spatial.size());
    Value left = v[0];
    for (auto dim = static_cast<int64_t>(spatial.size()) - 1; dim >= 0; --dim) {
      Value extent =
          ShapedType::isDynamic(spatial[dim])
              ? s.fromIndex(node.build.extent(x.value, 2 + dim), type)
              : s.integer(type, std::max<int64_t>(spatial[dim], 1));
      position[dim] = s.rem(left, extent);
      left = s.div(left, extent);
    }
    for (auto dim = static_cast<int64_t>(spatial.size()) - 1; dim >= 0; --dim)
      left = s.add(
          s.mul(left, s.fromIndex(node.build.extent(x.value, 2 + dim), type)),
          position[dim]);
    return left;
  });
}

/// Of each window the number of its first entry that is the maximum.
Value indicesOf(NodeImport &node, Value image, Value maxima,
                const Windows &windows) {
  TensorBuilder &build = node.build;
  WindowLoops loops(build, image, windows);
  Type type = build.builder.getI64Type();
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  Value none = arith::ConstantOp::create(
      build.builder, build.loc, build.builder.getI64IntegerAttr(kNone));
  SmallVector<AffineMap> maps{loops.maps[0], loops.maps[2], loops.maps[1],
                              loops.maps[2]};
  bool isOfFloats = isFloat(node.operand(0).element);
  Value indices = build.structured(
      {image, maxima, loops.window}, build.filled(loops.sizes, none), maps,
      [&](ScalarBuilder &s, ValueRange v) -> Value {
        auto [number, isInside] = numberOfEntry(s, node, windows);
        // Where the maximum is NaN, any entry is it.
        Value isMost =
            isOfFloats
                ? s.create<arith::CmpFOp>(arith::CmpFPredicate::UEQ, v[0], v[1])
                : s.compare(Comparison::Equal, v[0], v[1]);
        Value counts = s.create<arith::AndIOp>(isMost, isInside);
        Value found = s.select(counts, number, s.integer(type, kNone));
        return s.create<arith::MinSIOp>(v[3], found);
      });
  return node.integer("storage_order", 0) ? columnMajor(node, indices)
                                          : indices;
}

LogicalResult buildMaxPool(NodeImport &node) {
  FailureOr<Windows> windows = poolingWindows(node, node.operand(0));
  if (failed(windows))
    return failure();
  const OnnxTensor &x = node.operand(0);
  Value lowest = ScalarBuilder(node.build.builder, node.loc, x.element)
                     .lowest(x.elementType());
  Value image = padded(node.build, x.value, *windows, lowest);
  Value maxima = maximaOf(node, image, *windows);
  if (failed(node.setResult(0, maxima)))
    return failure();
  if (!node.wants(1))
    return success();
  return node.setResult(1, indicesOf(node, image, maxima, *windows),
                        OnnxElement::Int64);
}

Value sumOfWindows(TensorBuilder &build, Value image, const Windows &windows) {
  WindowLoops loops(build, image, windows);
  Type type = cast<RankedTensorType>(image.getType()).getElementType();
  Value init = build.filled(loops.sizes, build.scalar(type, 0));
  if (windows.rank() == 2)
    return linalg::PoolingNchwSumOp::create(
               build.builder, build.loc, init.getType(),
               ValueRange{image,
                          build.empty(build.sizes(windows.kernel), type)},
               ValueRange{init},
               build.builder.getI64TensorAttr(windows.strides),
               build.builder.getI64TensorAttr(windows.dilations))
        .getResult(0);
  return build.structured(
      {image, loops.window}, init, loops.maps,
      [](ScalarBuilder &s, ValueRange v) { return s.add(v[2], v[0]); });
}

/// How many entries of each window along a dimension count: those of the image,
/// and those of the padding if it is to be included.
SmallVector<double> countsAlong(const Windows &windows, int64_t dim,
                                int64_t extent, bool includesPadding) {
  int64_t begin = includesPadding ? 0 : windows.low[dim];
  int64_t end =
      windows.low[dim] + extent + (includesPadding ? windows.high[dim] : 0);
  SmallVector<double> counts;
  for (int64_t result = 0; result < windows.results[dim]; ++result) {
    int64_t step = windows.dilations[dim];
    int64_t first = result * windows.strides[dim];
    // Entries first + step * k, k < kernel, that lie in begin .. end - 1.
    auto below = [&](int64_t bound) {
      int64_t entries = bound <= first ? 0 : (bound - first + step - 1) / step;
      return std::min(entries, windows.kernel[dim]);
    };
    counts.push_back(static_cast<double>(below(end) - below(begin)));
  }
  return counts;
}

/// The same where that follows from a prompt, computed from the position of
/// each window.
Value countsOfPrompt(NodeImport &node, const OnnxTensor &x,
                     const Windows &windows, int64_t dim,
                     bool includesPadding) {
  TensorBuilder &build = node.build;
  Numbers numbers = build.numbersHere();
  Number zero = numbers.constant(0), low = windows.before[dim];
  Number begin = includesPadding ? zero : low;
  Number end = numbers.add(low, numbers.extentOf(x.value, 2 + dim));
  if (includesPadding)
    end = numbers.add(end, windows.after[dim]);
  Value from = numbers.valueOf(begin), to = numbers.valueOf(end);
  int64_t step = windows.dilations[dim];
  SmallVector<Number> sizes{windows.places[dim]};
  for (int64_t after = dim + 1; after < windows.rank(); ++after)
    sizes.push_back(numbers.constant(1));
  return build.generate(
      sizes, x.elementType(), [&](ScalarBuilder &s, ValueRange at) {
        auto number = [&](int64_t n) {
          return s.integer(s.builder.getIndexType(), n);
        };
        Value first = s.mul(at[0], number(windows.strides[dim]));
        // Entries first + step * k, k < kernel, below a bound.
        auto below = [&](Value bound) -> Value {
          Value distance =
              s.create<arith::MaxSIOp>(s.sub(bound, first), number(0));
          Value entries = s.create<arith::DivUIOp>(
              s.add(distance, number(step - 1)), number(step));
          return s.create<arith::MinSIOp>(entries, number(windows.kernel[dim]));
        };
        return s.fromIndex(s.sub(below(to), below(from)), x.elementType());
      });
}

/// Divides sums by how many entries there are; counts are products of one
/// number for each dimension.
Value dividedByCounts(NodeImport &node, const OnnxTensor &x, Value sums,
                      const Windows &windows, bool includesPadding) {
  TensorBuilder &build = node.build;
  auto type = cast<RankedTensorType>(sums.getType());
  Type element = type.getElementType();
  SmallVector<Value> operands{sums};
  double common = 1;
  for (int64_t dim = 0; dim < windows.rank(); ++dim) {
    if (ShapedType::isDynamic(windows.results[dim])) {
      operands.push_back(
          countsOfPrompt(node, x, windows, dim, includesPadding));
      continue;
    }
    SmallVector<double> counts =
        countsAlong(windows, dim, x.shape()[2 + dim], includesPadding);
    if (llvm::all_equal(counts)) {
      common *= counts[0];
      continue;
    }
    SmallVector<int64_t> shape(windows.rank() - dim, 1);
    shape[0] = windows.results[dim];
    operands.push_back(build.numbers(counts, shape, x.element));
  }
  return build.map(operands, element, [&](ScalarBuilder &s, ValueRange v) {
    Value count = s.constant(element, common);
    for (Value factor : v.drop_front())
      count = s.mul(count, factor);
    return s.div(v[0], count);
  });
}

LogicalResult buildAveragePool(NodeImport &node) {
  if (failed(checkFloats(node)))
    return failure();
  FailureOr<Value> means = meansOfWindows(node, node.operand(0));
  return failed(means) ? failure() : node.setResult(0, *means);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// |x|^p, whose sum's root is the norm.
Value power(TensorBuilder &build, Value x, double p) {
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  return build.map(x, type, [&](ScalarBuilder &s, ValueRange v) -> Value {
    if (p == 2)
      return s.mul(v[0], v[0]);
    Value size = s.abs(v[0]);
    return p == 1 ? size : s.create<math::PowFOp>(size, s.constant(type, p));
  });
}

Value root(TensorBuilder &build, Value x, double p) {
  if (p == 1)
    return x;
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  return build.map(x, type, [&](ScalarBuilder &s, ValueRange v) -> Value {
    if (p == 2)
      return s.create<math::SqrtOp>(v[0]);
    return s.create<math::PowFOp>(v[0], s.constant(type, 1 / p));
  });
}

FailureOr<double> exponentOf(NodeImport &node) {
  int64_t p = node.integer("p", 2);
  if (p < 1)
    return node.error() << "expected p of at least 1, got " << p;
  return static_cast<double>(p);
}

LogicalResult buildLpPool(NodeImport &node) {
  FailureOr<Windows> windows = poolingWindows(node, node.operand(0));
  if (failed(windows) || failed(checkFloats(node)))
    return failure();
  FailureOr<double> p = exponentOf(node);
  if (failed(p))
    return failure();
  TensorBuilder &build = node.build;
  const OnnxTensor &x = node.operand(0);
  Value image = padded(build, power(build, x.value, *p), *windows,
                       build.scalar(x.elementType(), 0));
  return node.setResult(0,
                        root(build, sumOfWindows(build, image, *windows), *p));
}

//===----------------------------------------------------------------------===//
// Whole images
//===----------------------------------------------------------------------===//

SmallVector<int64_t> spatialDims(const OnnxTensor &x) {
  return llvm::to_vector(llvm::seq<int64_t>(2, x.rank()));
}

LogicalResult buildGlobalMaxPool(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (failed(checkImage(node, x, 2)))
    return failure();
  return node.setResult(0, node.build.maximum(x.value, spatialDims(x)));
}

LogicalResult buildGlobalAveragePool(NodeImport &node) {
  if (failed(checkFloats(node)))
    return failure();
  FailureOr<Value> mean = meansOfImage(node, node.operand(0));
  return failed(mean) ? failure() : node.setResult(0, *mean);
}

LogicalResult buildGlobalLpPool(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (failed(checkImage(node, x, 2)) || failed(checkFloats(node)))
    return failure();
  FailureOr<double> p = exponentOf(node);
  if (failed(p))
    return failure();
  TensorBuilder &build = node.build;
  Value sum = build.sum(power(build, x.value, *p), spatialDims(x));
  return node.setResult(0, root(build, sum, *p));
}

/// The extents that the pooled image had, if every window was full.
FailureOr<SmallVector<int64_t>> pooledShape(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  auto kernel = node.integers("kernel_shape");
  if (!kernel || static_cast<int64_t>(kernel->size()) != x.rank() - 2)
    return node.error() << "expected a kernel_shape of " << x.rank() - 2
                        << " numbers";
  FailureOr<Windows> windows = readWindowAttributes(node, *kernel);
  if (failed(windows))
    return failure();
  SmallVector<int64_t> shape(x.shape());
  for (int64_t dim = 0; dim < windows->rank(); ++dim) {
    int64_t &extent = shape[2 + dim];
    if (extent > kMostElements / windows->strides[dim])
      return node.error() << "its result has too many elements";
    extent = (extent - 1) * windows->strides[dim] + windows->kernel[dim] -
             windows->low[dim] - windows->high[dim];
    if (extent < 1)
      return node.error() << "extent #" << 2 + dim << " of its result is "
                          << extent;
  }
  return shape;
}

/// All spatial dimensions as one.
Value flattened(TensorBuilder &build, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t count = 1;
  for (int64_t extent : type.getShape().drop_front(2))
    count *= extent;
  return build.reshape(value, {type.getDimSize(0), type.getDimSize(1), count});
}

/// Every place of the result looks for itself among the indices: of several
/// that are the same, the last one counts.
Value place(NodeImport &node, ArrayRef<int64_t> shape) {
  TensorBuilder &build = node.build;
  Value x = flattened(build, node.operand(0).value);
  Value indices = flattened(build, node.operand(1).value);
  SmallVector<int64_t> flat{shape[0], shape[1], 1};
  for (int64_t extent : shape.drop_front(2))
    flat[2] *= extent;
  MLIRContext *context = build.builder.getContext();
  AffineExpr batch, channel, target, source;
  bindDims(context, batch, channel, target, source);
  auto from = AffineMap::get(4, 0, {batch, channel, source}, context);
  auto to = AffineMap::get(4, 0, {batch, channel, target}, context);
  Type element = node.operand(0).elementType();
  Value zeros = build.filled(build.sizes(flat), build.scalar(element, 0));
  Value placed = build.structured(
      {x, indices}, zeros, {from, from, to},
      [&](ScalarBuilder &s, ValueRange v) {
        Type index = s.builder.getIndexType();
        Value plane = s.add(
            s.mul(s.create<linalg::IndexOp>(0), s.integer(index, shape[1])),
            s.create<linalg::IndexOp>(1));
        Value here = s.add(s.mul(plane, s.integer(index, flat[2])),
                           s.create<linalg::IndexOp>(2));
        Value number = s.fromIndex(here, v[1].getType());
        Value isIt =
            s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, number, v[1]);
        return s.select(isIt, v[0], v[2]);
      });
  return build.reshape(placed, shape);
}

LogicalResult buildMaxUnpool(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &indices = node.operand(1);
  if (failed(checkImage(node, x)))
    return failure();
  if (!x.type().hasStaticShape())
    return node.error() << "out of scope: positions in images of any size, "
                        << NodeImport::describe(x);
  if (x.shape() != indices.shape() || isFloat(indices.element))
    return node.error() << "expected indices for " << NodeImport::describe(x)
                        << ", got " << NodeImport::describe(indices);
  FailureOr<SmallVector<int64_t>> shape = pooledShape(node);
  if (failed(shape))
    return failure();
  if (!elementCount(*shape))
    return node.error() << "its result has more than " << kMostElements
                        << " elements";
  Value placed = place(node, *shape);
  if (node.has(2)) {
    // Indices count entries of the pooled image; what is wanted beyond it is
    // padding.
    FailureOr<SmallVector<int64_t>> wanted =
        node.constantIntegers(2, "the output shape");
    if (failed(wanted))
      return failure();
    if (wanted->size() != shape->size())
      return node.error() << "expected an output shape of " << shape->size()
                          << " numbers, got " << wanted->size();
    SmallVector<int64_t> low(shape->size(), 0), high;
    for (auto [dim, extent] : llvm::enumerate(*wanted)) {
      if (extent < (*shape)[dim] || (dim < 2 && extent != (*shape)[dim]) ||
          extent > kMostElements)
        return node.error()
               << "expected an output shape of at least " << (*shape)[dim]
               << " in dimension " << dim << ", got " << extent;
      high.push_back(extent - (*shape)[dim]);
    }
    placed = node.build.pad(placed, low, high,
                            node.build.scalar(x.elementType(), 0));
  }
  return node.setResult(0, placed);
}

} // namespace

FailureOr<Value> meansOfWindows(NodeImport &node, const OnnxTensor &image) {
  FailureOr<Windows> windows = poolingWindows(node, image);
  if (failed(windows))
    return failure();
  TensorBuilder &build = node.build;
  Value around = padded(build, image.value, *windows,
                        build.scalar(image.elementType(), 0));
  Value sums = sumOfWindows(build, around, *windows);
  return dividedByCounts(node, image, sums, *windows,
                         node.integer("count_include_pad", 0));
}

FailureOr<Value> meansOfImage(NodeImport &node, const OnnxTensor &image) {
  if (failed(checkImage(node, image, 2)))
    return failure();
  return meanOf(node, image.value, spatialDims(image));
}

void addPoolings(OperatorTable &table) {
  table.add("MaxPool", 1, buildMaxPool);
  table.add("AveragePool", 1, buildAveragePool);
  table.add("LpPool", 1, buildLpPool);
  table.add("GlobalMaxPool", 1, buildGlobalMaxPool);
  table.add("GlobalAveragePool", 1, buildGlobalAveragePool);
  table.add("GlobalLpPool", 1, buildGlobalLpPool);
  table.add("MaxUnpool", 2, buildMaxUnpool);
}

} // namespace npu
