// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Linalg.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace npu {
namespace {

struct PackForm
    : StructuredFormOpInterface::ExternalModel<PackForm, linalg::PackOp> {
  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    return LogicalResult(linalg::lowerPack(rewriter, cast<linalg::PackOp>(op)));
  }
};

struct UnPackForm
    : StructuredFormOpInterface::ExternalModel<UnPackForm, linalg::UnPackOp> {
  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    return LogicalResult(
        linalg::lowerUnPack(rewriter, cast<linalg::UnPackOp>(op)));
  }
};

} // namespace

void registerLinalgStructuredForms(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    linalg::PackOp::attachInterface<PackForm>(*context);
    linalg::UnPackOp::attachInterface<UnPackForm>(*context);
  });
}

} // namespace npu
