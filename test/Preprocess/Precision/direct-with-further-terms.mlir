// The direct form replaces a sum of three terms. Where the sum has a fourth one,
// which would be lost, the norms stay.
//
// RUN: npu-opt %s --npu-set-precision="policy=accuracy distances=direct" | FileCheck %s
// RUN: npu-opt %s --npu-set-precision="policy=accuracy distances=direct" | npu-run - --reference=%s --inputs=integers | FileCheck %s --check-prefix=SAME

// CHECK: linalg.matmul
// SAME: 0 different

#rows = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#left = affine_map<(i, j) -> (i)>
#above = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<4x8xf16>, %y: tensor<4x8xf16>) -> tensor<4x4xf16> {
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
  %distances = linalg.generic {indexing_maps = [#left, #above, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%xx, %yy, %xy : tensor<4xf16>, tensor<4xf16>, tensor<4x4xf16>) outs(%empty : tensor<4x4xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
    %twice = arith.mulf %two, %c : f16
    %apart = arith.subf %a, %twice : f16
    %distance = arith.addf %apart, %b : f16
    %r = arith.addf %distance, %eps : f16
    linalg.yield %r : f16
  } -> tensor<4x4xf16>
  return %distances : tensor<4x4xf16>
}
