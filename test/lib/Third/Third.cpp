// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Third.h"

#include "npu/Interfaces/CausalOpInterface.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Interfaces/PartwiseOpInterface.h"

using namespace mlir;

#include "ThirdDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ThirdOps.cpp.inc"

namespace third {

void ThirdDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ThirdOps.cpp.inc"
      >();
  declarePromisedInterfaces<npu::PartwiseOpInterface, ReverseOp, MinMaxOp,
                            TakeOp>();
  declarePromisedInterfaces<npu::CausalOpInterface, ReverseOp>();
  declarePromisedInterfaces<npu::PaddingOpInterface, ReverseOp, BlurOp,
                            MinMaxOp, TakeOp>();
}

void registerModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ThirdDialect *) {
    attachReverse(*context);
    attachBlur(*context);
    attachMinMax(*context);
    attachTake(*context);
    attachHalfTaught(*context);
    attachCrash(*context);
  });
}

} // namespace third
