// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RotaryEmbedding: turns pairs of a head's numbers by angles of their position,
// whose cosines and sines are operands.

#include "../Build/Positions.h"
#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {
namespace {

/// Cosines or sines for each batch and position of a sequence: the operand
/// itself, or its rows at the positions that operand 3 says.
Value anglesOf(NodeImport &node, unsigned operand) {
  const OnnxTensor &cache = node.operand(operand);
  if (!node.has(3))
    return cache.value;
  const OnnxTensor &positions = node.operand(3);
  TensorBuilder typed(node.build.builder, node.loc, positions.element);
  TensorBuilder::Sizes sizes = typed.sizes(positions.value);
  sizes.push_back(typed.sizes(cache.value).back());
  return typed.generate(
      sizes, cache.elementType(), [&](ScalarBuilder &s, ValueRange at) {
        Value number = TensorBuilder::read(s, positions.value, at.drop_back());
        Value row = positionIn(s, number, typed.extent(cache.value, 0));
        return TensorBuilder::read(s, cache.value, {row, at.back()});
      });
}

/// Where the heads of the first operand are, and how long one is.
struct Heads {
  SmallVector<int64_t> shape;
  int64_t dim;
};

FailureOr<Heads> headsOf(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (!isFloat(x.element) || (x.rank() != 3 && x.rank() != 4) ||
      ShapedType::isDynamic(x.shape().back()))
    return node.error() << "expected floats of rank 3 or 4 with a static last "
                        << "extent, got " << NodeImport::describe(x);
  if (x.rank() == 4)
    return Heads{SmallVector<int64_t>(x.shape()), 1};
  int64_t heads = node.integer("num_heads", 0), width = x.shape()[2];
  if (heads < 1 || width % heads != 0)
    return node.error() << "expected num_heads that " << width
                        << " numbers can be shared among, got " << heads;
  return Heads{{x.shape()[0], x.shape()[1], heads, width / heads}, 2};
}

LogicalResult buildRotaryEmbedding(NodeImport &node) {
  FailureOr<Heads> heads = headsOf(node);
  if (failed(heads))
    return failure();
  const OnnxTensor &x = node.operand(0);
  int64_t width = heads->shape.back(),
          turned = node.integer("rotary_embedding_dim", 0);
  if (turned == 0)
    turned = width;
  if (turned < 0 || turned > width || turned % 2 != 0)
    return node.error() << "expected an even rotary_embedding_dim of at most "
                        << width << ", got " << turned;
  int64_t rank = node.has(3) ? 2 : 3;
  for (unsigned operand : {1U, 2U}) {
    const OnnxTensor &cache = node.operand(operand);
    if (cache.rank() != rank || cache.shape().back() != turned / 2)
      return node.error() << "expected rank " << rank
                          << " and a last extent of " << turned / 2
                          << " of operand #" << operand << ", got "
                          << NodeImport::describe(cache);
  }
  if (node.has(3) &&
      (node.operand(3).rank() != 2 || isFloat(node.operand(3).element)))
    return node.error() << "expected integers of rank 2 as positions, got "
                        << NodeImport::describe(node.operand(3));

  TensorBuilder &build = node.build;
  Value all = build.reshape(x.value, heads->shape);
  if (!all)
    return node.setResult(0, all);
  // Batch, position and angle, with an extent of 1 where the heads are.
  Value angles[2];
  for (unsigned operand : {1U, 2U}) {
    Value own = anglesOf(node, operand);
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(own.getType()).getShape());
    shape.insert(shape.begin() + heads->dim, 1);
    angles[operand - 1] = build.reshape(own, shape);
    if (!angles[operand - 1])
      return node.setResult(0, Value());
  }
  Value rotated = build.sliceDim(all, 3, 0, turned);
  SmallVector<int64_t> half(heads->shape), pairs(heads->shape);
  half.back() = turned / 2;
  Value first, second;
  bool isInterleaved = node.integer("interleaved", 0) != 0;
  if (isInterleaved) {
    first = build.sliceDim(rotated, 3, 0, turned / 2, 2);
    second = build.sliceDim(rotated, 3, 1, turned / 2, 2);
  } else {
    first = build.sliceDim(rotated, 3, 0, turned / 2);
    second = build.sliceDim(rotated, 3, turned / 2, turned / 2);
  }
  auto turn = [&](bool isReal) {
    return build.map({first, second, angles[0], angles[1]}, x.elementType(),
                     [&](ScalarBuilder &s, ValueRange v) {
                       if (isReal)
                         return s.sub(s.mul(v[2], v[0]), s.mul(v[3], v[1]));
                       return s.add(s.mul(v[3], v[0]), s.mul(v[2], v[1]));
                     });
  };
  Value real = turn(true), imaginary = turn(false);
  if (!real || !imaginary)
    return node.setResult(0, Value());
  if (isInterleaved) {
    half.push_back(1);
    pairs.back() = turned;
    rotated = build.concat(
        {build.reshape(real, half), build.reshape(imaginary, half)}, 4);
    rotated = build.reshape(rotated, pairs);
  } else {
    rotated = build.concat({real, imaginary}, 3);
  }
  if (turned < width)
    rotated = build.concat(
        {rotated, build.sliceDim(all, 3, turned, width - turned)}, 3);
  return node.setResult(0, build.reshape(rotated, x.shape()));
}

} // namespace

void addRotaryEmbedding(OperatorTable &table) {
  table.add("RotaryEmbedding", 3, buildRotaryEmbedding);
}

} // namespace npu
