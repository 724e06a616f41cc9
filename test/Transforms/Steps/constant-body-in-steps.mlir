// An operation that yields one value everywhere, and has an input that it does not read: steps of its
// reader make it with the shape of their slices.
//
// RUN: npu-run %s --compile | FileCheck %s
// CHECK: {{^}}equal

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 512 : i64>>} {
func.func @main(%a: tensor<60x2xi32>, %b: tensor<60x2x20xi32>) -> tensor<60x2x20xi32> {
  %c7 = arith.constant 7 : i32
  %e0 = tensor.empty() : tensor<60x2xi32>
  %e = tensor.empty() : tensor<60x2x20xi32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>,affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel","parallel"]} ins(%a : tensor<60x2xi32>) outs(%e0 : tensor<60x2xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %c7 : i32
  } -> tensor<60x2xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1)>, affine_map<(d0,d1,d2) -> (d0,d1,d2)>], iterator_types = ["parallel","parallel","parallel"]} ins(%b, %z : tensor<60x2x20xi32>, tensor<60x2xi32>) outs(%e : tensor<60x2x20xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %q = arith.addi %x, %y : i32
    linalg.yield %q : i32
  } -> tensor<60x2x20xi32>
  return %s : tensor<60x2x20xi32>
}
}
