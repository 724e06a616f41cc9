// A 3x3 convolution whose rows are split over four tiles, as OVERLAPPED: every
// halo is moved once, in as few bytes as there can be, and the result is the
// undistributed one bit for bit. A program in which a halo does not come, or is read
// from the wrong place, is refused, and the error names the tile and the box.
//
// RUN: split-file %s %t
// RUN: npu-opt %t/conv.mlir --npu-legalize-distributions --npu-verify-distributions=strict -o %t/legal.mlir
// RUN: npu-opt %t/legal.mlir --npu-print-transfers=format=json -o /dev/null | FileCheck %s --check-prefix=MOVED
// RUN: npu-run %t/legal.mlir --entry=stride_1 --reference=%t/conv.mlir | FileCheck %s --check-prefix=EQUAL-1
// RUN: npu-run %t/legal.mlir --entry=stride_2 --reference=%t/conv.mlir | FileCheck %s --check-prefix=EQUAL-2
//
// RUN: npu-opt %t/legal.mlir --npu-lower-to-tiles -o %t/tiles.mlir
// RUN: npu-run %t/tiles.mlir --entry=stride_1 --reference=%t/conv.mlir | FileCheck %s --check-prefix=EQUAL-1
// RUN: %python %S/Inputs/edit_transfer.py kill "box [0:1, 0:4, 8:9, 0:8]" < %t/tiles.mlir > %t/killed.mlir
// RUN: not npu-run %t/killed.mlir --entry=stride_1 --reference=%t/conv.mlir 2>&1 | FileCheck %s --check-prefix=KILLED
// RUN: %python %S/Inputs/edit_transfer.py shift "box [0:1, 0:4, 8:9, 0:8]" 2 1 < %t/tiles.mlir > %t/shifted.mlir
// RUN: not npu-run %t/shifted.mlir --entry=stride_1 --reference=%t/conv.mlir 2>&1 | FileCheck %s --check-prefix=SHIFTED

// One row of 4 channels x 8 columns is 128 bytes in f32; six neighbours lack one.
// MOVED: "name": "stride_1"
// MOVED: "bytes_received": 768,
// MOVED-NEXT: "bytes_received_bound": 768,
// MOVED-NEXT: "max_tile_received": 256,
// MOVED-NEXT: "max_tile_received_bound": 256,
// MOVED-NEXT: "bytes_injected": 768,
// MOVED-NEXT: "bytes_injected_bound": 768,
// MOVED: "ddr_bytes": 0,
// MOVED-COUNT-6: "bytes": 128

// With stride 2, 13 rows (4, 3, 3, 3) have 7 outputs (2, 2, 2, 1), which read
// rows 0:4, 3:8, 7:12 and 11:13: rows 3, 7, 10 and 11 move, 64 bytes each in f16.
// MOVED: "name": "stride_2"
// MOVED: "bytes_received": 256,
// MOVED-NEXT: "bytes_received_bound": 256,
// MOVED-NEXT: "max_tile_received": 128,
// MOVED-NEXT: "max_tile_received_bound": 128,
// MOVED-NEXT: "bytes_injected": 256,
// MOVED-NEXT: "bytes_injected_bound": 256,
// MOVED: "ddr_bytes": 0,
// MOVED: "from": 0
// MOVED-NEXT: "to": [1]
// MOVED: "bytes": 64
// MOVED: "from": 2
// MOVED-NEXT: "to": [1]
// MOVED: "bytes": 64
// MOVED: "from": 3
// MOVED-NEXT: "to": [2]
// MOVED: "bytes": 128
// MOVED-NOT: "from"

// EQUAL-1: result #0 1x8x16x8xf32: 1024 elements, 0 different
// EQUAL-1-NEXT: {{^}}equal
// EQUAL-2: result #0 1x8x7x4xf16: 224 elements, 0 different
// EQUAL-2-NEXT: {{^}}equal

// A program that lacks a halo, or reads it elsewhere, does not run.
// KILLED: killed.mlir:{{.*}}: error: 'tensor.insert_slice' reads [0:1, 0:4, 5:6, 0:8] of operand #0, which nobody has written (local coordinates, tile 1)
// SHIFTED: shifted.mlir:{{.*}}: error: 'npu.transfer' op expected box [0:1, 0:4, 8:9, 0:8] at [0, 0, 0, 0] of its source, got [0, 0, 1, 0]

//--- conv.mlir
#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1]>
#halo = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], window = [[2, 3, 2, 1, 1]]>
#padded_1 = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], window = [[2, 3, 1, 0, 0]]>
#padded_2 = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], window = [[2, 3, 2, 0, 0]]>
#all = #npu.layout<DUPLICATED, tiles = 4>

// Only the convolution's side is OVERLAPPED: legalization brings the halos.
func.func @stride_1(%x: tensor<1x4x16x8xf32, #rows>, %w: tensor<8x4x3x3xf32, #all>) -> tensor<1x8x16x8xf32, #rows> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %i: index):
    tensor.yield %zero : f32
  } : tensor<1x4x16x8xf32, #rows> to tensor<1x4x18x10xf32, #padded_1>
  %e = tensor.empty() : tensor<1x8x16x8xf32, #rows>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x16x8xf32, #rows>) -> tensor<1x8x16x8xf32, #rows>
  %0 = linalg.conv_2d_nchw_fchw
      ins(%p, %w : tensor<1x4x18x10xf32, #padded_1>, tensor<8x4x3x3xf32, #all>)
      outs(%f : tensor<1x8x16x8xf32, #rows>) -> tensor<1x8x16x8xf32, #rows>
  return %0 : tensor<1x8x16x8xf32, #rows>
}

// The input's own layout names the window: the redistribution is written out.
func.func @stride_2(%x: tensor<1x4x13x8xf16, #rows>, %w: tensor<8x4x3x3xf16, #all>) -> tensor<1x8x7x4xf16, #rows> {
  %zero = arith.constant 0.0 : f16
  %x1 = npu.redistribute %x : tensor<1x4x13x8xf16, #rows> to tensor<1x4x13x8xf16, #halo>
  %p = tensor.pad %x1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %i: index):
    tensor.yield %zero : f16
  } : tensor<1x4x13x8xf16, #halo> to tensor<1x4x15x10xf16, #padded_2>
  %e = tensor.empty() : tensor<1x8x7x4xf16, #rows>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x7x4xf16, #rows>) -> tensor<1x8x7x4xf16, #rows>
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>}
      ins(%p, %w : tensor<1x4x15x10xf16, #padded_2>, tensor<8x4x3x3xf16, #all>)
      outs(%f : tensor<1x8x7x4xf16, #rows>) -> tensor<1x8x7x4xf16, #rows>
  return %0 : tensor<1x8x7x4xf16, #rows>
}
