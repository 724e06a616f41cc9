// Operations get outputs of their own where they do not read what they are
// given: in a chain in which each writes over what the one before has made,
// one-shot bufferization compares all reads with all writes for each operand.
// After bufferization, the chain is in one buffer all the same.
//
// RUN: npu-opt %s --npu-structure-ops --split-input-file | FileCheck %s
// RUN: npu-opt %s --npu-to-buffers --split-input-file | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @chain
// CHECK: %[[E0:.*]] = tensor.empty() {npu.tile = 1 : i64} : tensor<4xf32>
// CHECK: %[[A:.*]] = linalg.generic {{.*}}ins(%arg0 {{.*}}outs(%[[E0]]
// CHECK: %[[E1:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[B:.*]] = linalg.generic {{.*}}ins(%[[A]], %arg0 {{.*}}outs(%[[E1]]
// CHECK: %[[E2:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: linalg.exp ins(%[[B]] {{.*}}outs(%[[E2]]
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.tanh %x {npu.tile = 1 : i64} : tensor<4xf32>
  %1 = arith.addf %0, %x : tensor<4xf32>
  %2 = linalg.exp ins(%1 : tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// The argument is not written, and %0 and %1 share a buffer.
// BUFFERS-LABEL: func.func @reused
// BUFFERS-COUNT-1: memref.alloc
// BUFFERS-NOT: memref.alloc
// BUFFERS: return
func.func @reused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.tanh %x : tensor<4xf32>
  %1 = arith.addf %0, %x : tensor<4xf32>
  %2 = arith.mulf %1, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Of dynamic extent.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK: linalg.generic {{.*}}outs(%[[E]]
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.tanh %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// What is read, and what a loop hands on in place, stays.
// CHECK-LABEL: func.func @kept
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] =
// CHECK: linalg.generic {{.*}}outs(%[[S]]
// CHECK: linalg.matmul {{.*}}outs(%arg1
func.func @kept(%x: tensor<4x4xf32>, %sum: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<4x4xf32> {
    %t = math.tanh %s : tensor<4x4xf32>
    scf.yield %t : tensor<4x4xf32>
  }
  %p = linalg.matmul ins(%r, %r : tensor<4x4xf32>, tensor<4x4xf32>) outs(%sum : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %p : tensor<4x4xf32>
}
