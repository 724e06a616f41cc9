// Encodings of other dialects are not layouts: tensors that have them are not
// distributed, and every pass leaves them as they are.
//
// RUN: npu-opt %s --npu-verify-distributions=strict --npu-legalize-distributions --npu-raise-permute-casts --npu-print-distributions -o - | FileCheck %s

// CHECK: %arg0 : tensor<4x8xf32, "columns first">
// CHECK-NEXT: %arg1 : tensor<8x4xf32, 7 : i64>
// CHECK-LABEL: func.func @main
// CHECK: linalg.transpose
func.func @main(%x: tensor<4x8xf32, "columns first">, %e: tensor<8x4xf32, 7 : i64>) -> tensor<8x4xf32, 7 : i64> {
  %0 = linalg.transpose ins(%x : tensor<4x8xf32, "columns first">) outs(%e : tensor<8x4xf32, 7 : i64>) permutation = [1, 0]
  return %0 : tensor<8x4xf32, 7 : i64>
}
