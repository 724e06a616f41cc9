// TOSA's operations on dynamic shapes, as upstream lowers them, padded to 8 with
// poison: bit-equal at every length to the functions without padding.
//
// RUN: %tosa_to_linalg < %s > %t.mlir
// RUN: npu-opt %t.mlir --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %t.mlir --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %t.mlir --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %t.mlir --length=1..8 -O0 | FileCheck %s

// Attention to a cache and the prompt after it; both are returned, the next cache.
// CHECK: cached_attention: equal
func.func @cached_attention(%q: tensor<2x?x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<2x?x4xf32>,
    %kcache: tensor<2x3x4xf32>, %vcache: tensor<2x3x4xf32>) -> (tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x4xf32>) {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %ks = tosa.concat %kcache, %k {axis = 1 : i32} : (tensor<2x3x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %vs = tosa.concat %vcache, %v {axis = 1 : i32} : (tensor<2x3x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %kt = tosa.transpose %ks {perms = array<i32: 0, 2, 1>} : (tensor<2x?x4xf32>) -> tensor<2x4x?xf32>
  %scores = tosa.matmul %q, %kt, %zero, %zero : (tensor<2x?x4xf32>, tensor<2x4x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x?x?xf32>
  %most = tosa.reduce_max %scores {axis = 2 : i32} : (tensor<2x?x?xf32>) -> tensor<2x?x1xf32>
  %below = tosa.sub %scores, %most : (tensor<2x?x?xf32>, tensor<2x?x1xf32>) -> tensor<2x?x?xf32>
  %weights = tosa.exp %below : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %sum = tosa.reduce_sum %weights {axis = 2 : i32} : (tensor<2x?x?xf32>) -> tensor<2x?x1xf32>
  %over = tosa.reciprocal %sum : (tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
  %shares = tosa.mul %weights, %over, %shift : (tensor<2x?x?xf32>, tensor<2x?x1xf32>, tensor<1xi8>) -> tensor<2x?x?xf32>
  %out = tosa.matmul %shares, %vs, %zero, %zero : (tensor<2x?x?xf32>, tensor<2x?x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x?x4xf32>
  return %out, %ks, %vs : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x4xf32>
}

// In the middle of others, and added to itself.
// CHECK: between: equal
func.func @between(%x: tensor<?x2xf32>, %a: tensor<3x2xf32>, %b: tensor<1x2xf32>) -> tensor<?x2xf32> {
  %0 = tosa.concat %a, %x, %b {axis = 0 : i32} : (tensor<3x2xf32>, tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x2xf32>
  %1 = tosa.add %0, %0 : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}

// Heads shared by a group.
// CHECK: shared_heads: equal
func.func @shared_heads(%x: tensor<1x2x?x4xf32>, %w: tensor<4x4x3xf32>) -> tensor<4x?x3xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %apart = tosa.const_shape {values = dense<[2, 1, -1, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %times = tosa.const_shape {values = dense<[1, 2, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %heads = tosa.const_shape {values = dense<[4, -1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %0 = tosa.reshape %x, %apart : (tensor<1x2x?x4xf32>, !tosa.shape<4>) -> tensor<2x1x?x4xf32>
  %1 = tosa.tile %0, %times : (tensor<2x1x?x4xf32>, !tosa.shape<4>) -> tensor<2x2x?x4xf32>
  %2 = tosa.reshape %1, %heads : (tensor<2x2x?x4xf32>, !tosa.shape<3>) -> tensor<4x?x4xf32>
  %3 = tosa.matmul %2, %w, %zero, %zero : (tensor<4x?x4xf32>, tensor<4x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x?x3xf32>
  return %3 : tensor<4x?x3xf32>
}

// Both sides of a product by data, and what is largest.
// CHECK: pooled: equal
func.func @pooled(%x: tensor<1x?x4xf32>, %y: tensor<1x?x1xf32>) -> (tensor<1x1x4xf32>, tensor<1x4xi32>) {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %x, %y, %shift : (tensor<1x?x4xf32>, tensor<1x?x1xf32>, tensor<1xi8>) -> tensor<1x?x4xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<1x?x4xf32>) -> tensor<1x1x4xf32>
  %2 = tosa.argmax %0 {axis = 1 : i32} : (tensor<1x?x4xf32>) -> tensor<1x4xi32>
  return %1, %2 : tensor<1x1x4xf32>, tensor<1x4xi32>
}

// A causal convolution, and the other way round.
// CHECK: convolution: equal
func.func @convolution(%x: tensor<1x?x1x4xf32>, %w: tensor<4x3x1x4xf32>, %b: tensor<4xf32>) -> tensor<1x?x1x4xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 2, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x?x1x4xf32>, tensor<4x3x1x4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x1x4xf32>
  %1 = tosa.reverse %0 {axis = 1 : i32} : (tensor<1x?x1x4xf32>) -> tensor<1x?x1x4xf32>
  return %1 : tensor<1x?x1x4xf32>
}
