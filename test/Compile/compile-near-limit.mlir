// What an assignment accepts fits as buffers, for scratchpads of every size near
// the limit: programs that once were accepted and then too large, or refused
// although they fit.
//
// RUN: %python %S/Inputs/near_limit.py npu-opt %s 1024 40960 split-reductions in-steps=false | FileCheck %s
//
// The window of a pooling has a buffer on every tile, although nobody reads it.
// CHECK:      pooled: 25600
// Results are stored at once, and each product has zeros of its own to begin with.
// CHECK-NEXT: products: 20480
// A copy of what a view could have been made as takes memory.
// CHECK-NEXT: turned: 3072
// Partial results in a loop are there during all of it, and the tensor that the
// loop reads is not.
// CHECK-NEXT: around: 4096
// CHECK-NOT:  {{.}}

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 4, "npu.scratchpad_bytes" = 65536>>} {
func.func @pooled(%x: tensor<1x56x56x4xf32>) -> tensor<1x1x1x4xf32> {
  %z = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<56x56xf32>
  %e = tensor.empty() : tensor<1x1x1x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
  %p = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x56x56x4xf32>, tensor<56x56xf32>) outs(%f : tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
  return %p : tensor<1x1x1x4xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 4, "npu.scratchpad_bytes" = 65536>>} {
func.func @products(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = linalg.matmul ins(%x, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%x, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p, %q, %r : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 4, "npu.scratchpad_bytes" = 65536>>} {
func.func @turned(%x: tensor<16x28xf32>, %w: tensor<16x24xf32>) -> tensor<28x24xf32> {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<16x28xf32>
  %s = linalg.exp ins(%x : tensor<16x28xf32>) outs(%xe : tensor<16x28xf32>) -> tensor<16x28xf32>
  %te = tensor.empty() : tensor<28x16xf32>
  %t = linalg.transpose ins(%s : tensor<16x28xf32>) outs(%te : tensor<28x16xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<28x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<28x24xf32>) -> tensor<28x24xf32>
  %p = linalg.matmul ins(%t, %w : tensor<28x16xf32>, tensor<16x24xf32>) outs(%f : tensor<28x24xf32>) -> tensor<28x24xf32>
  return %p : tensor<28x24xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 4, "npu.scratchpad_bytes" = 65536,
    "npu.like" = "npu4000", "npu.vector_overhead" = 1, "npu.tile_to_tile_latency" = 1>>} {
func.func @around(%x: tensor<28x20x2xi32>) -> tensor<28x20x2xi32> {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %se = tensor.empty() : tensor<2xi32>
  %e = tensor.empty() : tensor<28x20x2xi32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> (tensor<28x20x2xi32>) {
    %f = linalg.fill ins(%zero : i32) outs(%se : tensor<2xi32>) -> tensor<2xi32>
    %sum = linalg.reduce { arith.addi } ins(%y : tensor<28x20x2xi32>) outs(%f : tensor<2xi32>) dimensions = [0, 1]
    %more = linalg.reduce { arith.maxsi } ins(%y : tensor<28x20x2xi32>) outs(%sum : tensor<2xi32>) dimensions = [0, 1]
    %b = linalg.broadcast ins(%more : tensor<2xi32>) outs(%e : tensor<28x20x2xi32>) dimensions = [0, 1]
    %d = linalg.sub ins(%y, %b : tensor<28x20x2xi32>, tensor<28x20x2xi32>) outs(%e : tensor<28x20x2xi32>) -> tensor<28x20x2xi32>
    scf.yield %d : tensor<28x20x2xi32>
  }
  return %r : tensor<28x20x2xi32>
}
}
