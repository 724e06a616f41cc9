// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX Runtime's operators of attention: GroupQueryAttention, which decoders
// are written with, and MultiHeadAttention.

#include "../Build/Positions.h"
#include "../Graph/OperatorTable.h"
#include "RotaryEmbedding.h"
#include "ScaledAttention.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// An error for an operand, a result or an attribute that is understood but not
/// built.
LogicalResult refuse(NodeImport &node, const llvm::Twine &what) {
  return node.error() << what.str() << " is not supported";
}

LogicalResult refuseOperands(NodeImport &node,
                             ArrayRef<std::pair<unsigned, StringRef>> names) {
  for (auto [operand, name] : names)
    if (node.has(operand))
      return refuse(node,
                    "operand #" + llvm::Twine(operand) + ", " + name + ",");
  return success();
}

/// What GroupQueryAttention and MultiHeadAttention have in common.
class MicrosoftAttention : protected ScaledAttention {
protected:
  using ScaledAttention::ScaledAttention;

  /// An error unless operands that are there are of floats as operand 0's, with
  /// a static last extent and that rank.
  LogicalResult checkFloats(ArrayRef<unsigned> operands, int64_t rank) {
    for (unsigned operand : operands) {
      if (!node.has(operand))
        continue;
      const OnnxTensor &tensor = node.operand(operand);
      if (!isFloat(tensor.element) || tensor.elementType() != type ||
          tensor.rank() != rank || ShapedType::isDynamic(tensor.shape().back()))
        return node.error()
               << "expected floats of one type, rank " << rank
               << " and a static last extent as operand #" << operand
               << ", got " << NodeImport::describe(tensor);
    }
    return success();
  }

  LogicalResult checkScale() {
    if (double scale = node.real("scale", 0); scale < 0)
      return node.error() << "expected a scale above 0, got " << scale;
    return success();
  }

  /// An additive mask, operand `operand`, as it is broadcast to scores of that
  /// many keys; null where there is none.
  FailureOr<Value> attentionBias(unsigned operand, int64_t keys) {
    if (!node.has(operand))
      return Value();
    if (failed(checkRank(operand, 4)))
      return failure();
    const OnnxTensor &bias = node.operand(operand);
    int64_t own = bias.shape().back();
    if (bias.elementType() != type ||
        (own != keys && !ShapedType::isDynamic(own) &&
         !ShapedType::isDynamic(keys)))
      return node.error() << "expected floats as the operands' for " << keys
                          << " keys as operand #" << operand << ", got "
                          << NodeImport::describe(bias);
    return groupedMask(bias.value, bias);
  }

  LogicalResult checkRank(unsigned operand, int64_t rank) {
    if (node.operand(operand).rank() == rank)
      return success();
    return node.error() << "expected rank " << rank << " of operand #"
                        << operand << ", got "
                        << NodeImport::describe(node.operand(operand));
  }

  /// Scores with masks; null where a mask has more entries than the scores.
  static Value likeScores(Value scores, Value masked) {
    return masked && shapeOf(masked) == shapeOf(scores) ? masked : Value();
  }

  /// Weights of keys, and the sums of values as rows. Weights are computed in
  /// f32 at least, as in ONNX Runtime.
  LogicalResult setWeighted(Value masked, Value value) {
    OnnxElement own = node.operand(0).element;
    OnnxElement wide = own == OnnxElement::Double ? own : OnnxElement::Float;
    return node.setResult(0, together(weighted(softmax(masked, wide), value)));
  }
};

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

class GroupQueryAttention : MicrosoftAttention {
public:
  using MicrosoftAttention::MicrosoftAttention;

  LogicalResult run() {
    if (failed(refuseUnsupported()) || failed(checkFloats({0, 1, 2}, 3)) ||
        failed(checkFloats({3, 4}, 4)) || failed(checkScale()) ||
        failed(splitHeads()) || failed(findBegin()))
      return failure();
    if (node.integer("do_rotary", 0) != 0 && failed(rotate()))
      return failure();
    FailureOr<Value> keys = continued(3, key), values = continued(4, value);
    if (failed(keys) || failed(values) ||
        failed(checkHeads(query, *keys, *values)))
      return failure();
    if (failed(node.setResult(1, *keys)) || failed(node.setResult(2, *values)))
      return failure();
    Value capped = softcapped(scores(query, *keys, scaleOf(query)),
                              node.real("softcap", 0));
    FailureOr<Value> bias = attentionBias(10, shapeOf(*keys)[2]);
    if (failed(bias))
      return failure();
    Value visible = masked(capped, *bias);
    if (!visible)
      return node.setResult(0, visible);
    return setWeighted(visible, *values);
  }

private:
  LogicalResult refuseUnsupported() {
    for (StringRef name :
         {"sliding_window_cache", "kv_cache_bit_width", "qk_output"})
      if (int64_t number = node.integer(name, 0))
        return refuse(node, name + " of " + llvm::Twine(number));
    if (node.integer("smooth_softmax", 0) == 1)
      return refuse(node, "smooth_softmax");
    for (StringRef name : {"k_quant_type", "v_quant_type"})
      if (std::string kind = node.text(name, "NONE"); kind != "NONE")
        return refuse(node, name + " of '" + kind + "'");
    if (node.wants(3))
      return refuse(node, "result #3, output_qk,");
    int64_t causal = node.integer("causal", 1),
            window = node.integer("local_window_size", -1);
    if (window != -1 && (window < 1 || causal == 0))
      return node.error() << "expected a local_window_size of -1, or of 1 or "
                          << "more where causal is 1, got " << window;
    if (node.has(1) != node.has(2) || node.has(3) != node.has(4) ||
        node.has(7) != node.has(8))
      return node.error()
             << "expected both keys and values, both past keys and "
             << "past values, both cosines and sines, or none";
    return refuseOperands(node, {{11, "head_sink"},
                                 {12, "k_scale"},
                                 {13, "v_scale"},
                                 {14, "q_norm_weight"},
                                 {15, "k_norm_weight"}});
  }

  /// Queries, keys and values by head; those of one operand are one after the
  /// other.
  LogicalResult splitHeads() {
    int64_t queries = node.integer("num_heads", 0),
            keys = node.integer("kv_num_heads", 0);
    if (queries < 1 || keys < 1 || queries > kMostElements ||
        keys > kMostElements)
      return node.error() << "expected num_heads and kv_num_heads of at least "
                          << "1, got " << queries << " and " << keys;
    Value rows[3] = {node.operand(0).value, {}, {}};
    if (node.has(1)) {
      rows[1] = node.operand(1).value;
      rows[2] = node.operand(2).value;
    } else {
      int64_t width = node.operand(0).shape()[2], all = queries + 2 * keys;
      if (width % all != 0)
        return node.error()
               << "expected queries, keys and values of " << all
               << " heads that " << width << " numbers can be shared among";
      int64_t entries = width / all, at = 0;
      Value packed = rows[0];
      for (auto [part, heads] : llvm::zip_equal(
               MutableArrayRef<Value>(rows), ArrayRef{queries, keys, keys})) {
        part = build.sliceDim(packed, 2, at, heads * entries);
        at += heads * entries;
      }
    }
    for (auto [number, part] : llvm::enumerate(rows)) {
      FailureOr<Value> heads = number == 0 ? apart(part, queries, "num_heads")
                                           : apart(part, keys, "kv_num_heads");
      if (failed(heads))
        return failure();
      part = *heads;
    }
    std::tie(query, key, value) = std::tuple(rows[0], rows[1], rows[2]);
    if (shapeOf(query)[2] != shapeOf(key)[2] ||
        shapeOf(value)[2] != shapeOf(key)[2])
      return node.setResult(0, Value());
    return success();
  }

  /// Where new keys are put: after those of the past, which are all valid if
  /// what is total is the past and what is new; else into a buffer, which has
  /// as many entries before and after, and whose valid ones `seqlens_k` counts.
  LogicalResult findBegin() {
    Numbers numbers = build.numbersHere();
    const OnnxTensor &lengths = node.operand(5), &whole = node.operand(6);
    int64_t batches = shapeOf(query)[0];
    if (lengths.element != OnnxElement::Int32 ||
        whole.element != OnnxElement::Int32 || ShapedType::isDynamic(batches) ||
        elementCount(lengths.shape()) != batches ||
        elementCount(whole.shape()) != 1)
      return node.error() << "expected an int32 for each batch and one for all "
                          << "as operands #5 and #6, got "
                          << NodeImport::describe(lengths) << " and "
                          << NodeImport::describe(whole);
    auto known = node.knownIntegers(6);
    Number total = known ? known->front() : Number(),
           length = numbers.extentOf(query, 2);
    bool isPrompt = total && numbers.areEqual(total, length);
    begin = numbers.constant(0);
    if (!node.has(3)) {
      if (total && !isPrompt)
        return node.error()
               << "expected a total_sequence_length of what is new "
               << "without a past";
      return success();
    }
    const OnnxTensor &past = node.operand(3);
    Number before = numbers.extentOf(past.value, 2);
    if (total && numbers.areEqual(total, numbers.add(before, length))) {
      begin = before;
      return assertLengths(total);
    }
    int64_t capacity = past.shape()[2];
    auto all = total ? getConstantIntValue(total) : std::nullopt,
         fresh = getConstantIntValue(length);
    if (ShapedType::isDynamic(capacity) || !fresh || *fresh > capacity ||
        (all && *all > capacity) || (total && !all && !isPrompt))
      return node.error()
             << "expected a total_sequence_length that is known to be the past "
             << "and what is new, or at most the extent of a static past, got "
             << NodeImport::describe(past);
    isBuffer = true;
    if (isPrompt)
      return success();
    // Lengths of run time may not lead out of the buffer.
    Type number = build.builder.getI32Type();
    TensorBuilder typed(build.builder, node.loc, OnnxElement::Int32);
    begins = typed.map(build.reshape(lengths.value, {batches}), number,
                       [&](ScalarBuilder &s, ValueRange v) {
                         Value at = s.sub(v[0], s.integer(number, *fresh - 1));
                         return s.max(
                             s.min(at, s.integer(number, capacity - *fresh)),
                             s.integer(number, 0));
                       });
    return success();
  }

  /// Takes for granted that all entries are valid: `seqlens_k` is one less.
  LogicalResult assertLengths(Number total) {
    Numbers numbers = build.numbersHere();
    Number last = numbers.sub(total, numbers.constant(1));
    int64_t batches = shapeOf(query)[0];
    auto known = node.knownIntegers(5);
    ScalarBuilder s(build.builder, node.loc, OnnxElement::Int32);
    Value lengths = build.reshape(node.operand(5).value, {batches});
    for (int64_t batch = 0; batch < batches; ++batch) {
      Number own = known ? (*known)[batch] : Number();
      if (own && last && numbers.areEqual(own, last))
        continue;
      if (own && getConstantIntValue(own) && getConstantIntValue(last))
        return node.error()
               << "expected seqlens_k of " << *getConstantIntValue(last)
               << ", got " << *getConstantIntValue(own);
      Value length =
          s.toIndex(TensorBuilder::read(s, lengths, indexConstant(s, batch)));
      cf::AssertOp::create(
          build.builder, node.loc,
          s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, length,
                                  numbers.valueOf(last)),
          "expected seqlens_k to be the entries of the past and what is new, "
          "less one");
    }
    return success();
  }

  /// Turns queries and keys by their positions.
  LogicalResult rotate() {
    int64_t width = shapeOf(query).back();
    Rotation rotation;
    rotation.isInterleaved = node.integer("rotary_interleaved", 0) != 0;
    if (!node.has(7))
      return node.error() << "expected cosines and sines, operands #7 and #8, "
                          << "with do_rotary";
    if (failed(checkFloats({7, 8}, 2)))
      return failure();
    rotation.entries = 2 * node.operand(7).shape()[1];
    if (node.operand(7).shape() != node.operand(8).shape() ||
        rotation.entries < 2 || rotation.entries > width)
      return node.error() << "expected cosines and sines of at most "
                          << width / 2 << " angles, got "
                          << NodeImport::describe(node.operand(7)) << " and "
                          << NodeImport::describe(node.operand(8));
    if (node.has(9) &&
        node.operand(9).shape() !=
            ArrayRef<int64_t>{shapeOf(query)[0], shapeOf(query)[2]})
      return node.error() << "expected a position for each new entry as "
                          << "operand #9, got "
                          << NodeImport::describe(node.operand(9));
    rotation.cosines = angles(7);
    rotation.sines = angles(8);
    if (!rotation.cosines || !rotation.sines)
      return node.error() << "expected cosines and sines of all positions, got "
                          << NodeImport::describe(node.operand(7));
    query = rotated(build, query, 1, rotation);
    key = rotated(build, key, 1, rotation);
    return query && key ? success() : node.setResult(0, Value());
  }

  Value angles(unsigned operand) {
    const OnnxTensor &table = node.operand(operand);
    if (node.has(9))
      return anglesAt(build, table, node.operand(9));
    Number length = build.sizes(query)[2];
    if (!begins)
      return anglesFrom(build, table.value, begin, length);
    TensorBuilder typed(build.builder, node.loc, OnnxElement::Int32);
    Type number = build.builder.getI32Type();
    Value positions =
        typed.generateWith(begins, 0, {build.sizes(query)[0], length}, number,
                           [&](ScalarBuilder &s, ValueRange at, Value first) {
                             return s.add(first, s.fromIndex(at[1], number));
                           });
    return anglesAt(build, table, {positions, OnnxElement::Int32});
  }

  /// Keys or values of the past, operand `operand`, and those that are new.
  FailureOr<Value> continued(unsigned operand, Value fresh) {
    if (!isBuffer)
      return afterPast(operand, fresh);
    Value buffer = node.operand(operand).value;
    ArrayRef<int64_t> shape = shapeOf(buffer);
    TensorBuilder::Sizes sizes = build.sizes(fresh);
    for (int64_t dim : {0, 1, 3})
      if (shape[dim] != shapeOf(fresh)[dim])
        return node.error() << "expected a past like what is new, got "
                            << NodeImport::describe(node.operand(operand));
    if (shape[2] != node.operand(3).shape()[2])
      return LogicalResult(node.setResult(0, Value()));
    Numbers numbers = build.numbersHere();
    int64_t batches = begins ? shape[0] : 1;
    ScalarBuilder s(build.builder, node.loc, OnnxElement::Int32);
    for (int64_t batch = 0; batch < batches; ++batch) {
      TensorBuilder::Sizes offsets(4, numbers.constant(0)),
          steps(4, numbers.constant(1)), own = sizes;
      Value part = fresh;
      if (batches > 1) {
        part = build.sliceDim(fresh, 0, batch, 1);
        own[0] = numbers.constant(1);
        offsets[0] = numbers.constant(batch);
      }
      if (begins)
        offsets[2] =
            s.toIndex(TensorBuilder::read(s, begins, indexConstant(s, batch)));
      buffer = tensor::InsertSliceOp::create(build.builder, node.loc, part,
                                             buffer, offsets, own, steps);
    }
    return buffer;
  }

  /// The scores plus the mask, and minus infinity where a query does not see a
  /// key: a later one, or one before its window.
  Value masked(Value scores, Value bias) {
    bool isCausal = node.integer("causal", 1) != 0;
    int64_t window = node.integer("local_window_size", -1);
    auto rank = static_cast<int64_t>(shapeOf(scores).size());
    SmallVector<Value> operands{scores};
    if (bias)
      operands.push_back(bias);
    if (begins) {
      SmallVector<int64_t> shape(rank, 1);
      shape[0] = shapeOf(scores)[0];
      operands.push_back(build.reshape(begins, shape));
    }
    Numbers numbers = build.numbersHere();
    Value first = begins ? Value() : numbers.valueOf(begin);
    Value length = numbers.valueOf(numbers.extentOf(query, 2));
    auto seen = [&](ScalarBuilder &s, ValueRange v) {
      Value score = bias ? s.add(v[0], v[1]) : v[0];
      Value none = s.lowest(type);
      ScalarBuilder ofPositions(s.builder, s.loc, OnnxElement::Int32);
      Value from = begins ? ofPositions.toIndex(v.back()) : first;
      Value key = s.create<linalg::IndexOp>(rank - 1);
      auto see = [&](arith::CmpIPredicate kind, Value bound) {
        score =
            s.select(s.create<arith::CmpIOp>(kind, key, bound), score, none);
      };
      if (!isCausal) {
        see(arith::CmpIPredicate::slt, s.add(from, length));
        return score;
      }
      Value own = s.add(s.create<linalg::IndexOp>(rank - 2), from);
      see(arith::CmpIPredicate::sle, own);
      if (window != -1)
        see(arith::CmpIPredicate::sgt,
            s.sub(own, s.integer(own.getType(), window)));
      return score;
    };
    return likeScores(scores, build.map(operands, type, seen));
  }

  Value query, key, value;
  /// The position of the first new entry, where all batches have one that
  /// follows from shapes; else an int32 for each batch.
  Number begin;
  Value begins;
  /// Whether the past has room for what is new.
  bool isBuffer = false;
};

LogicalResult buildGroupQueryAttention(NodeImport &node) {
  return GroupQueryAttention(node).run();
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention
//===----------------------------------------------------------------------===//

class MultiHeadAttention : MicrosoftAttention {
public:
  using MicrosoftAttention::MicrosoftAttention;

  LogicalResult run() {
    if (failed(check()))
      return failure();
    int64_t count = node.integer("num_heads", 0);
    FailureOr<Value> query, key, value;
    if (failed(query = heads(0, count)) || failed(key = heads(1, count)) ||
        failed(value = heads(2, count)))
      return failure();
    Value fresh = *key;
    key = afterPast(6, *key);
    value = afterPast(7, *value);
    if (failed(key) || failed(value) ||
        failed(checkHeads(*query, *key, *value)))
      return failure();
    if (failed(node.setResult(1, *key)) || failed(node.setResult(2, *value)))
      return failure();
    Value all = scores(*query, *key, scaleOf(*query));
    FailureOr<Value> bias = attentionBias(5, shapeOf(*key)[2]);
    FailureOr<Value> padding = paddingMask(*query, *key);
    if (failed(bias) || failed(padding))
      return failure();
    for (Value mask : {*padding, *bias})
      if (mask && all)
        all = likeScores(all, build.map({all, mask}, type,
                                        [](ScalarBuilder &s, ValueRange v) {
                                          return s.add(v[0], v[1]);
                                        }));
    if (all && node.integer("unidirectional", 0) != 0) {
      if (shapeOf(*query)[2] != shapeOf(fresh)[2])
        return node.error() << "expected as many new keys as queries with "
                            << "unidirectional";
      all = withoutLater(all, fresh, *key);
    }
    if (!all)
      return node.setResult(0, all);
    return setWeighted(all, *value);
  }

private:
  LogicalResult check() {
    if (node.wants(3))
      return refuse(node, "result #3, qk,");
    if (failed(refuseOperands(
            node, {{8, "past_sequence_length"}, {9, "cache_indirection"}})))
      return failure();
    if (!node.has(1))
      return refuse(node, "one operand of queries, keys and values");
    if (!node.has(2))
      return refuse(node, "one operand of keys and values");
    if (node.has(6) != node.has(7))
      return node.error() << "expected past keys and past values, got one of "
                          << "them";
    if (failed(checkFloats({0}, 3)) || failed(checkFloats({6, 7}, 4)) ||
        failed(checkFloats({1, 2}, node.operand(1).rank() == 4 ? 4 : 3)))
      return failure();
    return checkScale();
  }

  /// An operand by head, with its part of operand 3 added to each row.
  FailureOr<Value> heads(unsigned operand, int64_t count) {
    const OnnxTensor &tensor = node.operand(operand);
    if (tensor.rank() == 4) {
      if (node.has(3))
        return LogicalResult(refuse(node, "operand #3, bias, of keys by head"));
      return tensor.value;
    }
    Value rows = tensor.value;
    if (node.has(3)) {
      int64_t begin = 0, all = 0;
      for (unsigned each : {0U, 1U, 2U}) {
        begin += each < operand ? node.operand(each).shape().back() : 0;
        all += node.operand(each).shape().back();
      }
      const OnnxTensor &bias = node.operand(3);
      if (bias.shape() != ArrayRef<int64_t>{all} || bias.elementType() != type)
        return node.error() << "expected " << all << " numbers as operand #3, "
                            << "got " << NodeImport::describe(bias);
      Value own = build.sliceDim(bias.value, 0, begin, tensor.shape().back());
      rows = build.map({rows, own}, type, [](ScalarBuilder &s, ValueRange v) {
        return s.add(v[0], v[1]);
      });
    }
    return apart(rows, count, "num_heads");
  }

  /// Operand 4 as what is added to scores: mask_filter_value for keys that are
  /// padding. Null where there is none.
  FailureOr<Value> paddingMask(Value query, Value key) {
    if (!node.has(4))
      return Value();
    const OnnxTensor &mask = node.operand(4);
    int64_t batch = shapeOf(query)[0], queries = shapeOf(query)[2],
            keys = shapeOf(key)[2];
    SmallVector<int64_t> shape(mask.shape());
    bool isOfLengths = shape == ArrayRef<int64_t>{batch};
    bool isOfKeys = shape == ArrayRef<int64_t>{batch, keys};
    bool isOfPairs = shape == ArrayRef<int64_t>{batch, queries, keys};
    if (mask.element != OnnxElement::Int32 ||
        (!isOfLengths && !isOfKeys && !isOfPairs))
      return node.error() << "expected an int32 for each batch, for each of "
                             "its keys, or for "
                          << "each of its queries and keys as operand #4, got "
                          << NodeImport::describe(mask);
    double filter = node.real("mask_filter_value", -10000.0);
    // Batch, head, query and key.
    if (isOfLengths)
      shape = {batch, 1, 1, 1};
    else if (isOfKeys)
      shape = {batch, 1, 1, keys};
    else
      shape = {batch, 1, queries, keys};
    TensorBuilder typed(build.builder, node.loc, mask.element);
    Value numbers = typed.reshape(mask.value, shape);
    if (!numbers)
      return LogicalResult(node.setResult(0, numbers));
    auto filtered = [&](ScalarBuilder &s, Value isSeen) {
      return s.select(isSeen, s.constant(type, 0), s.constant(type, filter));
    };
    if (!isOfLengths)
      return typed.map(numbers, type, [&](ScalarBuilder &s, ValueRange v) {
        Value zero = s.integer(v[0].getType(), 0);
        return filtered(s, s.compare(Comparison::Greater, v[0], zero));
      });
    TensorBuilder::Sizes sizes = build.sizes(numbers);
    sizes[3] = build.sizes(key)[2];
    Value lengths = typed.reshape(mask.value, {batch});
    return typed.generateWith(
        lengths, 0, sizes, type,
        [&](ScalarBuilder &s, ValueRange at, Value length) {
          Value own = s.fromIndex(at[3], length.getType());
          return filtered(s, s.compare(Comparison::Less, own, length));
        });
  }

  /// The scores, and minus infinity where a key is later than its query.
  Value withoutLater(Value scores, Value fresh, Value key) {
    Numbers numbers = build.numbersHere();
    Value past = numbers.valueOf(
        numbers.sub(numbers.extentOf(key, 2), numbers.extentOf(fresh, 2)));
    return build.map(scores, type, [&](ScalarBuilder &s, ValueRange v) {
      Value own = s.add(s.create<linalg::IndexOp>(2), past);
      Value isSeen = s.create<arith::CmpIOp>(arith::CmpIPredicate::sle,
                                             s.create<linalg::IndexOp>(3), own);
      return s.select(isSeen, v[0], s.lowest(type));
    });
  }
};

LogicalResult buildMultiHeadAttention(NodeImport &node) {
  return MultiHeadAttention(node).run();
}

} // namespace

void addMicrosoftAttention(OperatorTable &table) {
  table.addMicrosoft("GroupQueryAttention", 1, buildGroupQueryAttention);
  table.addMicrosoft("MultiHeadAttention", 1, buildMultiHeadAttention);
}

} // namespace npu
