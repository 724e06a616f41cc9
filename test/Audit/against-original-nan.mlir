// Two functions whose results are NaN agree in nothing: a comparison with the original
// says so and fails, as one without --audit does.
//
// RUN: split-file %s %t
// RUN: not npu-run %t/sum.mlir --audit --reference=%t/product.mlir | FileCheck %s
// RUN: not npu-run %t/sum.mlir --audit --reference=%t/product.mlir --format=json | FileCheck %s --check-prefix=JSON
//
// CHECK: against the original:
// CHECK-NEXT: result #0 is not comparable: more than half of it is NaN or infinite on both sides
// CHECK: verdict: NOT_AUDITED: result #0 cannot be held against the original's: more than half of it is NaN or infinite on both sides
// JSON: "equal": false,
// JSON: "not_comparable_results": [0],
// JSON: "class": "NOT_AUDITED"

//--- product.mlir
func.func @main(%a: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %z = arith.constant dense<0.0> : tensor<4x4xf16>
  %0 = arith.divf %z, %z : tensor<4x4xf16>
  %1 = arith.mulf %0, %a : tensor<4x4xf16>
  return %1 : tensor<4x4xf16>
}

//--- sum.mlir
func.func @main(%a: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %z = arith.constant dense<0.0> : tensor<4x4xf16>
  %0 = arith.divf %z, %z : tensor<4x4xf16>
  %1 = arith.addf %a, %0 : tensor<4x4xf16>
  return %1 : tensor<4x4xf16>
}
