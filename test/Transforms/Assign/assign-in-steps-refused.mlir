// What does not even fit in steps is refused with the least that would do, and with the
// reason why it is not cut.

// RUN: not npu-opt %s --split-input-file --npu-assign-distributions -o /dev/null 2>&1 | FileCheck %s

// One entry of the result and one of each operand.
// CHECK: error: no assignment of layouts fits the scratchpads of d, 128 bytes each: 'linalg.matmul' takes at least 130 bytes of one (in steps of 1 of d0 and 1 of d1 and 1 of d2, one tile), whatever else is in use
// CHECK: note: what would help: scratchpads of 130 bytes
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "d", "npu.like" = "npu4000", "npu.tiles" = 1, "npu.max_tiles" = 1, "npu.scratchpad_bytes" = 128>>} {
  func.func @granule(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf16>) -> tensor<16x16xf16> {
    %m = linalg.matmul ins(%a, %b : tensor<16x32xf16>, tensor<32x16xf16>) outs(%c : tensor<16x16xf16>) -> tensor<16x16xf16>
    return %m : tensor<16x16xf16>
  }
}

// -----

// CHECK: error: no assignment of layouts fits the scratchpads of d, 128 bytes each: 'linalg.generic' takes at least
// CHECK: note: 'linalg.generic' cannot run in steps: expected an operation on tensors of static shape with one result
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "d", "npu.like" = "npu4000", "npu.tiles" = 1, "npu.max_tiles" = 1, "npu.scratchpad_bytes" = 128>>} {
  func.func @two(%a: tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
    %e = tensor.empty() : tensor<256xf32>
    %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : tensor<256xf32>) outs(%e, %e : tensor<256xf32>, tensor<256xf32>) {
    ^bb0(%v: f32, %o: f32, %p: f32):
      %s = arith.mulf %v, %v : f32
      %t = arith.addf %v, %v : f32
      linalg.yield %s, %t : f32, f32
    } -> (tensor<256xf32>, tensor<256xf32>)
    return %r#0, %r#1 : tensor<256xf32>, tensor<256xf32>
  }
}
