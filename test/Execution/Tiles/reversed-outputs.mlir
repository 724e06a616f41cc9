// Outputs that are written from the last entry to the first, and at the one
// index of a dimension of extent 1, into tensors that nobody has written.
//
// RUN: npu-run %s --compile=target=npu4000 --entry=reversed | FileCheck %s
// RUN: npu-run %s --compile=target=npu4000 --entry=both_and_one --tiles=parallel | FileCheck %s
// RUN: npu-run %s --compile="target=npu4000 strategy=rows" --entry=both_and_one | FileCheck %s
// CHECK: {{^}}equal

func.func @reversed(%x: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %e = tensor.empty() : tensor<16x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (15 - i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x4xf32>) outs(%e : tensor<16x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

func.func @both_and_one(%x: tensor<16x6xf32>) -> tensor<6x1x16xf32> {
  %e = tensor.empty() : tensor<6x1x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (5 - j, 0, 15 - i)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x6xf32>) outs(%e : tensor<6x1x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.mulf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<6x1x16xf32>
  return %y : tensor<6x1x16xf32>
}
