// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What padding does in operations of linalg, beside what their maps and bodies
// say.

#include "Linalg.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

/// Along padding it is two reductions, which have to skip it. Beside it, rows
/// of padding are computed as rows.
struct SoftmaxPadding
    : PaddingOpInterface::ExternalModel<SoftmaxPadding, linalg::SoftmaxOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    PaddingState state = transfer.of(softmax.getInput());
    if (isPadded(state) && state[softmax.getDimension()])
      transfer.decomposeFirst(op);
    for (auto &dim : state)
      if (dim)
        dim->content = {};
    transfer.setResult(op->getResult(0), std::move(state));
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    return cloneOnPadded(op, operands, &operands.of(op->getResult(0)));
  }
};

} // namespace

void registerLinalgPaddingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    linalg::SoftmaxOp::attachInterface<SoftmaxPadding>(*context);
  });
}

} // namespace npu
