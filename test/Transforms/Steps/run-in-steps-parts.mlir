// Tensors that are cut stay on tiles: of a product in steps of 16 columns, four on each of
// four tiles, the scales and the result do, and the weights are loaded.
//
// RUN: npu-opt %s --npu-run-in-steps | FileCheck %s
// RUN: npu-opt %s --npu-run-in-steps --npu-legalize-distributions -o %t.mlir
// RUN: npu-run %t.mlir --reference=%s | FileCheck %s --check-prefix=RESULT

// RUN: not npu-opt %s --npu-lower-to-tiles -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: 'linalg.generic' op with 'npu.steps': expected loops, which npu-run-in-steps makes of it

// RESULT: result #0 1x64xf32: 64 elements, 0 different

#all = #npu.layout<DUPLICATED, tiles = 4>
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x32xf32>, %[[W:[a-z0-9]+]]: tensor<64x32xf32>
func.func @main(%x: tensor<1x32xf32>, %w: tensor<64x32xf32>, %scales: tensor<64x32xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x64xf32, #columns>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x64xf32, #columns>) -> tensor<1x64xf32, #columns>
  // CHECK: %[[KEPT:.*]] = npu.redistribute %{{.*}} : tensor<64x32xf32> to tensor<64x32xf32, #[[ROWS:.*]]>
  %kept = npu.redistribute %scales : tensor<64x32xf32> to tensor<64x32xf32, #rows>
  // CHECK: %[[APART:.*]] = tensor.expand_shape %[[W]] {{.*}} into tensor<4x16x32xf32>
  // CHECK: %[[KEPTAPART:.*]] = tensor.expand_shape %[[KEPT]] {{.*}} into tensor<4x16x32xf32, #[[PARTS:.*]]>
  // CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c16{{.*}} step %c4{{.*}} iter_args(%[[OUT:.*]] = %{{.*}}) -> (tensor<1x4x16xf32, #{{.*}}>)
  // CHECK: tensor.extract_slice %[[APART]][0, %[[I]], 0] [4, 4, 32]
  // CHECK: npu.redistribute {{.*}} : tensor<4x4x32xf32> to tensor<4x4x32xf32, #[[PARTS]]>
  // CHECK: tensor.extract_slice %[[KEPTAPART]][0, %[[I]], 0] [4, 4, 32] {{.*}} : tensor<4x16x32xf32, #[[PARTS]]> to tensor<4x4x32xf32, #[[PARTS]]>
  // CHECK-NOT: npu.redistribute
  // CHECK: linalg.generic
  // CHECK-NOT: npu.redistribute
  // CHECK: tensor.insert_slice {{.*}} into %[[OUT]][0, 0, %[[I]]] [1, 4, 4] {{.*}} : tensor<1x4x4xf32, #{{.*}}> into tensor<1x4x16xf32
  // CHECK: tensor.collapse_shape {{.*}} into tensor<1x64xf32, #{{.*}}>
  %0 = linalg.generic {
      npu.steps = {loops = array<i64: 1>, sizes = array<i64: 16>, slots = array<i64: 2>,
                   layouts = [#all, #rows, #rows, #columns]},
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
                       affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %kept : tensor<1x32xf32>, tensor<64x32xf32>, tensor<64x32xf32, #rows>)
      outs(%init : tensor<1x64xf32, #columns>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %o: f32):
    %1 = arith.mulf %b, %s : f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<1x64xf32, #columns>
  %result = npu.redistribute %0 : tensor<1x64xf32, #columns> to tensor<1x64xf32>
  return %result : tensor<1x64xf32>
}
