// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dropout, outside of training.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {
namespace {

/// Identity: numbers are only dropped while a network is trained.
LogicalResult buildDropout(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (node.has(2)) {
    FailureOr<SmallVector<int64_t>> isTraining =
        node.constantIntegers(2, "training_mode");
    if (failed(isTraining))
      return failure();
    bool drops = !isTraining->empty() && isTraining->front() != 0;
    if (drops && node.has(1)) {
      FailureOr<SmallVector<double>> ratio =
          node.constantNumbers(1, "the ratio");
      if (failed(ratio))
        return failure();
      drops = ratio->empty() || ratio->front() != 0;
    }
    if (drops)
      return node.error() << "out of scope: random numbers, which its "
                             "training_mode asks for";
  }
  if (failed(node.setResult(0, x.value)))
    return failure();
  if (!node.wants(1))
    return success();
  Type boolean = node.build.builder.getI1Type();
  Value yes = node.build.scalar(boolean, 1);
  return node.setResult(1, node.build.filled(node.build.sizes(x.value), yes),
                        OnnxElement::Bool);
}

} // namespace

void addDropout(OperatorTable &table) { table.add("Dropout", 1, buildDropout); }

} // namespace npu
