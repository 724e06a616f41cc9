// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MaxUnpool, which puts maxima back to where MaxPool has found them.

#include "../Graph/OperatorTable.h"
#include "Windows.h"

using namespace mlir;

namespace npu {
namespace {

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
  using Iterator = utils::IteratorType;
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
      {Iterator::parallel, Iterator::parallel, Iterator::parallel,
       Iterator::reduction},
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
  if (!x.type().hasStaticShape() || x.shape() != indices.shape() ||
      isFloat(indices.element))
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

void addUnpooling(OperatorTable &table) {
  table.add("MaxUnpool", 2, buildMaxUnpool);
}

} // namespace npu
