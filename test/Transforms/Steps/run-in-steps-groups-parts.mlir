// Tensors that a group reads and makes stay on tiles although its steps cut them: of
// queries, rows of which are on two tiles, a step has two rows of each tile, and so it has of the
// result. What the mask counts are rows of the whole.
//
// RUN: npu-opt %s --npu-run-in-steps | FileCheck %s
// RUN: npu-opt %s --npu-run-in-steps --npu-legalize-distributions -o %t.mlir
// RUN: npu-run %t.mlir --reference=%s | FileCheck %s --check-prefix=RESULT

// RESULT: result #0 16x4xf32: 64 elements, 0 different

// CHECK: #[[COUNT:.*]] = affine_map<(d0) -> (d0 + (d0 floordiv 2) * 6)>

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#all = #npu.layout<DUPLICATED, tiles = 2>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<16x4xf32, #[[ROWS:[a-z0-9]+]]>
// CHECK: %[[APART:.*]] = tensor.expand_shape %[[Q]] {{.*}} into tensor<2x8x4xf32, #[[PARTS:[a-z0-9]+]]>
// CHECK: npu.redistribute
// CHECK: npu.redistribute
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c8{{.*}} step %c2{{.*}} iter_args(%[[OUT:.*]] = %{{.*}}) -> (tensor<2x8x4xf32, #[[PARTS]]>)
// CHECK-NOT: npu.redistribute
// CHECK: tensor.extract_slice %[[APART]][0, %[[I]], 0] [2, 2, 4]
// CHECK-NOT: npu.redistribute
// CHECK: %[[AT:.*]] = linalg.index 0 : index
// CHECK: %[[ROW:.*]] = affine.apply #[[COUNT]](%[[AT]])
// CHECK: affine.apply #{{.*}}(%[[I]])[%[[ROW]]]
// CHECK-NOT: npu.redistribute
// CHECK: tensor.insert_slice {{.*}} into %[[OUT]][0, %[[I]], 0] [2, 2, 4]
// CHECK: tensor.collapse_shape {{.*}} into tensor<16x4xf32, #[[ROWS]]>
func.func @main(%q: tensor<16x4xf32, #rows>, %k: tensor<4x8xf32>, %v: tensor<8x4xf32>) -> tensor<16x4xf32, #rows> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<16x8xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %2 = linalg.matmul {npu.steps = {layouts = [#rows, #all, #rows]}}
    ins(%q, %k : tensor<16x4xf32, #rows>, tensor<4x8xf32>) outs(%1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %3 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"], npu.steps = {layouts = [#rows, #rows]}}
    ins(%2 : tensor<16x8xf32>) outs(%0 : tensor<16x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %isVisible = arith.cmpi ule, %column, %row : index
    %masked = arith.select %isVisible, %a, %zero : f32
    linalg.yield %masked : f32
  } -> tensor<16x8xf32>
  %4 = tensor.empty() : tensor<16x4xf32, #rows>
  %5 = linalg.fill ins(%zero : f32) outs(%4 : tensor<16x4xf32, #rows>) -> tensor<16x4xf32, #rows>
  %6 = linalg.matmul {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 4>, layouts = [#rows, #all, #rows]}}
    ins(%3, %v : tensor<16x8xf32>, tensor<8x4xf32>) outs(%5 : tensor<16x4xf32, #rows>) -> tensor<16x4xf32, #rows>
  return %6 : tensor<16x4xf32, #rows>
}
