// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Models.h"
#include "npu/Interfaces/ScalarOpInterface.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;

namespace npu {
namespace {

struct ApplyFacts
    : ScalarOpInterface::ExternalModel<ApplyFacts, affine::AffineApplyOp> {
  AffineExpr getIndexExpr(Operation *op, ArrayRef<AffineExpr> operands) const {
    if (llvm::is_contained(operands, AffineExpr()))
      return {};
    AffineMap map = cast<affine::AffineApplyOp>(op).getAffineMap();
    return map.getResult(0).replaceDimsAndSymbols(
        operands.take_front(map.getNumDims()),
        operands.drop_front(map.getNumDims()));
  }
};

} // namespace

void registerAffineModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, affine::AffineDialect *) {
    affine::AffineApplyOp::attachInterface<ApplyFacts>(*context);
  });
}

} // namespace npu
