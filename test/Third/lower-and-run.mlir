// Third operations on tiles: by their structured form, or on what a tile holds;
// and they compute what they compute without tiles.
// RUN: npu-third-opt %s --npu-legalize-distributions -o %t.mlir
// RUN: npu-third-opt %t.mlir --npu-lower-to-tiles | FileCheck %s
// RUN: npu-third-run %t.mlir --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-third-run %t.mlir --reference=%s --tiles=parallel | FileCheck %s --check-prefix=EQUAL

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#one = #npu.layout<SEGMENTED, tiles = [4]>

// The reversal and the window become linalg, in a tile's own coordinates.
// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0, d1) -> (-d0 + 2, d1)>
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2) -> (d0 + d2, d1)>
// CHECK-LABEL: @main
// CHECK-NOT: third.reverse
// CHECK-NOT: third.blur
// CHECK: linalg.generic {indexing_maps = [#[[BACK]]
// CHECK-SAME: npu.tile = 0
// CHECK: linalg.generic {indexing_maps = [#[[WINDOW]]
// CHECK: third.minmax %{{.*}} {npu.tile = 0 : i64} : tensor<3x6xf32> -> tensor<3xf32>, tensor<3xf32>
// CHECK: third.take %{{.*}}[%{{.*}}] {npu.extents = array<i64: 10>, npu.tile = 0 : i64} : tensor<10x6xf32>, tensor<3xi32> -> tensor<3x6xf32>
// CHECK: third.minmax %{{.*}} {npu.tile = 3 : i64} : tensor<2x6xf32> -> tensor<2xf32>, tensor<2xf32>
// EQUAL-COUNT-5: 0 different
// EQUAL: {{^}}equal
func.func @main(%x: tensor<10x6xf32, #rows>, %p: tensor<12xi32, #one>)
    -> (tensor<10x6xf32, #rows>, tensor<8x6xf32, #rows>, tensor<10xf32, #one>,
        tensor<10xf32, #one>, tensor<12x6xf32, #rows>) {
  %r = third.reverse %x along 0 : tensor<10x6xf32, #rows> -> tensor<10x6xf32, #rows>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x6xf32, #rows>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x6xf32, #rows>) -> tensor<8x6xf32, #rows>
  %b = third.blur %r into %zeros : tensor<10x6xf32, #rows>, tensor<8x6xf32, #rows> -> tensor<8x6xf32, #rows>
  %low, %high = third.minmax %x : tensor<10x6xf32, #rows> -> tensor<10xf32, #one>, tensor<10xf32, #one>
  %t = third.take %r[%p] : tensor<10x6xf32, #rows>, tensor<12xi32, #one> -> tensor<12x6xf32, #rows>
  return %r, %b, %low, %high, %t : tensor<10x6xf32, #rows>, tensor<8x6xf32, #rows>,
      tensor<10xf32, #one>, tensor<10xf32, #one>, tensor<12x6xf32, #rows>
}
