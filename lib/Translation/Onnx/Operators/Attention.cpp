// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention: products of queries and keys, masked, through a softmax, times
// values. Heads that share keys and values are a dimension that these do not
// have, so that nothing is repeated in memory.

#include "../Build/Positions.h"
#include "../Graph/OperatorTable.h"

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

class AttentionBuilder {
public:
  explicit AttentionBuilder(NodeImport &node)
      : node(node), build(node.build), type(node.operand(0).elementType()) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    auto query = heads(0, "q_num_heads"), key = heads(1, "kv_num_heads"),
         value = heads(2, "kv_num_heads");
    if (failed(query) || failed(key) || failed(value))
      return failure();
    key = afterPast(4, *key);
    value = afterPast(5, *value);
    if (failed(key) || failed(value) ||
        failed(checkHeads(*query, *key, *value)))
      return failure();
    if (failed(node.setResult(1, *key)) || failed(node.setResult(2, *value)))
      return failure();
    Value raw = scores(*query, *key);
    Value capped = softcapped(raw);
    FailureOr<Value> masked = this->masked(capped);
    if (failed(masked))
      return failure();
    Value weights = softmax(*masked);
    Value chosen[] = {raw, capped, *masked, weights};
    if (node.wants(3) &&
        failed(node.setResult(
            3, ungrouped(chosen[node.integer("qk_matmul_output_mode", 0)]))))
      return failure();
    Value result = ungrouped(build.matmul(weights, grouped(*value, 1)));
    if (result && node.operand(0).rank() == 3) {
      Value moved = build.transpose(result, {0, 2, 1, 3});
      ArrayRef<int64_t> shape = shapeOf(moved);
      result = build.reshape(moved, {shape[0], shape[1], shape[2] * shape[3]});
    }
    return node.setResult(0, result);
  }

private:
  LogicalResult check() {
    for (unsigned operand : {0U, 1U, 2U, 4U, 5U})
      if (node.has(operand) &&
          (!isFloat(node.operand(operand).element) ||
           node.operand(operand).elementType() != type ||
           ShapedType::isDynamic(node.operand(operand).shape().back())))
        return node.error() << "expected floats of one type with a static last "
                            << "extent as operand #" << operand << ", got "
                            << NodeImport::describe(node.operand(operand));
    for (unsigned operand : {4U, 5U})
      if (node.has(operand) && node.operand(operand).rank() != 4)
        return node.error()
               << "expected operand #" << operand << " of rank 4, got "
               << NodeImport::describe(node.operand(operand));
    if (node.has(4) != node.has(5))
      return node.error() << "expected past keys and past values, got one of "
                          << "them";
    if (double scale = node.real("scale", 1); !(scale > 0))
      return node.error() << "expected a scale above 0, got " << scale;
    int64_t mode = node.integer("qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3)
      return node.error() << "expected qk_matmul_output_mode of 0 .. 3, got "
                          << mode;
    int64_t precision = node.integer("softmax_precision", 0);
    auto element = onnxElement(precision);
    if (precision != 0 && (!element || !isFloat(*element)))
      return node.error() << "expected a type of floats as softmax_precision, "
                          << "got " << onnxElementName(precision);
    if (node.has(6) &&
        node.operand(6).shape() != node.operand(0).shape().take_front())
      return node.error() << "expected a length for each batch as operand #6, "
                          << "got " << NodeImport::describe(node.operand(6));
    return success();
  }

  /// An operand as batch, head, position and entry.
  FailureOr<Value> heads(unsigned operand, StringRef attribute) {
    const OnnxTensor &tensor = node.operand(operand);
    if (tensor.rank() == 4)
      return tensor.value;
    if (tensor.rank() != 3)
      return node.error() << "expected operand #" << operand
                          << " of rank 3 or 4, got "
                          << NodeImport::describe(tensor);
    int64_t count = node.integer(attribute, 0), width = tensor.shape()[2];
    if (count < 1 || width % count != 0)
      return node.error() << "expected " << attribute << " that " << width
                          << " numbers can be shared among, got " << count;
    Value apart =
        build.reshape(tensor.value, {tensor.shape()[0], tensor.shape()[1],
                                     count, width / count});
    if (!apart)
      return LogicalResult(node.setResult(0, apart));
    return build.transpose(apart, {0, 2, 1, 3});
  }

  /// Keys or values after those of an earlier run, where there are some.
  FailureOr<Value> afterPast(unsigned operand, Value heads) {
    if (!node.has(operand))
      return heads;
    ArrayRef<int64_t> past = node.operand(operand).shape(),
                      shape = shapeOf(heads);
    for (int64_t dim : {0, 1, 3})
      if (past[dim] != shape[dim])
        return node.error()
               << "expected an extent of " << shape[dim] << ", as what is new "
               << "has, as dimension " << dim << " of operand #" << operand
               << ", got " << NodeImport::describe(node.operand(operand));
    return build.concat({node.operand(operand).value, heads}, 2);
  }

  LogicalResult checkHeads(Value query, Value key, Value value) {
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

  /// The heads as groups of `size`; without groups nothing changes.
  Value grouped(Value heads, int64_t size) {
    if (perGroup == 1)
      return heads;
    SmallVector<int64_t> shape(shapeOf(heads));
    shape[1] = shape[1] / size;
    shape.insert(shape.begin() + 2, size);
    return build.reshape(heads, shape);
  }

  Value ungrouped(Value heads) {
    if (perGroup == 1 || !heads)
      return heads;
    SmallVector<int64_t> shape(shapeOf(heads));
    shape[1] *= perGroup;
    shape.erase(shape.begin() + 2);
    return build.reshape(heads, shape);
  }

  Value scaled(Value tensor, double factor) {
    return build.map(tensor, type, [&](ScalarBuilder &s, ValueRange v) {
      return s.mul(v[0], s.constant(type, factor));
    });
  }

  /// Products of queries and keys: the standard shares the scale between both.
  Value scores(Value query, Value key) {
    auto width = static_cast<double>(shapeOf(query).back());
    double root = std::sqrt(node.attribute("scale") ? node.real("scale", 0)
                                                    : 1 / std::sqrt(width));
    Value turned = build.transpose(scaled(key, root), {0, 1, 3, 2});
    return build.matmul(grouped(scaled(query, root), perGroup),
                        grouped(turned, 1));
  }

  Value softcapped(Value scores) {
    double cap = node.real("softcap", 0);
    if (cap <= 0)
      return scores;
    return build.map(scores, type, [&](ScalarBuilder &s, ValueRange v) {
      Value bound = s.constant(type, cap);
      return s.mul(s.create<math::TanhOp>(s.div(v[0], bound)), bound);
    });
  }

  /// The mask with as many positions as there are keys, and grouped heads.
  FailureOr<Value> mask(int64_t keys) {
    const OnnxTensor &given = node.operand(3);
    Value value = given.value;
    bool isBoolean = given.element == OnnxElement::Bool;
    if (!isBoolean && given.elementType() != type)
      return node.error() << "expected booleans or floats as the operands' as "
                          << "the mask, got " << NodeImport::describe(given);
    if (given.rank() < 1 || given.rank() > 4)
      return node.error() << "expected a mask of rank 4 or less, got "
                          << NodeImport::describe(given);
    // Keys after the mask's end are not seen.
    int64_t extent = given.shape().back();
    if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(keys) &&
        extent < keys && (extent != 1 || node.opset() >= 24)) {
      SmallVector<int64_t> low(given.rank(), 0), high(given.rank(), 0);
      high.back() = keys - extent;
      Value filler = ScalarBuilder(build.builder, build.loc, given.element)
                         .lowest(given.elementType());
      value = build.pad(value, low, high, filler);
    }
    if (perGroup == 1 || given.rank() < 3)
      return value;
    // The heads are the last dimension but two.
    SmallVector<int64_t> shape(shapeOf(value));
    std::size_t dim = shape.size() - 3;
    if (shape[dim] != 1 && shape[dim] % perGroup != 0)
      return node.error() << "expected a mask of one head or of as many as "
                          << "there are queries', got "
                          << NodeImport::describe(given);
    int64_t size = shape[dim] == 1 ? 1 : perGroup;
    shape[dim] /= size;
    shape.insert(shape.begin() + static_cast<int64_t>(dim) + 1, size);
    return build.reshape(value, shape);
  }

  /// The scores, and minus infinity where a query does not see a key.
  FailureOr<Value> masked(Value scores) {
    bool isCausal = node.integer("is_causal", 0) != 0;
    if (!node.has(3) && !isCausal && !node.has(6))
      return scores;
    SmallVector<Value> operands{scores};
    if (node.has(3)) {
      FailureOr<Value> own = mask(shapeOf(scores).back());
      if (failed(own))
        return failure();
      operands.push_back(*own);
    }
    SmallVector<int64_t> shape(shapeOf(scores));
    auto rank = static_cast<int64_t>(shape.size());
    Value query =
        node.has(6) && isCausal ? build.extent(scores, rank - 2) : Value();
    Value past;
    if (isCausal && node.has(4)) {
      Numbers numbers = build.numbersHere();
      past = numbers.valueOf(numbers.extentOf(node.operand(4).value, 2));
    }
    Value result =
        build.map(operands, type, [&](ScalarBuilder &s, ValueRange v) {
          Value score = v[0], none = s.lowest(type);
          if (v.size() > 1)
            score = v[1].getType().isInteger(1) ? s.select(v[1], score, none)
                                                : s.add(score, v[1]);
          Value key = s.create<linalg::IndexOp>(rank - 1);
          auto hide = [&](Value limit, arith::CmpIPredicate kind) {
            score = s.select(s.create<arith::CmpIOp>(kind, key, limit), score,
                             none);
          };
          Value valid;
          if (node.has(6)) {
            Value batch = s.create<linalg::IndexOp>(0);
            ScalarBuilder ofLengths(s.builder, s.loc, node.operand(6).element);
            valid = ofLengths.toIndex(
                TensorBuilder::read(s, node.operand(6).value, batch));
            hide(valid, arith::CmpIPredicate::slt);
          }
          if (isCausal) {
            Value at = s.create<linalg::IndexOp>(rank - 2);
            Value before = past;
            if (!before)
              before = node.has(6)
                           ? Value(s.create<arith::SubIOp>(valid, query))
                           : s.integer(s.builder.getIndexType(), 0);
            hide(s.create<arith::AddIOp>(at, before),
                 arith::CmpIPredicate::sle);
          }
          return score;
        });
    if (!result || shapeOf(result) != ArrayRef<int64_t>(shape))
      return LogicalResult(node.setResult(0, Value()));
    return result;
  }

  /// Over the last dimension. A query that sees no key has weights of 0.
  Value softmax(Value scores) {
    auto precision = onnxElement(node.integer("softmax_precision", 0));
    OnnxElement own = node.operand(0).element, wide = precision.value_or(own);
    Value x = build.convert(scores, own, wide);
    Type element = elementType(wide, build.builder.getContext());
    int64_t last = static_cast<int64_t>(shapeOf(x).size()) - 1;
    Value grown =
        build.map({x, build.maximum(x, last)}, element,
                  [&](ScalarBuilder &s, ValueRange v) {
                    Value seesNone =
                        s.compare(Comparison::Equal, v[1], s.lowest(element));
                    Value top =
                        s.select(seesNone, s.constant(element, 0), v[1]);
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

  NodeImport &node;
  TensorBuilder &build;
  Type type;
  int64_t perGroup = 1;
};

LogicalResult buildAttention(NodeImport &node) {
  return AttentionBuilder(node).run();
}

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

void addAttention(OperatorTable &table) {
  table.add("Attention", 3, buildAttention);
  table.add("RotaryEmbedding", 3, buildRotaryEmbedding);
}

} // namespace npu
