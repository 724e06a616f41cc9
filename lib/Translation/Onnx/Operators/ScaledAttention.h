// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention: products of queries and keys, masked, through a softmax, times
// values. Heads that share keys and values are a dimension that these do not
// have, so that nothing is repeated in memory.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_SCALEDATTENTION_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_SCALEDATTENTION_H

#include "../Graph/NodeImport.h"

namespace npu {

llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// The steps that all operators of attention have in common. Queries, keys and
/// values have the dimensions batch, head, position and entry; scores have
/// batch, head, query and key, where heads that share keys are two dimensions:
/// groups, and heads of a group.
class ScaledAttention {
public:
  explicit ScaledAttention(NodeImport &node)
      : node(node), build(node.build), type(node.operand(0).elementType()) {}

protected:
  /// Rows of all heads' entries as heads. `what` names the number of heads in
  /// an error.
  mlir::FailureOr<mlir::Value> apart(mlir::Value rows, int64_t count,
                                     llvm::StringRef what);
  /// The other way around.
  mlir::Value together(mlir::Value heads);
  /// Operand `operand`, which has keys or values of an earlier run, and `heads`
  /// after it; `heads` where there is none.
  mlir::FailureOr<mlir::Value> afterPast(unsigned operand, mlir::Value heads);
  /// An error where heads cannot share keys and values, or where extents do not
  /// agree. Has to be called first.
  mlir::LogicalResult checkHeads(mlir::Value query, mlir::Value key,
                                 mlir::Value value);

  /// The heads as groups of `size`; without groups nothing changes.
  mlir::Value grouped(mlir::Value heads, int64_t size);
  mlir::Value ungrouped(mlir::Value heads);
  /// A mask of rank 4 or less, made of an operand, as it is broadcast to
  /// scores.
  mlir::FailureOr<mlir::Value> groupedMask(mlir::Value mask,
                                           const OnnxTensor &given);

  /// Products of queries and keys times `scale`, which both share.
  mlir::Value scores(mlir::Value query, mlir::Value key, double scale);
  /// 1 / sqrt(entries of a head), unless the node says another one above 0.
  double scaleOf(mlir::Value query);
  /// cap * tanh(scores / cap); the scores themselves where `cap` is 0.
  mlir::Value softcapped(mlir::Value scores, double cap);
  /// Over the last dimension, computed in elements `wide`. A query that sees no
  /// key has weights of 0.
  mlir::Value softmax(mlir::Value scores, OnnxElement wide);
  /// Sums of values by weights, as heads.
  mlir::Value weighted(mlir::Value weights, mlir::Value value);

  NodeImport &node;
  TensorBuilder &build;
  mlir::Type type;
  /// Heads that share keys and values.
  int64_t perGroup = 1;

private:
  mlir::Value scaled(mlir::Value tensor, double factor);
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_SCALEDATTENTION_H
