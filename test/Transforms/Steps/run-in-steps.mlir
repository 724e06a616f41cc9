// Operations that carry their steps become loops over slices in DDR, with the
// bits of the whole operation, and tiles store where the result is.

// RUN: npu-opt %s --npu-run-in-steps | FileCheck %s
// RUN: npu-opt %s --npu-run-in-steps -o %t.mlir
// RUN: npu-run -O0 %t.mlir --entry=matmul --reference=%s | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --entry=added --reference=%s | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --entry=convolution --reference=%s | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --entry=positions --reference=%s | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --entry=images --reference=%s | FileCheck %s --check-prefix=SAME
// SAME: {{^}}equal

// Operands that an inner loop does not change are loaded outside of it; the sums
// stay on tiles; what is left over is a step of its own.
// CHECK-LABEL: func.func @matmul
// CHECK: linalg.fill
// CHECK: %[[E:.*]] = tensor.empty() : tensor<100x64xf32>
// CHECK: %[[R:[a-z0-9]+]] = scf.for %[[I:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[O:[a-z0-9]+]] = %[[E]]) -> (tensor<100x64xf32>) {
// CHECK:   linalg.fill {{.*}} -> tensor<32x64xf32, #{{.*}}>
// CHECK:   %[[S:[a-z0-9]+]] = scf.for %[[K:[a-z0-9]+]] = {{.*}} -> (tensor<32x64xf32, #{{.*}}>) {
// CHECK:     tensor.extract_slice %arg0[%[[I]], %[[K]]] [32, 24] [1, 1]
// CHECK:     tensor.extract_slice %arg1[%[[K]], 0] [24, 64] [1, 1]
// CHECK:     linalg.matmul
// CHECK:   }
// CHECK:   tensor.extract_slice %arg0[%[[I]], 48] [32, 12] [1, 1]
// CHECK:   %[[D:[a-z0-9]+]] = npu.redistribute {{.*}} to tensor<32x64xf32>{{$}}
// CHECK:   tensor.insert_slice %[[D]] into %[[O]][%[[I]], 0] [32, 64] [1, 1] {npu.steps}
// CHECK: } {npu.steps}
// CHECK: tensor.extract_slice %arg0[96, %{{.*}}] [4, 24] [1, 1]
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#all = #npu.layout<DUPLICATED, tiles = 4>
func.func @matmul(%a: tensor<100x60xf32>, %b: tensor<60x64xf32>) -> tensor<100x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<100x64xf32>) -> tensor<100x64xf32>
  %m = linalg.matmul {npu.steps = {loops = array<i64: 0, 2>, sizes = array<i64: 32, 24>, layouts = [#rows, #all, #rows]}}
      ins(%a, %b : tensor<100x60xf32>, tensor<60x64xf32>) outs(%f : tensor<100x64xf32>) -> tensor<100x64xf32>
  return %m : tensor<100x64xf32>
}

// What is added to is loaded, and what no loop changes is loaded once.
// CHECK-LABEL: func.func @added
// CHECK: npu.redistribute %arg1
// CHECK: scf.for
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [16, 16] [1, 1] {npu.steps} : tensor<64x16xf32>
func.func @added(%a: tensor<64x8xf32>, %b: tensor<8x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %m = linalg.matmul {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 16>, layouts = [#rows, #all, #rows]}}
      ins(%a, %b : tensor<64x8xf32>, tensor<8x16xf32>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %m : tensor<64x16xf32>
}

// Rows with their halo, and output channels.
#height = #npu.layout<SEGMENTED, tiles = [1, 1, 3, 1]>
func.func @convolution(%x: tensor<1x6x22x10xf32>, %w: tensor<10x6x3x3xf32>, %b: tensor<1x10x20x8xf32>) -> tensor<1x10x20x8xf32> {
  %m = linalg.conv_2d_nchw_fchw {npu.steps = {loops = array<i64: 1, 2, 4>, sizes = array<i64: 4, 9, 4>, layouts = [#all, #all, #height]}}
      ins(%x, %w : tensor<1x6x22x10xf32>, tensor<10x6x3x3xf32>) outs(%b : tensor<1x10x20x8xf32>) -> tensor<1x10x20x8xf32>
  return %m : tensor<1x10x20x8xf32>
}

// Positions that a body asks for count in the whole operation.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @positions(%x: tensor<30x4xf32>) -> tensor<30x4xf32> {
  %e = tensor.empty() : tensor<30x4xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"],
      npu.steps = {loops = array<i64: 0>, sizes = array<i64: 8>, layouts = [#rows, #rows]}}
      ins(%x : tensor<30x4xf32>) outs(%e : tensor<30x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %g = arith.sitofp %n : i32 to f32
    %r = arith.mulf %v, %g : f32
    linalg.yield %r : f32
  } -> tensor<30x4xf32>
  return %m : tensor<30x4xf32>
}

// Steps may hold images.
#image = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], storage = tiled2d>
func.func @images(%x: tensor<1x6x20x4xf32>) -> tensor<1x6x20x4xf32> {
  %e = tensor.empty() : tensor<1x6x20x4xf32>
  %m = linalg.exp {npu.steps = {loops = array<i64: 2>, sizes = array<i64: 8>, layouts = [#image, #image]}}
      ins(%x : tensor<1x6x20x4xf32>) outs(%e : tensor<1x6x20x4xf32>) -> tensor<1x6x20x4xf32>
  return %m : tensor<1x6x20x4xf32>
}
