// This dialect's operations under upstream's canonicalizer and cse: what folds is
// right by its boxes, and what was right stays right.
//
// RUN: npu-opt %s --npu-raise-permute-casts --canonicalize --cse --npu-verify-distributions=strict | FileCheck %s

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#rows_overlapped = #npu.layout<OVERLAPPED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#columns_transposed = #npu.layout<SEGMENTED, tiles = [1, 2], order = [1, 0]>

// CHECK-LABEL: func.func @there_and_back
// CHECK-NEXT: return %arg0
func.func @there_and_back(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows> {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<8x4xf16, #rows> to tensor<4x8xf16, #columns_transposed>
  %1 = npu.permute_cast %0 mem_perm = [0, 1] : tensor<4x8xf16, #columns_transposed> to tensor<8x4xf16, #rows>
  return %1 : tensor<8x4xf16, #rows>
}

// Two transposes that upstream would fold over the label between them are casts
// here, of which the label remains.
// CHECK-LABEL: func.func @transposes
// CHECK-NEXT: %[[LABEL:.+]] = npu.distribution_cast %arg0 : tensor<8x4xf16, #{{.+}}> to tensor<8x4xf16, #overlapped>
// CHECK-NEXT: return %[[LABEL]]
func.func @transposes(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows_overlapped> {
  %e = tensor.empty() : tensor<4x8xf16, #columns_transposed>
  %0 = linalg.transpose ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<4x8xf16, #columns_transposed>) permutation = [1, 0]
  %f = tensor.empty() : tensor<8x4xf16, #rows_overlapped>
  %1 = linalg.transpose ins(%0 : tensor<4x8xf16, #columns_transposed>) outs(%f : tensor<8x4xf16, #rows_overlapped>) permutation = [1, 0]
  return %1 : tensor<8x4xf16, #rows_overlapped>
}

// The same data moved twice for the same is moved once; a dead move is no move.
// CHECK-LABEL: func.func @twice
// CHECK-NEXT: %[[MOVED:.+]] = npu.redistribute %arg0
// CHECK-NEXT: return %[[MOVED]], %[[MOVED]]
func.func @twice(%x: tensor<8x4xf16, #rows>) -> (tensor<8x4xf16, #columns>, tensor<8x4xf16, #columns>) {
  %0 = npu.redistribute %x : tensor<8x4xf16, #rows> to tensor<8x4xf16, #columns>
  %1 = npu.redistribute %x : tensor<8x4xf16, #rows> to tensor<8x4xf16, #columns>
  %2 = npu.redistribute %x : tensor<8x4xf16, #rows> to tensor<8x4xf16>
  return %0, %1 : tensor<8x4xf16, #columns>, tensor<8x4xf16, #columns>
}

// A move in a loop that always moves the same is not moved out by these two; it
// stays where it is.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: npu.redistribute
func.func @loop(%x: tensor<8x4xf16, #rows>, %y: tensor<8x4xf16, #columns>, %n: index) -> tensor<8x4xf16, #columns> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %y) -> tensor<8x4xf16, #columns> {
    %1 = npu.redistribute %x : tensor<8x4xf16, #rows> to tensor<8x4xf16, #columns>
    %2 = arith.addf %1, %acc : tensor<8x4xf16, #columns>
    scf.yield %2 : tensor<8x4xf16, #columns>
  }
  return %0 : tensor<8x4xf16, #columns>
}

// A constant under a cast is not folded into one of another layout.
// CHECK-LABEL: func.func @constant
// CHECK-NEXT: %[[C:.+]] = arith.constant dense<1> : tensor<2x4xi8, #[[ROWS:.+]]>
// CHECK-NEXT: npu.distribution_cast %[[C]] : tensor<2x4xi8, #[[ROWS]]> to tensor<2x4xi8, #overlapped>
func.func @constant() -> tensor<2x4xi8, #rows_overlapped> {
  %0 = arith.constant dense<1> : tensor<2x4xi8, #rows>
  %1 = npu.distribution_cast %0 : tensor<2x4xi8, #rows> to tensor<2x4xi8, #rows_overlapped>
  return %1 : tensor<2x4xi8, #rows_overlapped>
}
