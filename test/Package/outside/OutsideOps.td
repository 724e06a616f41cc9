// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "mlir/IR/OpBase.td"
include "npu/Interfaces/PartwiseOpInterface.td"

def Outside_Dialect : Dialect {
  let name = "outside";
  let cppNamespace = "::outside";
}

def Outside_Op : Op<Outside_Dialect, "op", [NPU_PartwiseOpInterface]> {
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
}
