// What has no lowering is said of a line of the program, also where it stands in
// the region of a named operation, which the parser gives no location.
//
// RUN: not npu-opt %s --npu-to-buffers --npu-to-llvm 2>&1 | FileCheck %s
// RUN: npu-opt %s --npu-locate-bodies --mlir-print-debuginfo --mlir-print-local-scope --mlir-print-op-generic | FileCheck %s --check-prefix=BODY

// CHECK: to-llvm-located.mlir:[[@LINE+5]]:8: error: failed to legalize operation 'math.exp'
// BODY: "math.exp"({{.*}} loc({{.*}}to-llvm-located.mlir":[[@LINE+4]]:8)
// BODY: "linalg.yield"({{.*}} loc({{.*}}to-llvm-located.mlir":[[@LINE+3]]:8)
func.func @main(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  %e = tensor.empty() : tensor<4xf8E4M3FN>
  %y = linalg.exp ins(%x : tensor<4xf8E4M3FN>) outs(%e : tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  return %y : tensor<4xf8E4M3FN>
}
