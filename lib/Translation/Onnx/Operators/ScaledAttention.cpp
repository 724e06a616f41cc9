// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of attention.

#include "ScaledAttention.h"

#include <cmath>

using namespace mlir;

namespace npu {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

FailureOr<Value> ScaledAttention::apart(Value rows, int64_t count,
                                        StringRef what) {
  SmallVector<int64_t> shape(shapeOf(rows));
  int64_t width = shape[2];
  if (count < 1 || width % count != 0)
    return node.error() << "expected " << what << " that " << width
                        << " numbers can be shared among, got " << count;
  Value heads = build.reshape(rows, {shape[0], shape[1], count, width / count});
  if (!heads)
    return LogicalResult(node.setResult(0, heads));
  return build.transpose(heads, {0, 2, 1, 3});
}

Value ScaledAttention::together(Value heads) {
  if (!heads)
    return heads;
  Value moved = build.transpose(heads, {0, 2, 1, 3});
  ArrayRef<int64_t> shape = shapeOf(moved);
  return build.reshape(moved, {shape[0], shape[1], shape[2] * shape[3]});
}

FailureOr<Value> ScaledAttention::afterPast(unsigned operand, Value heads) {
  if (!node.has(operand))
    return heads;
  ArrayRef<int64_t> past = node.operand(operand).shape(),
                    shape = shapeOf(heads);
  for (int64_t dim : {0, 1, 3})
    if (past[dim] != shape[dim])
      return node.error() << "expected an extent of " << shape[dim]
                          << ", as what is new "
                          << "has, as dimension " << dim << " of operand #"
                          << operand << ", got "
                          << NodeImport::describe(node.operand(operand));
  return build.concat({node.operand(operand).value, heads}, 2);
}

LogicalResult ScaledAttention::checkHeads(Value query, Value key, Value value) {
  int64_t queries = shapeOf(query)[1], keys = shapeOf(key)[1];
  if (ShapedType::isDynamic(queries) || ShapedType::isDynamic(keys) ||
      keys < 1 || queries % keys != 0 || shapeOf(value)[1] != keys)
    return node.error() << "expected heads of queries that are a multiple of "
                        << "those of keys and values, got " << queries << ", "
                        << keys << " and " << shapeOf(value)[1];
  auto agree = [](int64_t a, int64_t b) {
    return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
  };
  if (shapeOf(query)[3] != shapeOf(key)[3] ||
      !agree(shapeOf(key)[2], shapeOf(value)[2]) ||
      !agree(shapeOf(query)[0], shapeOf(key)[0]) ||
      !agree(shapeOf(query)[0], shapeOf(value)[0]))
    return node.setResult(0, Value());
  perGroup = queries / keys;
  return success();
}

Value ScaledAttention::grouped(Value heads, int64_t size) {
  if (perGroup == 1)
    return heads;
  SmallVector<int64_t> shape(shapeOf(heads));
  shape[1] = shape[1] / size;
  shape.insert(shape.begin() + 2, size);
  return build.reshape(heads, shape);
}

Value ScaledAttention::ungrouped(Value heads) {
  if (perGroup == 1 || !heads)
    return heads;
  SmallVector<int64_t> shape(shapeOf(heads));
  shape[1] *= perGroup;
  shape.erase(shape.begin() + 2);
  return build.reshape(heads, shape);
}

FailureOr<Value> ScaledAttention::groupedMask(Value mask,
                                              const OnnxTensor &given) {
  SmallVector<int64_t> shape(shapeOf(mask));
  if (perGroup == 1 || shape.size() < 3)
    return mask;
  // The heads are the last dimension but two.
  std::size_t dim = shape.size() - 3;
  if (shape[dim] != 1 && shape[dim] % perGroup != 0)
    return node.error() << "expected a mask of one head or of as many as there "
                        << "are queries', got " << NodeImport::describe(given);
  int64_t size = shape[dim] == 1 ? 1 : perGroup;
  shape[dim] /= size;
  shape.insert(shape.begin() + static_cast<int64_t>(dim) + 1, size);
  return build.reshape(mask, shape);
}

Value ScaledAttention::scaled(Value tensor, double factor) {
  return build.map(tensor, type, [&](ScalarBuilder &s, ValueRange v) {
    return s.mul(v[0], s.constant(type, factor));
  });
}

double ScaledAttention::scaleOf(Value query) {
  auto width = static_cast<double>(shapeOf(query).back());
  double scale = node.real("scale", 0);
  return scale != 0 ? scale : 1 / std::sqrt(width);
}

Value ScaledAttention::scores(Value query, Value key, double scale) {
  double root = std::sqrt(scale);
  Value turned = build.transpose(scaled(key, root), {0, 1, 3, 2});
  return build.matmul(grouped(scaled(query, root), perGroup),
                      grouped(turned, 1));
}

Value ScaledAttention::softcapped(Value scores, double cap) {
  if (cap <= 0)
    return scores;
  return build.map(scores, type, [&](ScalarBuilder &s, ValueRange v) {
    Value bound = s.constant(type, cap);
    return s.mul(s.create<math::TanhOp>(s.div(v[0], bound)), bound);
  });
}

Value ScaledAttention::softmax(Value scores, OnnxElement wide) {
  OnnxElement own = node.operand(0).element;
  Value x = build.convert(scores, own, wide);
  Type element = elementType(wide, build.builder.getContext());
  int64_t last = static_cast<int64_t>(shapeOf(x).size()) - 1;
  Value grown =
      build.map({x, build.maximum(x, last)}, element,
                [&](ScalarBuilder &s, ValueRange v) {
                  Value seesNone =
                      s.compare(Comparison::Equal, v[1], s.lowest(element));
                  Value top = s.select(seesNone, s.constant(element, 0), v[1]);
                  return s.create<math::ExpOp>(s.sub(v[0], top));
                });
  Value weights = build.map(
      {grown, build.sum(grown, last)}, element,
      [&](ScalarBuilder &s, ValueRange v) {
        Value zero = s.constant(element, 0);
        Value isNone = s.compare(Comparison::Equal, v[1], zero);
        return s.div(v[0], s.select(isNone, s.constant(element, 1), v[1]));
      });
  return build.convert(weights, wide, own);
}

Value ScaledAttention::weighted(Value weights, Value value) {
  return ungrouped(build.matmul(weights, grouped(value, 1)));
}

} // namespace npu
