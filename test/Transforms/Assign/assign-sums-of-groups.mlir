// Sums keep their order where groups cannot be cut from each other, since the five zero points of a
// row end inside of a byte: the loop over the entries of a group is then not cut either.

// RUN: npu-opt %s --npu-compile="compile-to=assigned strategy=rows" | FileCheck %s
// RUN: npu-run %s --compile=strategy=rows -O0 | FileCheck %s --check-prefix=RESULT

// CHECK: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-SAME: npu.steps = {{.*}}loops = array<i64: 1>
// RESULT: equal

#groups = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#group = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu3720", "npu.scratchpad_bytes" = 512 : i64>>} {
func.func @main(%integers: tensor<33x5x8xi4>, %zeros: tensor<33x5xi4>, %scales: tensor<33x5xf32>,
                %left: tensor<2x40xf32>) -> tensor<2x33xf32> {
  %empty = tensor.empty() : tensor<33x5x8xf32>
  %wide = linalg.generic {indexing_maps = [#groups, #group, #group, #groups], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%integers, %scales, %zeros : tensor<33x5x8xi4>, tensor<33x5xf32>, tensor<33x5xi4>) outs(%empty : tensor<33x5x8xf32>) {
  ^bb0(%integer: i4, %scale: f32, %zero: i4, %out: f32):
    %q = arith.uitofp %integer : i4 to f32
    %z = arith.uitofp %zero : i4 to f32
    %n = arith.subf %q, %z : f32
    %m = arith.mulf %n, %scale : f32
    linalg.yield %m : f32
  } -> tensor<33x5x8xf32>
  %right = tensor.collapse_shape %wide [[0], [1, 2]] : tensor<33x5x8xf32> into tensor<33x40xf32>
  %nothing = arith.constant 0.0 : f32
  %result = tensor.empty() : tensor<2x33xf32>
  %init = linalg.fill ins(%nothing : f32) outs(%result : tensor<2x33xf32>) -> tensor<2x33xf32>
  %product = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
                             iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%left, %right : tensor<2x40xf32>, tensor<33x40xf32>) outs(%init : tensor<2x33xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x33xf32>
  return %product : tensor<2x33xf32>
}
}
