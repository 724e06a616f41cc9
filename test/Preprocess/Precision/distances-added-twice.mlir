// The factor 2 may be an addition of the product to itself, or two subtractions.
// RUN: npu-opt %s --npu-set-precision="policy=accuracy distances=direct" | FileCheck %s
// RUN: sed 's/%%twice = .*/%once = arith.subf %a, %c : f16/; s/subf %a, %%twice/subf %once, %c/' %s > %t.mlir
// RUN: npu-opt %t.mlir --npu-set-precision="policy=accuracy distances=direct" | FileCheck %s
// CHECK: %[[APART:.*]] = arith.subf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: arith.mulf %[[APART]], %[[APART]] : f32
// Once is no distance.
// RUN: sed 's/addf %c, %c/addf %c, %d/' %s > %t.once.mlir
// RUN: npu-opt %t.once.mlir --npu-set-precision=policy=accuracy 2>&1 | FileCheck %s --check-prefix=ONCE
// ONCE: warning: policy=accuracy changes nothing
#rows = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#left = affine_map<(i, j) -> (i)>
#above = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<4x8xf16>, %y: tensor<4x8xf16>, %bias: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %nx0 = arith.constant dense<0.0> : tensor<4xf16>
  %ny0 = arith.constant dense<0.0> : tensor<4xf16>
  %xy0 = arith.constant dense<0.0> : tensor<4x4xf16>
  %two = arith.constant 2.0 : f16
  %eps = arith.constant 4.0 : f16
  %empty = tensor.empty() : tensor<4x4xf16>
  %xx = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf16>) outs(%nx0 : tensor<4xf16>) {
  ^bb0(%in: f16, %out: f16):
    %square = arith.mulf %in, %in : f16
    %sum = arith.addf %out, %square : f16
    linalg.yield %sum : f16
  } -> tensor<4xf16>
  %yy = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<4x8xf16>) outs(%ny0 : tensor<4xf16>) {
  ^bb0(%in: f16, %out: f16):
    %square = arith.mulf %in, %in : f16
    %sum = arith.addf %out, %square : f16
    linalg.yield %sum : f16
  } -> tensor<4xf16>
  %xy = linalg.matmul
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %y : tensor<4x8xf16>, tensor<4x8xf16>) outs(%xy0 : tensor<4x4xf16>) -> tensor<4x4xf16>
  %distances = linalg.generic {indexing_maps = [#left, #above, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%xx, %yy, %xy, %bias : tensor<4xf16>, tensor<4xf16>, tensor<4x4xf16>, tensor<4x4xf16>) outs(%empty : tensor<4x4xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %d: f16, %out: f16):
    %twice = arith.addf %c, %c : f16
    %apart = arith.subf %a, %twice : f16
    %distance = arith.addf %apart, %b : f16
    linalg.yield %distance : f16
  } -> tensor<4x4xf16>
  return %distances : tensor<4x4xf16>
}
