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
// CHECK: note: 'linalg.generic' cannot run in steps: expected an operation on tensors of static shape with one result; its loops: d0 of 256
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

// -----

// Every operation that is too large by itself is named, the largest first, with its loops and why
// steps cut none of them.
// CHECK: error: no assignment of layouts fits the scratchpads of d, 128 bytes each: 'linalg.softmax' takes at least 512 bytes of one
// CHECK: note: 'npu.scatter' takes at least
// CHECK: note: 'linalg.softmax' cannot run in steps: it has no body of scalars, as linalg.generic has, that steps could run fewer times; its loops: d0 of 4, d1 of 64, d2 of 64 (reduces)
// CHECK: note: 'npu.scatter' cannot run in steps: it has no body of scalars, as linalg.generic has, that steps could run fewer times; its loops: d0 of 100, d1 of 2 (reduces), d2 of 1 (reduces)
// CHECK: note: what would help: scratchpads of 512 bytes
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "d", "npu.like" = "npu4000", "npu.tiles" = 1, "npu.max_tiles" = 1, "npu.scratchpad_bytes" = 128>>} {
  func.func @whole(%x: tensor<4x64xf16>, %new: tensor<2xf16>, %to: tensor<100xf16>, %at: tensor<2x1xi32>) -> (tensor<4x64xf16>, tensor<100xf16>) {
    %e = tensor.empty() : tensor<4x64xf16>
    %s = linalg.softmax dimension(1) ins(%x : tensor<4x64xf16>) outs(%e : tensor<4x64xf16>) -> tensor<4x64xf16>
    %w = npu.scatter %new into %to at %at : tensor<2xf16>, tensor<100xf16>, tensor<2x1xi32> -> tensor<100xf16>
    return %s, %w : tensor<4x64xf16>, tensor<100xf16>
  }
}
