// tensor.gather of a prompt, or at positions of one, padded and at run-time lengths.
// Upstream has no loops for it, so the same is written out as the reference.
//
// RUN: %python %S/../../Inputs/run_every_entry.py %s %S/Inputs/pad-gather-written-out.mlir --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %S/Inputs/pad-gather-written-out.mlir --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %S/Inputs/pad-gather-written-out.mlir --length=1..8 -O0 | FileCheck %s

// Rows of the prompt at clamped positions, one for each of its tokens.
// CHECK: rows: equal
func.func @rows(%x: tensor<?x4xf32>, %at: tensor<?xi32>) -> tensor<?x1x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %last = arith.subi %n, %c1 : index
  %e = tensor.empty(%n) : tensor<?xi32>
  %clamped = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%at : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%p: i32, %o: i32):
    %q = arith.index_cast %p : i32 to index
    %low = arith.maxsi %q, %c0 : index
    %in = arith.minsi %low, %last : index
    %r = arith.index_cast %in : index to i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  %where = tensor.expand_shape %clamped [[0, 1]] output_shape [%n, 1] : tensor<?xi32> into tensor<?x1xi32>
  %0 = tensor.gather %x[%where] gather_dims([0]) : (tensor<?x4xf32>, tensor<?x1xi32>) -> tensor<?x1x4xf32>
  return %0 : tensor<?x1x4xf32>
}

// Rows that constants name, along the whole of the prompt; the gathered dimension is gone.
// CHECK: entries: equal
func.func @entries(%x: tensor<3x?xf32>) -> tensor<2x?xf32> {
  %where = arith.constant dense<[[2], [1]]> : tensor<2x1xindex>
  %0 = tensor.gather %x[%where] gather_dims([0]) : (tensor<3x?xf32>, tensor<2x1xindex>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
