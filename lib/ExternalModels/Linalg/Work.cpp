// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Linalg.h"
#include "npu/Interfaces/WorkOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

/// One kernel. Its access has a loop more than it runs: it reads whole rows, and
/// computes as many entries as it reads.
struct SoftmaxWork
    : WorkOpInterface::ExternalModel<SoftmaxWork, linalg::SoftmaxOp> {
  VectorBody getVectorBody(Operation *) const {
    return {.softmax = 1};
  }

  std::optional<unsigned> getElementOperand(Operation *) const { return 0; }
};

} // namespace

void registerLinalgWorkModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    linalg::SoftmaxOp::attachInterface<SoftmaxWork>(*context);
  });
}

} // namespace npu
