// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Linalg.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PartwiseOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

struct SoftmaxModel
    : PartwiseOpInterface::ExternalModel<SoftmaxModel, linalg::SoftmaxOp> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder || !softmax.hasPureTensorSemantics())
      return std::nullopt;
    // One loop more than dimensions: every output along the softmax dimension
    // reads all inputs along it.
    builder->loopOverResult();
    uint64_t dim = softmax.getDimension();
    unsigned rank = builder->resultExtents(0).size();
    unsigned along = builder->addLoop(builder->resultExtents(0)[dim],
                                      /*reduces=*/true);
    SmallVector<AffineExpr> positions;
    for (unsigned i = 0; i < rank; ++i)
      positions.push_back(builder->loop(i));
    builder->setUnread(1, positions);
    positions[dim] = builder->loop(along);
    builder->setOperand(0, positions);
    return builder->finish();
  }
};

} // namespace

void registerLinalgPartwiseModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    linalg::SoftmaxOp::attachInterface<SoftmaxModel>(*context);
  });
}

} // namespace npu
