// Sums keep their order where rows of 23 integers of 4 bits share bytes, so that groups are cut in
// pairs: the loop over the entries of a group, which comes after that of the groups, is then not cut.

// RUN: npu-opt %s --npu-compile="compile-to=assigned strategy=greedy" | FileCheck %s
// RUN: npu-run %s --compile=strategy=greedy -O0 | FileCheck %s --check-prefix=RESULT

// CHECK: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-SAME: npu.steps = {{.*}}loops = array<i64: 0, 2>, sizes = array<i64: 1, 2>
// RESULT: equal

#groups = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#group = affine_map<(d0, d1, d2) -> (d0, d2)>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu3720", "npu.scratchpad_bytes" = 600 : i64>>} {
func.func @main(%integers: tensor<4x6x23xi4>, %zeros: tensor<4x23xi4>, %scales: tensor<4x23xf32>,
                %left: tensor<5x24xf32>) -> tensor<5x23xf32> {
  %empty = tensor.empty() : tensor<4x6x23xf32>
  %wide = linalg.generic {indexing_maps = [#groups, #group, #group, #groups], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%integers, %scales, %zeros : tensor<4x6x23xi4>, tensor<4x23xf32>, tensor<4x23xi4>) outs(%empty : tensor<4x6x23xf32>) {
  ^bb0(%integer: i4, %scale: f32, %zero: i4, %out: f32):
    %q = arith.uitofp %integer : i4 to f32
    %z = arith.uitofp %zero : i4 to f32
    %n = arith.subf %q, %z : f32
    %m = arith.mulf %n, %scale : f32
    linalg.yield %m : f32
  } -> tensor<4x6x23xf32>
  %right = tensor.collapse_shape %wide [[0, 1], [2]] : tensor<4x6x23xf32> into tensor<24x23xf32>
  %nothing = arith.constant 0.0 : f32
  %result = tensor.empty() : tensor<5x23xf32>
  %init = linalg.fill ins(%nothing : f32) outs(%result : tensor<5x23xf32>) -> tensor<5x23xf32>
  %product = linalg.matmul ins(%left, %right : tensor<5x24xf32>, tensor<24x23xf32>) outs(%init : tensor<5x23xf32>) -> tensor<5x23xf32>
  return %product : tensor<5x23xf32>
}
}
