// 2.0015 xy is as hazardous as 2 xy and flagged, but it is no part of a square:
// distances=direct leaves the form as it is and changes no number of f32.
// RUN: npu-opt %s --npu-set-precision="policy=accuracy distances=direct" -o %t.mlir
// RUN: npu-run %t.mlir --reference=%s --inputs=normal | FileCheck %s
// CHECK: 16 elements, 0 different
#rows = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#left = affine_map<(i, j) -> (i)>
#above = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %bias: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %nx0 = arith.constant dense<0.0> : tensor<4xf32>
  %ny0 = arith.constant dense<0.0> : tensor<4xf32>
  %xy0 = arith.constant dense<0.0> : tensor<4x4xf32>
  %two = arith.constant 2.0015 : f32
  %eps = arith.constant 4.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %xx = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%nx0 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    %sum = arith.addf %out, %square : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %yy = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<4x8xf32>) outs(%ny0 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    %sum = arith.addf %out, %square : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %xy = linalg.matmul
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%xy0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %distances = linalg.generic {indexing_maps = [#left, #above, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%xx, %yy, %xy, %bias : tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %out: f32):
    %twice = arith.mulf %c, %two : f32
    %apart = arith.subf %a, %twice : f32
    %distance = arith.addf %apart, %b : f32
    linalg.yield %distance : f32
  } -> tensor<4x4xf32>
  return %distances : tensor<4x4xf32>
}
