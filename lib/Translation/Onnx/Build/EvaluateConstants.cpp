// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a structured operation's body point by point, on attributes.

#include "EvaluateConstants.h"

#include "TensorBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

/// The values of a body at one point, and what operands and results hold.
class Evaluation {
public:
  explicit Evaluation(linalg::LinalgOp op) : op(op) {}

  DenseElementsAttr run() {
    if (op.getNumDpsInits() != 1 || op.hasDynamicShape())
      return {};
    SmallVector<int64_t, 4> loops = op.getStaticLoopRanges();
    std::optional<int64_t> points = elementCount(loops);
    if (!points || *points > kMostEvaluatedPoints || !readOperands())
      return {};
    bool known = true;
    forEachPosition(loops, [&](ArrayRef<int64_t> point) {
      known = known && runPoint(point);
    });
    auto type = cast<ShapedType>(op->getResult(0).getType());
    if (!known || llvm::is_contained(results, Attribute()))
      return {};
    return DenseElementsAttr::get(type, results);
  }

private:
  /// Whether every operand that is read is a dense constant.
  bool readOperands() {
    for (OpOperand &operand : op->getOpOperands()) {
      DenseElementsAttr dense;
      auto elements = TensorBuilder::constantOf(operand.get());
      dense = dyn_cast_or_null<DenseElementsAttr>(elements);
      bool isRead = !op.getMatchingBlockArgument(&operand).use_empty();
      if (!dense && isRead && op.isDpsInput(&operand))
        return false;
      operands.push_back(dense);
    }
    Value init = op.getDpsInits()[0];
    int64_t count = cast<ShapedType>(init.getType()).getNumElements();
    if (count > kMostEvaluatedPoints)
      return false;
    results.assign(count, Attribute());
    if (DenseElementsAttr dense = operands.back()) {
      llvm::copy(dense.getValues<Attribute>(), results.begin());
    } else if (auto fill = init.getDefiningOp<linalg::LinalgOp>()) {
      // A fill is the only structured operation that inits come from here: its
      // one operand is a scalar.
      Attribute scalar;
      if (fill.getNumDpsInputs() == 1 &&
          matchPattern(fill.getDpsInputs()[0], m_Constant(&scalar)) &&
          !isa<ShapedType>(fill.getDpsInputs()[0].getType()))
        results.assign(count, scalar);
    }
    return true;
  }

  bool runPoint(ArrayRef<int64_t> point) {
    values.clear();
    MLIRContext *context = op->getContext();
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (argument.use_empty())
        continue;
      int64_t at = offset(operand, point);
      if (!op.isDpsInput(&operand)) {
        if (!results[at])
          return false;
        values[argument] = results[at];
      } else {
        values[argument] =
            operands[operand.getOperandNumber()].getValues<Attribute>()[at];
      }
    }
    for (Operation &inner : *op.getBlock()) {
      if (inner.hasTrait<OpTrait::IsTerminator>()) {
        OpOperand &init = *op.getDpsInitOperand(0);
        Attribute result = lookUp(inner.getOperand(0));
        results[offset(init, point)] = result;
        return result != nullptr;
      }
      if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
        values[index] =
            IntegerAttr::get(IndexType::get(context), point[index.getDim()]);
        continue;
      }
      if (!foldOne(inner))
        return false;
    }
    return false;
  }

  bool foldOne(Operation &inner) {
    if (inner.getNumResults() != 1 || inner.getNumRegions() != 0)
      return false;
    SmallVector<Attribute> operandValues;
    for (Value operand : inner.getOperands()) {
      operandValues.push_back(lookUp(operand));
      if (!operandValues.back())
        return false;
    }
    // Folds may change an operation in place, which here is its only copy.
    Operation *copy = inner.clone();
    SmallVector<OpFoldResult> folded;
    bool known = succeeded(copy->fold(operandValues, folded));
    Attribute result;
    if (known && folded.size() == 1) {
      if (auto attribute = dyn_cast<Attribute>(folded[0]))
        result = attribute;
      else if (auto value = cast<Value>(folded[0]); value != copy->getResult(0))
        result = lookUp(value);
    }
    copy->destroy();
    values[inner.getResult(0)] = result;
    return result != nullptr;
  }

  Attribute lookUp(Value value) {
    if (auto found = values.find(value); found != values.end())
      return found->second;
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constant;
    return {};
  }

  /// The number of the element that an operand has at a point.
  int64_t offset(OpOperand &operand, ArrayRef<int64_t> point) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      return 0;
    SmallVector<int64_t> position =
        op.getMatchingIndexingMap(&operand).compose(point);
    return linearIndex(position, type.getShape());
  }

  linalg::LinalgOp op;
  SmallVector<DenseElementsAttr> operands;
  SmallVector<Attribute> results;
  DenseMap<Value, Attribute> values;
};

} // namespace

DenseElementsAttr evaluateConstant(linalg::LinalgOp op) {
  return Evaluation(op).run();
}

} // namespace npu
