// What an assignment accepts fits as buffers, and what fits is accepted, where
// capacity rows count otherwise: they count a form for as long as a reader may
// need it, and do not know what lowering adds.
//
// RUN: %python %S/Inputs/near_limit.py npu-opt %s 128 3072 in-steps=false | FileCheck %s
//
// An elementwise operation writes over what it reads.
// CHECK:      overwritten: 256
// What is read late as a view is held until then, beside one other tensor.
// CHECK-NEXT: viewed: 512
// What a softmax keeps of a whole result is a view of all of it.
// CHECK-NEXT: kept: 2048
// A call needs room for the buffers of the function that it calls.
// CHECK-NEXT: squared: 2560
// A weight that the first and the last operation read is loaded twice.
// CHECK-NEXT: reloaded: 2048
// Of an operand that nobody reads the shape is held.
// CHECK-NEXT: shaped: 640
// CHECK-NOT:  {{.}}

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 4, "npu.scratchpad_bytes" = 65536>>} {
func.func @overwritten(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = linalg.exp ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 4, "npu.scratchpad_bytes" = 65536>>} {
func.func @viewed(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x4x4xf32>) {
  %e = tensor.empty() : tensor<16x16xf32>
  %a = linalg.exp ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.exp ins(%y : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = tensor.expand_shape %a [[0], [1, 2]] output_shape [16, 4, 4] : tensor<16x16xf32> into tensor<16x4x4xf32>
  return %b, %r : tensor<16x16xf32>, tensor<16x4x4xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 2, "npu.scratchpad_bytes" = 65536>>} {
func.func @kept(%x: tensor<12x16xf32>, %w: tensor<16x16xf32>) -> tensor<12x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<12x16xf32>) -> tensor<12x16xf32>
  %s = linalg.softmax dimension(0) ins(%x : tensor<12x16xf32>) outs(%e : tensor<12x16xf32>) -> tensor<12x16xf32>
  %m = linalg.matmul ins(%x, %w : tensor<12x16xf32>, tensor<16x16xf32>) outs(%f : tensor<12x16xf32>) -> tensor<12x16xf32>
  %r = linalg.add ins(%m, %s : tensor<12x16xf32>, tensor<12x16xf32>) outs(%e : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %r : tensor<12x16xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 2, "npu.scratchpad_bytes" = 65536>>} {
func.func private @squared(%x: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {no_inline} {
  %e = tensor.empty() : tensor<16x16xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.matmul ins(%x, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %b : tensor<16x16xf32>
}
func.func @called(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %a = linalg.exp ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = func.call @squared(%a) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = linalg.add ins(%a, %c : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 2, "npu.scratchpad_bytes" = 65536>>} {
func.func @reloaded(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %a = linalg.matmul ins(%x, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.matmul ins(%a, %v : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.matmul ins(%b, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 1, "npu.scratchpad_bytes" = 65536>>} {
func.func @shaped(%x: tensor<1x7xf64>, %y: tensor<1x8xf64>) -> tensor<8x7xf64> {
  %e = tensor.empty() : tensor<8x7xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 8, j)>, affine_map<(i, j) -> (i floordiv 8, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<1x7xf64>, tensor<1x8xf64>) outs(%e : tensor<8x7xf64>) {
  ^bb0(%a: f64, %b: f64, %old: f64):
    linalg.yield %a : f64
  } -> tensor<8x7xf64>
  return %r : tensor<8x7xf64>
}
}
