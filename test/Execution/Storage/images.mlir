// Images (storage = tiled2d): each tile packs its own box by four channels. Operations in
// between, redistributions, loops and results have the bits of linear tensors.

// RUN: npu-opt %s --npu-legalize-distributions -o %t.legal.mlir
// RUN: FileCheck %s --input-file=%t.legal.mlir
// RUN: npu-run -O0 %t.legal.mlir --entry=chain --reference=%s --inputs=special --seed=1 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.legal.mlir --entry=moved --reference=%s --inputs=special --seed=2 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.legal.mlir --entry=loop --reference=%s --inputs=normal --seed=3 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.legal.mlir --entry=convolution --reference=%s --inputs=normal --seed=4 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.legal.mlir --entry=bytes --reference=%s --inputs=random --seed=5 --tiles=parallel | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal

// RUN: npu-opt %t.legal.mlir --npu-lower-to-tiles | FileCheck %s --check-prefix=TILES

#linear = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>
#image = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1], storage = tiled2d>
#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 3, 1], storage = tiled2d>

// 7 channels are 4 and 3 on two tiles: one group each.
// CHECK-LABEL: @chain
// CHECK: npu.redistribute
// CHECK: npu.convert_storage
// TILES-LABEL: @chain
// TILES: npu.convert_storage {{.*}} : tensor<1x4x5x6xf16> to tensor<1x5x1x6x4xf16>
// TILES: npu.convert_storage {{.*}} : tensor<1x3x5x6xf16> to tensor<1x5x1x6x4xf16>
func.func @chain(%x: tensor<1x7x5x6xf16>) -> tensor<1x7x5x6xf16> {
  %0 = npu.redistribute %x : tensor<1x7x5x6xf16> to tensor<1x7x5x6xf16, #image>
  %1 = arith.addf %0, %0 : tensor<1x7x5x6xf16, #image>
  %2 = npu.convert_storage %1 : tensor<1x7x5x6xf16, #image> to tensor<1x7x5x6xf16, #linear>
  %3 = arith.mulf %2, %2 : tensor<1x7x5x6xf16, #linear>
  %4 = npu.redistribute %3 : tensor<1x7x5x6xf16, #linear> to tensor<1x7x5x6xf16>
  return %4 : tensor<1x7x5x6xf16>
}

// From one image to another: groups do not begin at the same channels.
// CHECK-LABEL: @moved
func.func @moved(%x: tensor<2x7x5x6xf32, #image>) -> tensor<2x7x5x6xf32, #rows> {
  %0 = npu.redistribute %x : tensor<2x7x5x6xf32, #image> to tensor<2x7x5x6xf32, #rows>
  %1 = math.absf %0 : tensor<2x7x5x6xf32, #rows>
  return %1 : tensor<2x7x5x6xf32, #rows>
}

// A loop hands images on.
// CHECK-LABEL: @loop
// TILES-LABEL: @loop
// TILES: scf.for {{.*}} -> (tensor<1x5x1x6x4xf32>, tensor<1x5x1x6x4xf32>)
func.func @loop(%x: tensor<1x7x5x6xf32>) -> tensor<1x7x5x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = npu.redistribute %x : tensor<1x7x5x6xf32> to tensor<1x7x5x6xf32, #image>
  %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %0) -> tensor<1x7x5x6xf32, #image> {
    %b = arith.mulf %a, %0 : tensor<1x7x5x6xf32, #image>
    scf.yield %b : tensor<1x7x5x6xf32, #image>
  }
  %2 = npu.redistribute %1 : tensor<1x7x5x6xf32, #image> to tensor<1x7x5x6xf32>
  return %2 : tensor<1x7x5x6xf32>
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<1x3x9x8xf32>, %w: tensor<6x3x3x3xf32>) -> tensor<1x6x7x6xf32> {
  %0 = npu.redistribute %x : tensor<1x3x9x8xf32> to tensor<1x3x9x8xf32, #npu.layout<DUPLICATED, tiles = 2, storage = tiled2d>>
  %1 = npu.redistribute %w : tensor<6x3x3x3xf32> to tensor<6x3x3x3xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1]>>
  %zero = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<1x6x7x6xf32, #image>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<1x6x7x6xf32, #image>) -> tensor<1x6x7x6xf32, #image>
  %4 = linalg.conv_2d_nchw_fchw ins(%0, %1 : tensor<1x3x9x8xf32, #npu.layout<DUPLICATED, tiles = 2, storage = tiled2d>>, tensor<6x3x3x3xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1]>>) outs(%3 : tensor<1x6x7x6xf32, #image>) -> tensor<1x6x7x6xf32, #image>
  %5 = npu.redistribute %4 : tensor<1x6x7x6xf32, #image> to tensor<1x6x7x6xf32>
  return %5 : tensor<1x6x7x6xf32>
}

// Full groups need no filling up; bytes and parallel tiles.
// CHECK-LABEL: @bytes
func.func @bytes(%x: tensor<2x8x3x5xi8, #image>) -> tensor<2x8x3x5xi8> {
  %0 = arith.addi %x, %x : tensor<2x8x3x5xi8, #image>
  %1 = npu.redistribute %0 : tensor<2x8x3x5xi8, #image> to tensor<2x8x3x5xi8>
  return %1 : tensor<2x8x3x5xi8>
}

// An audit takes the layouts off, and conversions with them.
// RUN: npu-run -O0 %s --entry=chain --audit | FileCheck %s --check-prefix=AUDIT
// AUDIT: verdict: ROUNDING at arith.mulf
// RUN: npu-opt %s --npu-track-rounding-errors | FileCheck %s --check-prefix=TRACKED
// TRACKED-NOT: npu.convert_storage
