// A prefill function becomes a loop over chunks: each call gets the next rows, the
// cache as the chunk before left it, and its own offset.
//
// RUN: npu-opt %s --npu-chunk-prefill=chunk-len=4 | FileCheck %s
// RUN: npu-opt %s --npu-chunk-prefill=chunk-len=4 --remarks-filter=npu -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not npu-opt %s --npu-chunk-prefill="chunk-len=4 assume-finite=false" 2>&1 | FileCheck %s --check-prefix=STRICT

// The function of one shape.
// CHECK-LABEL: func.func private @weigh_chunk_4(%arg0: tensor<?x2xf32>, %arg1: tensor<16x2xf32>, %arg2: tensor<16xf32>, %arg3: index) -> (tensor<?x2xf32>, tensor<16x2xf32>)
// CHECK: cf.assert %{{.*}}, "'weigh_chunk_4': expected a prompt length of 1 to 4"
// CHECK: tensor.insert_slice %arg0 into %arg1[%arg3, 0] [%{{.*}}, 2] [1, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x2xf32>)

// CHECK-LABEL: func.func @weigh(
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: cf.assert %{{.*}}, "'weigh': expected a prompt length of at least 1 that ends, from the offset on, within the 16 entries of the cache"
// CHECK: scf.for %[[AT:.*]] = %{{.*}} to %[[N]] step %[[STEP:.*]] iter_args(%[[Y:.*]] = %{{.*}}, %[[CACHE:.*]] = %arg1)
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[AT]]
// CHECK: %[[ROWS:.*]] = arith.minsi %[[LEFT]], %[[STEP]]
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[AT]], 0] [%[[ROWS]], 2] [1, 1]
// CHECK: %[[OFFSET:.*]] = arith.addi %arg3, %[[AT]]
// CHECK: %[[R:.*]]:2 = func.call @weigh_chunk_4(%[[X]], %[[CACHE]], %arg2, %[[OFFSET]])
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[R]]#0 into %[[Y]][%[[AT]], 0] [%[[ROWS]], 2] [1, 1]
// CHECK: scf.yield %[[NEXT]], %[[R]]#1

// REMARK: left-alone | Category:npu | Function=weigh | Reason="rows do not follow from later positions if what later rows and the cache hold is finite"
// REMARK: chunk | Category:npu | Function=weigh | Reason="runs in chunks of 4: every row follows from rows before it and from the cache"
// STRICT: chunk-prefill.mlir:[[@LINE+10]]:8: error: 'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral
func.func @weigh(%x: tensor<?x2xf32>, %cache: tensor<16x2xf32> {npu.cache_dim = 0}, %decay: tensor<16xf32>, %offset: index {npu.cache_offset})
    -> (tensor<?x2xf32>, tensor<16x2xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 2] [1, 1] : tensor<?x2xf32> into tensor<16x2xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  // A weight that depends on how far back a position is, 0 for those ahead.
  %y = linalg.generic {indexing_maps = [affine_map<(i, c, j) -> (j, c)>, affine_map<(i, c, j) -> (i, c)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x2xf32>) outs(%init : tensor<?x2xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %distance = arith.subi %p, %j : index
    %ahead = arith.cmpi slt, %distance, %c0 : index
    %near = arith.maxsi %distance, %c0 : index
    %d = tensor.extract %decay[%near] : tensor<16xf32>
    %w = arith.select %ahead, %zero, %d : f32
    %t = arith.mulf %w, %v : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x2xf32>
  return %y, %full : tensor<?x2xf32>, tensor<16x2xf32>
}
