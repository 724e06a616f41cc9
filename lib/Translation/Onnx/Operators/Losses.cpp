// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses of classifications. The probability of the wanted class is picked by a
// sum over all classes, of which one counts, so that it can be computed in
// parts.

#include "../Graph/OperatorTable.h"
#include "Softmaxes.h"

using namespace mlir;

namespace npu {
namespace {

using Iterator = utils::IteratorType;

/// Scores N x C x ..., the wanted classes N x ..., and a weight for each class.
LogicalResult checkOperands(NodeImport &node) {
  const OnnxTensor &scores = node.operand(0), &classes = node.operand(1);
  SmallVector<int64_t> shape(scores.shape());
  bool agrees = scores.rank() >= 2 && scores.type().hasStaticShape() &&
                isFloat(scores.element) && !isFloat(classes.element);
  if (agrees) {
    shape.erase(shape.begin() + 1);
    agrees = classes.shape() == ArrayRef<int64_t>(shape);
  }
  if (!agrees)
    return node.error() << "expected scores and classes of static shapes that "
                        << "agree, got " << NodeImport::describe(scores)
                        << " and " << NodeImport::describe(classes);
  if (node.has(2) && (node.operand(2).shape() != scores.shape().slice(1, 1) ||
                      node.operand(2).elementType() != scores.elementType()))
    return node.error() << "expected " << scores.shape()[1] << " weights, got "
                        << NodeImport::describe(node.operand(2));
  return success();
}

/// The sum over all classes of `term`, of which the wanted one counts. The term
/// gets the class's score and its weight, or null where there are no weights.
Value pick(NodeImport &node, Value scores,
           llvm::function_ref<Value(ScalarBuilder &, Value, Value)> term) {
  TensorBuilder &build = node.build;
  const OnnxTensor &classes = node.operand(1);
  auto type = cast<RankedTensorType>(scores.getType());
  MLIRContext *context = build.builder.getContext();
  auto all = AffineMap::getMultiDimIdentityMap(type.getRank(), context);
  AffineMap without = all.dropResult(1);
  SmallVector<Iterator> loops(type.getRank(), Iterator::parallel);
  loops[1] = Iterator::reduction;
  SmallVector<Value> operands{scores, classes.value};
  SmallVector<AffineMap> maps{all, without};
  if (node.has(2)) {
    operands.push_back(node.operand(2).value);
    maps.push_back(AffineMap::get(type.getRank(), 0,
                                  {getAffineDimExpr(1, context)}, context));
  }
  maps.push_back(without);
  Value zero = build.filled(build.sizes(classes.value),
                            build.scalar(type.getElementType(), 0));
  auto ignored = node.hasAttribute("ignore_index")
                     ? std::optional(node.integer("ignore_index", 0))
                     : std::nullopt;
  return build.structured(
      operands, zero, maps, loops, [&](ScalarBuilder &s, ValueRange v) {
        Value at = s.fromIndex(s.create<linalg::IndexOp>(1), v[1].getType());
        Value isWanted =
            s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, at, v[1]);
        if (ignored) {
          Value counts =
              s.create<arith::CmpIOp>(arith::CmpIPredicate::ne, v[1],
                                      s.integer(v[1].getType(), *ignored));
          isWanted = s.create<arith::AndIOp>(isWanted, counts);
        }
        Value found = term(s, v[0], node.has(2) ? v[2] : Value());
        return s.add(v.back(), s.select(isWanted, found,
                                        s.constant(type.getElementType(), 0)));
      });
}

/// Sets result 0 from the logarithms of probabilities.
LogicalResult setLoss(NodeImport &node, Value logarithms) {
  TensorBuilder &build = node.build;
  std::string reduction = node.text("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return node.error() << "expected none, sum or mean as reduction, got '"
                        << reduction << "'";
  Value losses =
      pick(node, logarithms, [](ScalarBuilder &s, Value score, Value weight) {
        Value loss = s.neg(score);
        return weight ? s.mul(loss, weight) : loss;
      });
  if (reduction == "none")
    return node.setResult(0, losses);
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, node.operand(1).rank()));
  Value sum = build.reshape(build.sum(losses, dims), {});
  if (reduction == "sum")
    return node.setResult(0, sum);
  Type type = node.operand(0).elementType();
  Value weights =
      pick(node, logarithms, [&](ScalarBuilder &s, Value, Value weight) {
        return weight ? weight : s.constant(type, 1);
      });
  Value count = build.reshape(build.sum(weights, dims), {});
  return node.setResult(
      0, build.map({sum, count}, type, [](ScalarBuilder &s, ValueRange v) {
        return s.div(v[0], v[1]);
      }));
}

LogicalResult buildNegativeLogLikelihood(NodeImport &node) {
  if (failed(checkOperands(node)))
    return failure();
  return setLoss(node, node.operand(0).value);
}

LogicalResult buildSoftmaxCrossEntropy(NodeImport &node) {
  if (failed(checkOperands(node)))
    return failure();
  Value logarithms = logSoftmax(node.build, node.operand(0).value, 1);
  if (failed(setLoss(node, logarithms)))
    return failure();
  return node.setResult(1, logarithms);
}

} // namespace

void addLosses(OperatorTable &table) {
  table.add("NegativeLogLikelihoodLoss", 2, buildNegativeLogLikelihood);
  table.add("SoftmaxCrossEntropyLoss", 2, buildSoftmaxCrossEntropy);
}

} // namespace npu
