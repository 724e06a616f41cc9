// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of PaddingOpInterface for operations of linalg without LinalgOp.

#include "Linalg.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

/// The model of softmax. Along a padded dimension it consists of two
/// reductions, which have to skip padding. Along other dimensions, rows of
/// padding are computed like rows.
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
