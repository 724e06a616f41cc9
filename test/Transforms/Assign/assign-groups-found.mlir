// Functions that came out wrong, or were refused after the assignment.
//
// RUN: npu-run %s --entry=shared --compile="byte-price=1000000" | FileCheck %s
// RUN: npu-run %s --entry=destination --compile="byte-price=1000000" | FileCheck %s
// CHECK: {{^}}equal

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "tiny", "npu.like" = "npu4000", "npu.tiles" = 2, "npu.scratchpad_bytes" = 1856>>} {

// Two products read one tensor: the first is made in the steps of a reader that
// comes after the second one.
func.func @shared(%x: tensor<24x16xf32>, %a: tensor<16x20xf32>, %b: tensor<16x20xf32>) -> (tensor<24x20xf32>, tensor<24x20xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x20xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<24x20xf32>) -> tensor<24x20xf32>
  %m = linalg.matmul ins(%x, %a : tensor<24x16xf32>, tensor<16x20xf32>) outs(%f : tensor<24x20xf32>) -> tensor<24x20xf32>
  %n = linalg.matmul ins(%x, %b : tensor<24x16xf32>, tensor<16x20xf32>) outs(%f : tensor<24x20xf32>) -> tensor<24x20xf32>
  %r = linalg.exp ins(%m : tensor<24x20xf32>) outs(%e : tensor<24x20xf32>) -> tensor<24x20xf32>
  return %n, %r : tensor<24x20xf32>, tensor<24x20xf32>
}

// The tensor that is read is also the destination, which nobody reads.
func.func @destination(%x: tensor<40x24xf32>) -> tensor<40x24xf32> {
  %e = tensor.empty() : tensor<40x24xf32>
  %v = linalg.exp ins(%x : tensor<40x24xf32>) outs(%e : tensor<40x24xf32>) -> tensor<40x24xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v, %x : tensor<40x24xf32>, tensor<40x24xf32>) outs(%v : tensor<40x24xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %y = arith.addf %i, %j : f32
    linalg.yield %y : f32
  } -> tensor<40x24xf32>
  %r = linalg.exp ins(%m : tensor<40x24xf32>) outs(%e : tensor<40x24xf32>) -> tensor<40x24xf32>
  return %r : tensor<40x24xf32>
}
}
