// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Defaults.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

struct AggregatedForm
    : StructuredFormOpInterface::FallbackModel<AggregatedForm> {
  bool hasStructuredForm(Operation *) const { return true; }
  bool keepsLayouts(Operation *) const { return false; }

  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    FailureOr<SmallVector<Value>> values =
        cast<linalg::AggregatedOpInterface>(op).decomposeOperation(rewriter);
    if (failed(values))
      return failure();
    rewriter.replaceOp(op, *values);
    return success();
  }
};

} // namespace

void attachStructuredFormDefault(RegisteredOperationName name) {
  if (name.hasInterface<linalg::AggregatedOpInterface>())
    name.attachInterface<AggregatedForm>();
}

} // namespace npu
