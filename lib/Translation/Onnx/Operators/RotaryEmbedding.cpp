// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary embeddings: the standard's operator and ONNX Runtime's.

#include "RotaryEmbedding.h"

#include "../Build/Positions.h"
#include "../Graph/OperatorTable.h"
#include "ScaledAttention.h"

using namespace mlir;

namespace npu {

Value anglesAt(TensorBuilder &build, const OnnxTensor &table,
               const OnnxTensor &positions) {
  TensorBuilder typed(build.builder, build.loc, positions.element);
  TensorBuilder::Sizes sizes = typed.sizes(positions.value);
  sizes.push_back(typed.sizes(table.value).back());
  return typed.generate(
      sizes, table.elementType(), [&](ScalarBuilder &s, ValueRange at) {
        Value number = TensorBuilder::read(s, positions.value, at.drop_back());
        Value row = positionIn(s, number, typed.extent(table.value, 0));
        return TensorBuilder::read(s, table.value, {row, at.back()});
      });
}

Value anglesFrom(TensorBuilder &build, Value table, Number begin,
                 Number count) {
  Numbers numbers = build.numbersHere();
  TensorBuilder::Sizes sizes = build.sizes(table);
  Number left = numbers.sub(sizes[0], numbers.add(begin, count));
  for (Number number : {begin, left})
    if (number && getConstantIntValue(number).value_or(0) < 0)
      return {};
  if (left)
    numbers.assertAtLeast(left, 0);
  sizes[0] = count;
  return build.sliceAt(table, {begin, numbers.constant(0)}, sizes, {});
}

Value rotated(TensorBuilder &build, Value heads, int64_t headDim,
              const Rotation &rotation) {
  ArrayRef<int64_t> shape = shapeOf(heads);
  int64_t width = shape.back(), turned = rotation.entries;
  // Batch, position and angle, with an extent of 1 where the heads are.
  Value angles[2];
  for (auto [own, result] :
       llvm::zip_equal(ArrayRef{rotation.cosines, rotation.sines},
                       MutableArrayRef<Value>(angles))) {
    SmallVector<int64_t> apart(shapeOf(own));
    apart.insert(apart.end() - (4 - 1 - headDim), 1);
    result = build.reshape(own, apart);
    if (!result)
      return {};
  }
  Value part = build.sliceDim(heads, 3, 0, turned);
  SmallVector<int64_t> half(shape), pairs(shape);
  half.back() = turned / 2;
  Value first, second;
  if (rotation.isInterleaved) {
    first = build.sliceDim(part, 3, 0, turned / 2, 2);
    second = build.sliceDim(part, 3, 1, turned / 2, 2);
  } else {
    first = build.sliceDim(part, 3, 0, turned / 2);
    second = build.sliceDim(part, 3, turned / 2, turned / 2);
  }
  Type type = cast<RankedTensorType>(heads.getType()).getElementType();
  auto turn = [&](bool isReal) {
    return build.map({first, second, angles[0], angles[1]}, type,
                     [&](ScalarBuilder &s, ValueRange v) {
                       if (isReal)
                         return s.sub(s.mul(v[2], v[0]), s.mul(v[3], v[1]));
                       return s.add(s.mul(v[3], v[0]), s.mul(v[2], v[1]));
                     });
  };
  Value real = turn(true), imaginary = turn(false);
  if (!real || !imaginary || shapeOf(real) != ArrayRef(half))
    return {};
  Value result;
  if (rotation.isInterleaved) {
    half.push_back(1);
    pairs.back() = turned;
    result = build.concat(
        {build.reshape(real, half), build.reshape(imaginary, half)}, 4);
    result = build.reshape(result, pairs);
  } else {
    result = build.concat({real, imaginary}, 3);
  }
  if (turned == width)
    return result;
  return build.concat(
      {result, build.sliceDim(heads, 3, turned, width - turned)}, 3);
}

namespace {

/// The operand that is turned, by head.
struct Heads {
  Value value;
  int64_t dim;
};

LogicalResult checkTurned(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (isFloat(x.element) && (x.rank() == 3 || x.rank() == 4) &&
      !ShapedType::isDynamic(x.shape().back()))
    return success();
  return node.error() << "expected floats of rank 3 or 4 with a static last "
                      << "extent, got " << NodeImport::describe(x);
}

FailureOr<Heads> headsOf(NodeImport &node, int64_t count) {
  const OnnxTensor &x = node.operand(0);
  if (x.rank() == 4)
    return Heads{x.value, 1};
  int64_t width = x.shape()[2];
  if (count < 1 || width % count != 0)
    return node.error() << "expected num_heads that " << width
                        << " numbers can be shared among, got " << count;
  Value apart = node.build.reshape(
      x.value, {x.shape()[0], x.shape()[1], count, width / count});
  if (!apart)
    return LogicalResult(node.setResult(0, apart));
  return Heads{apart, 2};
}

/// How many entries of a head of `width` are turned.
FailureOr<int64_t> turnedEntries(NodeImport &node, int64_t width) {
  int64_t turned = node.integer("rotary_embedding_dim", 0);
  if (turned == 0)
    turned = width;
  if (turned < 0 || turned > width || turned % 2 != 0)
    return node.error() << "expected an even rotary_embedding_dim of at most "
                        << width << ", got " << turned;
  return turned;
}

LogicalResult checkTable(NodeImport &node, unsigned operand, int64_t rank,
                         int64_t turned) {
  const OnnxTensor &table = node.operand(operand);
  if (table.rank() == rank && table.shape().back() == turned / 2)
    return success();
  return node.error() << "expected rank " << rank << " and a last extent of "
                      << turned / 2 << " of operand #" << operand << ", got "
                      << NodeImport::describe(table);
}

LogicalResult setRotated(NodeImport &node, const Heads &heads,
                         const Rotation &rotation) {
  Value result = rotated(node.build, heads.value, heads.dim, rotation);
  return node.setResult(
      0, result ? node.build.reshape(result, node.operand(0).shape()) : result);
}

LogicalResult buildRotaryEmbedding(NodeImport &node) {
  if (failed(checkTurned(node)))
    return failure();
  FailureOr<Heads> heads = headsOf(node, node.integer("num_heads", 0));
  if (failed(heads))
    return failure();
  FailureOr<int64_t> turned = turnedEntries(node, shapeOf(heads->value).back());
  if (failed(turned))
    return failure();
  for (unsigned operand : {1U, 2U})
    if (failed(checkTable(node, operand, node.has(3) ? 2 : 3, *turned)))
      return failure();
  if (node.has(3) &&
      (node.operand(3).rank() != 2 || isFloat(node.operand(3).element)))
    return node.error() << "expected integers of rank 2 as positions, got "
                        << NodeImport::describe(node.operand(3));
  auto angles = [&](unsigned operand) {
    const OnnxTensor &table = node.operand(operand);
    return node.has(3) ? anglesAt(node.build, table, node.operand(3))
                       : table.value;
  };
  return setRotated(
      node, *heads,
      {angles(1), angles(2), *turned, node.integer("interleaved", 0) != 0});
}

/// Positions are those of every batch, or one from which all batches count on.
LogicalResult buildMicrosoftRotaryEmbedding(NodeImport &node) {
  if (failed(checkTurned(node)))
    return failure();
  if (node.integer("is_packed_batching", 0) != 0)
    return node.error() << "is_packed_batching is not supported";
  if (double scale = node.real("scale", 1); scale != 1)
    return node.error() << "scale of " << scale << " is not supported";
  const OnnxTensor &x = node.operand(0), &positions = node.operand(1),
                   &cosines = node.operand(2);
  if (cosines.rank() != 2 || ShapedType::isDynamic(cosines.shape().back()))
    return node.error() << "expected a table of rank 2 as operand #2, got "
                        << NodeImport::describe(cosines);
  // Without a number of heads, the table says how long one is.
  int64_t count = node.integer("num_heads", 0),
          ofTable = 2 * std::max<int64_t>(cosines.shape().back(), 1);
  if (count == 0 && x.rank() == 3)
    count = x.shape().back() / ofTable;
  FailureOr<Heads> heads = headsOf(node, count);
  if (failed(heads))
    return failure();
  FailureOr<int64_t> turned = turnedEntries(node, shapeOf(heads->value).back());
  if (failed(turned) || failed(checkTable(node, 2, 2, *turned)) ||
      failed(checkTable(node, 3, 2, *turned)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(heads->value);
  int64_t positionDim = heads->dim == 1 ? 2 : 1;
  bool isOne = positions.shape() == ArrayRef<int64_t>{1};
  bool isOfBatches =
      positions.shape() == ArrayRef<int64_t>{shape[0], shape[positionDim]};
  if (isFloat(positions.element) || (!isOne && !isOfBatches))
    return node.error() << "expected one position, or one for each entry of a "
                        << "batch, got " << NodeImport::describe(positions);
  TensorBuilder &build = node.build;
  Number length = build.sizes(heads->value)[positionDim];
  auto known = isOne ? node.knownIntegers(1) : std::nullopt;
  auto angles = [&](unsigned operand) {
    const OnnxTensor &table = node.operand(operand);
    if (known && known->front())
      return anglesFrom(build, table.value, known->front(), length);
    if (isOfBatches)
      return anglesAt(build, table, positions);
    TensorBuilder typed(build.builder, node.loc, positions.element);
    return typed.generate(
        {length, build.sizes(table.value).back()}, table.elementType(),
        [&](ScalarBuilder &s, ValueRange at) {
          Value first = s.toIndex(
              TensorBuilder::read(s, positions.value, indexConstant(s, 0)));
          Value last = s.create<arith::SubIOp>(typed.extent(table.value, 0),
                                               indexConstant(s, 1));
          Value row = clamped(s, s.create<arith::AddIOp>(first, at[0]),
                              indexConstant(s, 0), last);
          return TensorBuilder::read(s, table.value, {row, at[1]});
        });
  };
  Rotation rotation{angles(2), angles(3), *turned,
                    node.integer("interleaved", 0) != 0};
  if (!rotation.cosines || !rotation.sines)
    return node.error() << "expected cosines and sines of all positions, got "
                        << NodeImport::describe(cosines);
  return setRotated(node, *heads, rotation);
}

} // namespace

void addRotaryEmbedding(OperatorTable &table) {
  table.add("RotaryEmbedding", 3, buildRotaryEmbedding);
  table.addMicrosoft("RotaryEmbedding", 4, buildMicrosoftRotaryEmbedding);
}

} // namespace npu
