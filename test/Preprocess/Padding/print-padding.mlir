// What the padding analysis knows of every value, as text and as JSON.
//
// RUN: npu-opt %s --npu-print-padding=max-prompt-len=16 -o /dev/null | FileCheck %s
// RUN: npu-opt %s --npu-print-padding="max-prompt-len=16 side=left format=json" -o /dev/null | FileCheck %s --check-prefix=JSON
// RUN: not npu-opt %s --npu-print-padding="max-prompt-len=16 format=xml" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not npu-opt %s --npu-print-padding 2>&1 | FileCheck %s --check-prefix=LENGTH
// FORMAT: error: {{.*}}format
// LENGTH: error: expected max-prompt-len of at least 1, got 0

// CHECK-LABEL: function @main
// CHECK-NEXT: %arg0: dim 0: L real of 16, padding after is anything
// CHECK-NEXT: %arg1: no padding
// CHECK-NEXT: %arg2: no padding
// CHECK-NEXT: %concat: dim 0: L + 4 real of 20, padding after is anything
// CHECK-NEXT: %{{.*}}: dim 0: L * 2 + 8 real of 40, padding after is anything
// CHECK-NEXT: %{{.*}}: no padding
// CHECK-NEXT: linalg.reduce at {{.*}}: loop 0 skips padding

// JSON: "name": "main"
// JSON: "name": "%concat"
// JSON: "dim": 0
// JSON-NEXT: "real": "L + 4"
// JSON-NEXT: "hole": "4"
// JSON-NEXT: "extent": 20
func.func @main(%x: tensor<?x2xf32>, %cache: tensor<4x2xf32>, %e: tensor<f32>) -> tensor<f32> {
  %all = tensor.concat dim(0) %cache, %x : (tensor<4x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %flat = tensor.collapse_shape %all [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%flat : tensor<?xf32>) outs(%e : tensor<f32>) dimensions = [0]
  return %sum : tensor<f32>
}

// What a pad adds beside the padding stands in it as well: the content is known
// where both are the same.
// CHECK-LABEL: function @beside
// CHECK: %{{.*}}: dim 0: L real of 16, padding after is 0.000000e+00 : f32
// CHECK: %padded: dim 0: L real of 16, padding after is anything
// CHECK: %padded_{{.*}}: dim 0: L real of 16, padding after is 0.000000e+00 : f32
func.func @beside(%x: tensor<?x2xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %ones = tensor.pad %f low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<?x2xf32> to tensor<?x3xf32>
  %zeros = tensor.pad %f low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x2xf32> to tensor<?x3xf32>
  return %ones, %zeros : tensor<?x3xf32>, tensor<?x3xf32>
}
