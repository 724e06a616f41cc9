// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries read at positions that a tensor of indices has. Constant indices
// become slices where they follow each other; positions of run time are read
// where they lie, so that the data stays whole in memory.

#include "Gathers.h"

#include "../Build/Positions.h"
#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {
namespace {

/// An error unless an index is inside of a dimension; negative ones are counted
/// from the end and become positions.
LogicalResult toPositions(NodeImport &node, MutableArrayRef<int64_t> indices,
                          int64_t dim, int64_t extent) {
  for (int64_t &index : indices) {
    if (index < -extent || index >= extent)
      return node.error() << "expected indices in " << -extent << " .. "
                          << extent - 1 << " for dimension " << dim << ", got "
                          << index;
    index += index < 0 ? extent : 0;
  }
  return success();
}

/// An error where nothing can be read: the dimension is empty, but the result
/// is not.
LogicalResult checkReadable(NodeImport &node, const OnnxTensor &data,
                            const OnnxTensor &indices, int64_t dim) {
  if (data.shape()[dim] == 0 && !llvm::is_contained(indices.shape(), 0))
    return node.error() << "there are no entries to read along dimension "
                        << dim;
  return success();
}

/// The entry of a dimension at one position that follows from shapes, such as
/// the last one of a prompt; null where the position does not, or where it may
/// be out of range at some length.
Value entryAtKnown(NodeImport &node, const OnnxTensor &data, unsigned operand,
                   int64_t axis) {
  const OnnxTensor &indices = node.operand(operand);
  TensorBuilder &build = node.build;
  Numbers numbers = build.numbersHere();
  auto known = node.knownIntegers(operand);
  if (!known || known->size() != 1 || !known->front())
    return {};
  TensorBuilder::Sizes sizes = build.sizes(data.value),
                       offsets(sizes.size(), numbers.constant(0));
  Number one = numbers.constant(1);
  offsets[axis] = numbers.entryAt(known->front(), sizes[axis]);
  if (!offsets[axis])
    return {};
  sizes[axis] = one;
  Value slice = build.sliceAt(data.value, offsets, sizes, {});
  sizes.erase(sizes.begin() + axis);
  sizes.insert(sizes.begin() + axis, indices.rank(), one);
  return build.reshapeTo(slice, sizes);
}

LogicalResult buildGather(NodeImport &node) {
  FailureOr<int64_t> axis =
      node.dimension(node.integer("axis", 0), node.operand(0).rank());
  if (failed(axis))
    return failure();
  FailureOr<Value> result = gathered(node, node.operand(0), 1, *axis);
  return failed(result) ? failure() : node.setResult(0, *result);
}

LogicalResult buildGatherElements(NodeImport &node) {
  const OnnxTensor &data = node.operand(0), &indices = node.operand(1);
  FailureOr<int64_t> axis =
      node.dimension(node.integer("axis", 0), data.rank());
  if (failed(axis) || failed(checkReadable(node, data, indices, *axis)))
    return failure();
  bool agrees = indices.rank() == data.rank() && !isFloat(indices.element);
  for (int64_t dim = 0; agrees && dim < data.rank(); ++dim)
    agrees = dim == *axis || indices.shape()[dim] == data.shape()[dim] ||
             (!ShapedType::isDynamic(indices.shape()[dim]) &&
              !ShapedType::isDynamic(data.shape()[dim]) &&
              indices.shape()[dim] < data.shape()[dim]);
  if (!agrees)
    return node.setResult(0, Value());
  node.assertInside(1, data.value, *axis);
  TensorBuilder typed(node.build.builder, node.loc, indices.element);
  Value result = typed.generate(
      typed.sizes(indices.value), data.elementType(),
      [&](ScalarBuilder &s, ValueRange at) {
        SmallVector<Value> source(at);
        source[*axis] = positionIn(s, TensorBuilder::read(s, indices.value, at),
                                   typed.extent(data.value, *axis));
        return TensorBuilder::read(s, data.value, source);
      });
  return node.setResult(0, result);
}

/// The last dimension of the indices has positions in as many dimensions of the
/// data, after batch_dims that both have.
LogicalResult buildGatherND(NodeImport &node) {
  const OnnxTensor &data = node.operand(0), &indices = node.operand(1);
  int64_t batch = node.integer("batch_dims", 0);
  bool agrees =
      indices.rank() > 0 && !ShapedType::isDynamic(indices.shape().back()) &&
      !isFloat(indices.element) && batch >= 0 && batch < indices.rank() &&
      batch <= data.rank() && indices.shape().back() <= data.rank() - batch &&
      indices.shape().take_front(batch) == data.shape().take_front(batch);
  if (!agrees)
    return node.error() << "cannot read " << NodeImport::describe(data)
                        << " at " << NodeImport::describe(indices) << " with "
                        << batch << " batch dimensions";
  int64_t depth = indices.shape().back();
  TensorBuilder::Sizes dataSizes = node.build.sizes(data.value),
                       shape = node.build.sizes(indices.value);
  shape.pop_back();
  llvm::append_range(shape, ArrayRef(dataSizes).drop_front(batch + depth));
  for (int64_t dim = batch; dim < batch + depth; ++dim)
    if (failed(checkReadable(node, data, indices, dim)))
      return failure();
  node.assertEqualExtents(0, 0, 1, 0, batch);
  node.assertInside(1, data.value, batch, depth);
  TensorBuilder typed(node.build.builder, node.loc, indices.element);
  int64_t outer = indices.rank() - 1, rank = std::ssize(shape);
  // Each coordinate of a tuple is an operand, so that it is seen which rows
  // follow from which.
  SmallVector<Value> coordinates(depth, indices.value);
  AffineMap all = typed.builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps;
  for (int64_t number = 0; number < depth; ++number) {
    SmallVector<AffineExpr> tuple(all.getResults().take_front(outer));
    tuple.push_back(typed.builder.getAffineConstantExpr(number));
    maps.push_back(AffineMap::get(rank, 0, tuple, typed.builder.getContext()));
  }
  maps.push_back(all);
  Value result = typed.structured(
      coordinates, typed.empty(shape, data.elementType()), maps,
      [&](ScalarBuilder &s, ValueRange entries) {
        SmallVector<Value> at;
        for (int64_t loop = 0; loop < rank; ++loop)
          at.push_back(s.create<linalg::IndexOp>(loop));
        SmallVector<Value> source(ArrayRef(at).take_front(batch));
        for (int64_t number = 0; number < depth; ++number)
          source.push_back(positionIn(
              s, entries[number], typed.extent(data.value, batch + number)));
        llvm::append_range(source, ArrayRef(at).drop_front(outer));
        return TensorBuilder::read(s, data.value, source);
      });
  return node.setResult(0, result);
}

} // namespace

FailureOr<Value> gathered(NodeImport &node, const OnnxTensor &data,
                          unsigned operand, int64_t axis) {
  const OnnxTensor &indices = node.operand(operand);
  TensorBuilder &build = node.build;
  if (failed(checkReadable(node, data, indices, axis)))
    return failure();
  if (isFloat(indices.element))
    return node.error() << "expected integers as indices, got "
                        << NodeImport::describe(indices);
  SmallVector<int64_t> shape(data.shape());
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, indices.shape().begin(),
               indices.shape().end());
  auto positions = constantPositions(indices);
  int64_t extent = data.shape()[axis];
  if (positions && !ShapedType::isDynamic(extent)) {
    if (failed(toPositions(node, *positions, axis, extent)))
      return failure();
    Value taken = build.take(data.value, axis, *positions);
    return build.reshape(taken, shape);
  }
  // Of one entry there is no other one to read: caches of a single sequence are
  // gathered by the number of a beam.
  bool isOne =
      llvm::all_of(indices.shape(), [](int64_t extent) { return extent == 1; });
  if (extent == 1 && isOne)
    return build.reshape(data.value, shape);
  node.assertInside(operand, data.value, axis);
  if (Value entry = entryAtKnown(node, data, operand, axis))
    return entry;
  TensorBuilder typed(build.builder, node.loc, indices.element);
  TensorBuilder::Sizes sizes = typed.sizes(data.value);
  TensorBuilder::Sizes inner = typed.sizes(indices.value);
  sizes.erase(sizes.begin() + axis);
  sizes.insert(sizes.begin() + axis, inner.begin(), inner.end());
  // Indices are an operand, so that it is seen which rows follow from which.
  return typed.generateWith(
      indices.value, axis, sizes, data.elementType(),
      [&](ScalarBuilder &s, ValueRange at, Value index) {
        SmallVector<Value> source(at.take_front(axis));
        source.push_back(positionIn(s, index, typed.extent(data.value, axis)));
        llvm::append_range(source, at.drop_front(axis + indices.rank()));
        return TensorBuilder::read(s, data.value, source);
      });
}

void addGathers(OperatorTable &table) {
  table.add("Gather", 2, buildGather);
  table.add("GatherElements", 2, buildGatherElements);
  table.add("GatherND", 2, buildGatherND);
}

} // namespace npu
