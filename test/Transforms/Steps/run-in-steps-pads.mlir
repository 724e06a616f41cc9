// Pads of what steps read: a step loads what there is of its slice, and tiles
// add the rest. Loops stay loops between the borders, and every bit stays.

// RUN: npu-opt %s --npu-run-in-steps | FileCheck %s
// RUN: npu-opt %s --npu-run-in-steps --npu-legalize-distributions -o %t.mlir
// RUN: npu-run -O0 %t.mlir --entry=rows --reference=%s | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --entry=whole --reference=%s | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --entry=grid --reference=%s | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --entry=group --reference=%s | FileCheck %s --check-prefix=SAME
// SAME: {{^}}equal
//
// Costs before and after are the same, the bound of DDR's bytes included.
// RUN: npu-opt %s --npu-legalize-distributions --npu-print-costs=target=npu4000 -o /dev/null | grep "total\|DDR" > %t.before
// RUN: npu-opt %t.mlir --npu-print-costs=target=npu4000 -o /dev/null | grep "total\|DDR" | diff %t.before -

#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1]>
#halo = #npu.layout<OVERLAPPED, tiles = [1, 1, 2, 1], window = [[2, 3, 1, 0, 0]]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 1, 1, 2]>
#halo2 = #npu.layout<OVERLAPPED, tiles = [1, 1, 1, 2], window = [[3, 3, 1, 0, 0, 2]]>
#all = #npu.layout<DUPLICATED, tiles = 2>

// The first and the last step add a row, and those between none.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: scf.for
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0] [1, 4, 5, 9] [1, 1, 1, 1] {npu.steps}
// CHECK: %[[ON:.*]] = npu.redistribute %[[FIRST]]
// CHECK: tensor.pad %[[ON]] low[0, 0, 1, 0] high[0, 0, 0, 0]
// CHECK: {npu.steps} : tensor<1x4x5x9xf32, #{{.*}}> to tensor<1x4x6x9xf32, #{{.*}}>
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK: scf.for %[[I:.*]] = %c4{{.*}} to %c12{{.*}} step %c4{{.*}} iter_args
// CHECK-NOT: tensor.pad
// CHECK:   %[[AT:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:   tensor.extract_slice %arg0[0, 0, %[[AT]], 0] [1, 4, 6, 9] [1, 1, 1, 1]
// CHECK:   linalg.conv_2d_nchw_fchw
// CHECK: tensor.extract_slice %arg0[0, 0, 11, 0] [1, 4, 3, 9] [1, 1, 1, 1]
// CHECK: tensor.pad %{{.*}} low[0, 0, 0, 0] high[0, 0, 1, 0]
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-NOT: scf.for
// CHECK: return
func.func @rows(%x: tensor<1x4x14x9xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<1x6x14x7xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<1x4x14x9xf32> to tensor<1x4x16x9xf32>
  %e = tensor.empty() : tensor<1x6x14x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x14x7xf32>) -> tensor<1x6x14x7xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>,
      npu.steps = {loops = array<i64: 2>, sizes = array<i64: 4>, slots = array<i64: 2>, layouts = [#halo, #all, #rows]}}
      ins(%p, %w : tensor<1x4x16x9xf32>, tensor<6x4x3x3xf32>) outs(%f : tensor<1x6x14x7xf32>) -> tensor<1x6x14x7xf32>
  return %r : tensor<1x6x14x7xf32>
}

// Filters are cut alone: the image is loaded and padded once, outside.
// CHECK-LABEL: func.func @whole
// CHECK: npu.redistribute %arg0
// CHECK: tensor.pad
// CHECK: scf.for
// CHECK-NOT: tensor.pad
// CHECK: return
func.func @whole(%x: tensor<1x4x6x5xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x6x5xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<1x4x6x5xf32> to tensor<1x4x8x7xf32>
  %e = tensor.empty() : tensor<1x8x6x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>,
      npu.steps = {loops = array<i64: 1>, sizes = array<i64: 3>, layouts = [#halo, #all, #rows]}}
      ins(%p, %w : tensor<1x4x8x7xf32>, tensor<8x4x3x3xf32>) outs(%f : tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
  return %r : tensor<1x8x6x5xf32>
}

// Two dimensions, with strides and dilations, of a pooling. The first rows are
// at a border, the last ones are not: their windows end before the pad. The
// first and the last columns are.
// CHECK-LABEL: func.func @grid
// CHECK-COUNT-3: tensor.pad
// CHECK: scf.for
// CHECK: tensor.pad
// CHECK: scf.yield
// CHECK-COUNT-3: tensor.pad
// CHECK-NOT: tensor.pad
// CHECK: return
func.func @grid(%x: tensor<2x3x15x22xf32>) -> tensor<2x3x8x20xf32> {
  %z = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 2, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %least : f32
  } {npu.steps = {layouts = []}} : tensor<2x3x15x22xf32> to tensor<2x3x18x24xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x3x8x20xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<2x3x8x20xf32>) -> tensor<2x3x8x20xf32>
  %r = linalg.pooling_nchw_max {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>,
      npu.steps = {loops = array<i64: 3, 2>, sizes = array<i64: 6, 3>, layouts = [#halo2, unit, #columns]}}
      ins(%p, %w : tensor<2x3x18x24xf32>, tensor<3x3xf32>) outs(%f : tensor<2x3x8x20xf32>) -> tensor<2x3x8x20xf32>
  return %r : tensor<2x3x8x20xf32>
}

// A convolution that is made in the steps of its reader, as is its pad.
// CHECK-LABEL: func.func @group
// CHECK: tensor.pad
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK: linalg.exp
// CHECK: scf.for
// CHECK-NOT: tensor.pad
// CHECK: linalg.exp
func.func @group(%x: tensor<1x2x12x4xf32>, %w: tensor<5x2x3x1xf32>) -> tensor<1x5x12x4xf32> {
  %z = arith.constant 1.5 : f32
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<1x2x12x4xf32> to tensor<1x2x14x4xf32>
  %e = tensor.empty() : tensor<1x5x12x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x12x4xf32>) -> tensor<1x5x12x4xf32>
  %m = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>,
      npu.steps = {layouts = [#halo, #all, #rows]}}
      ins(%p, %w : tensor<1x2x14x4xf32>, tensor<5x2x3x1xf32>) outs(%f : tensor<1x5x12x4xf32>) -> tensor<1x5x12x4xf32>
  %r = linalg.exp {npu.steps = {loops = array<i64: 2>, sizes = array<i64: 2>, layouts = [#rows, #rows]}}
      ins(%m : tensor<1x5x12x4xf32>) outs(%e : tensor<1x5x12x4xf32>) -> tensor<1x5x12x4xf32>
  return %r : tensor<1x5x12x4xf32>
}
