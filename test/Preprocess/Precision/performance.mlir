// policy=performance keeps a pattern in the type of its operands throughout,
// with a remark that says what this may cost.
// RUN: npu-opt %s --npu-set-precision=policy=performance --remarks-filter=npu --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: npu-opt %t.mlir --npu-set-precision -o %t.again.mlir && diff %t.mlir %t.again.mlir

// REMARK: precision | Category:npu | Function=main | Reason="storage f16, intermediate f16, by policy=performance, a softmax without its maximum, which may cost the result: sums of more than 2048 terms of one size stand still in f16, of more than 256 in bf16"

// The casts to f32 and back are gone from around it.
// CHECK-LABEL: func @main
// CHECK-NOT: f32
// CHECK: math.exp %{{.*}} : f16
// CHECK-NOT: f32
// CHECK: linalg.reduce { arith.addf } ins(%{{.*}} : tensor<8x16xf16>) outs(%{{.*}} : tensor<8xf16>)
// CHECK-NOT: f32
// CHECK: arith.divf %{{.*}} : f16
// CHECK-NOT: f32
// CHECK: return
#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<8x16xf16>) -> tensor<8x16xf16> {
  %n0 = arith.constant dense<0.0> : tensor<8xf32>
  %wide = tensor.empty() : tensor<8x16xf32>
  %short = tensor.empty() : tensor<8x16xf16>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf16>) outs(%wide : tensor<8x16xf32>) {
  ^bb0(%in: f16, %out: f32):
    %c = arith.extf %in : f16 to f32
    linalg.yield %c : f32
  } -> tensor<8x16xf32>
  %e = linalg.exp ins(%w : tensor<8x16xf32>) outs(%wide : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.reduce { arith.addf } ins(%e : tensor<8x16xf32>) outs(%n0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %s : tensor<8x16xf32>, tensor<8xf32>) outs(%wide : tensor<8x16xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %d = arith.divf %in, %sum : f32
    linalg.yield %d : f32
  } -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x16xf32>) outs(%short : tensor<8x16xf16>) {
  ^bb0(%in: f32, %out: f16):
    %c = arith.truncf %in : f32 to f16
    linalg.yield %c : f16
  } -> tensor<8x16xf16>
  return %r : tensor<8x16xf16>
}
