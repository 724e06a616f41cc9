// An error is its line, the place and its notes: the operation is not printed with
// it, because that of an error about a function is the whole function. Upstream's
// flag prints it.
//
// RUN: not npu-opt %s --allow-unregistered-dialect --npu-to-buffers --npu-print-tile-program 2>&1 | FileCheck %s --check-prefix=UPSTREAM --implicit-check-not="see current operation"
// RUN: not npu-opt %examples/two-heads.mlir --npu-lower-to-tiles --npu-to-buffers=target=npu4000 --npu-print-tile-program 2>&1 | FileCheck %s --check-prefix=FUNCTION --implicit-check-not=linalg.batch_matmul
// RUN: not npu-opt %s --allow-unregistered-dialect --npu-to-llvm 2>&1 | FileCheck %s --check-prefix=UPSTREAM --implicit-check-not="see current operation"
// RUN: not npu-opt %s --allow-unregistered-dialect --npu-to-llvm --mlir-print-op-on-diagnostic 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: not npu-opt %s --allow-unregistered-dialect --npu-to-llvm --mlir-print-op-on-diagnostic=true 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: not npu-opt %s --allow-unregistered-dialect --npu-to-llvm --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=UPSTREAM --implicit-check-not="see current operation"

// FUNCTION: two-heads.mlir:12:3: error: 'func.func' op expected layouts or a tile program on tensors
// UPSTREAM: error: op was not bufferized
// ASKED: error:
// ASKED: note: see current operation
func.func @main(%x: tensor<4x1xf32>, %d: tensor<4xf32>, %i: tensor<4x1xindex>) -> tensor<4xf32> {
  %0 = "unknown.scatter"(%x, %d, %i) : (tensor<4x1xf32>, tensor<4xf32>, tensor<4x1xindex>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
