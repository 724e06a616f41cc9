// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The standard's Attention.

#include "../Build/Positions.h"
#include "../Graph/OperatorTable.h"
#include "ScaledAttention.h"

using namespace mlir;

namespace npu {
namespace {

class AttentionBuilder : ScaledAttention {
public:
  using ScaledAttention::ScaledAttention;

  LogicalResult run() {
    if (failed(check()))
      return failure();
    FailureOr<Value> query, key, value;
    if (failed(query = heads(0, "q_num_heads")) ||
        failed(key = heads(1, "kv_num_heads")) ||
        failed(value = heads(2, "kv_num_heads")))
      return failure();
    key = afterPast(4, *key);
    value = afterPast(5, *value);
    if (failed(key) || failed(value) ||
        failed(checkHeads(*query, *key, *value)))
      return failure();
    if (failed(node.setResult(1, *key)) || failed(node.setResult(2, *value)))
      return failure();
    Value raw = scores(*query, *key, scaleOf(*query));
    Value capped = softcapped(raw, node.real("softcap", 0));
    FailureOr<Value> masked = this->masked(capped);
    if (failed(masked))
      return failure();
    auto precision = onnxElement(node.integer("softmax_precision", 0));
    Value weights =
        softmax(*masked, precision.value_or(node.operand(0).element));
    Value chosen[] = {raw, capped, *masked, weights};
    if (node.wants(3) &&
        failed(node.setResult(
            3, ungrouped(chosen[node.integer("qk_matmul_output_mode", 0)]))))
      return failure();
    Value result = weighted(weights, *value);
    if (node.operand(0).rank() == 3)
      result = together(result);
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
    return apart(tensor.value, node.integer(attribute, 0), attribute);
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
    return groupedMask(value, given);
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
};

LogicalResult buildAttention(NodeImport &node) {
  return AttentionBuilder(node).run();
}

} // namespace

void addAttention(OperatorTable &table) {
  table.add("Attention", 3, buildAttention);
}

} // namespace npu
