// The distributions report: values in program order, arguments first, every
// tile's boxes, tensors that are not distributed with no tiles, unknown extents
// as null.
//
// RUN: npu-opt %s --npu-print-distributions=format=json -o /dev/null > %t.json
// RUN: %python %S/Inputs/check_distributions.py %t.json
// RUN: npu-opt %s --npu-print-distributions -o /dev/null | FileCheck %s
// RUN: not npu-opt %s --npu-print-distributions=format=yaml 2>&1 | FileCheck %s --check-prefix=FORMAT

// FORMAT: error: npu-print-distributions: unknown format 'yaml', expected text, json or picture

#halo = #npu.layout<OVERLAPPED, tiles = [3, 1], window = [[0, 3, 1, 1, 1]]>
#rows = #npu.layout<SEGMENTED, tiles = [3, 1]>

// CHECK: function @main
// CHECK-NEXT: %arg0 : tensor<4x2xf16, #npu.layout<SEGMENTED, tiles = [3, 1]>>
// CHECK-NEXT: tile 0: compute [0:2, 0:2]
// CHECK-NEXT: tile 1: compute [2:3, 0:2]
// CHECK-NEXT: tile 2: compute [3:4, 0:2]
// CHECK-NEXT: fullest tile: 8 bytes
// CHECK-NEXT: %arg1 : tensor<?x2xi1>
// CHECK-NEXT: %0 : tensor<4x2xf16, #npu.layout<OVERLAPPED
// CHECK-NEXT: tile 0: compute [0:2, 0:2], memory [0:3, 0:2]
// CHECK-NEXT: tile 1: compute [2:3, 0:2], memory [1:4, 0:2]
// CHECK-NEXT: tile 2: compute [3:4, 0:2], memory [2:4, 0:2]
func.func @main(%x: tensor<4x2xf16, #rows>, %mask: tensor<?x2xi1>) {
  %0 = npu.redistribute %x : tensor<4x2xf16, #rows> to tensor<4x2xf16, #halo>
  return
}

// What is padding, and what of a tile's memory is real.
// CHECK: function @padded
// CHECK-NEXT: %arg0 : tensor<8x2xf16, #npu.layout<SEGMENTED, tiles = [3, 1]>>
// CHECK-NEXT: padding: 2:6 of dimension 0
// CHECK-NEXT: tile 0: compute [0:3, 0:2], real [0:2, 0:2]
// CHECK-NEXT: tile 1: compute [3:6, 0:2], all padding
// CHECK-NEXT: tile 2: compute [6:8, 0:2]{{$}}
// CHECK: %0 : tensor<8x2xf16, #npu.layout<DUPLICATED, tiles = 1>>
// CHECK-NEXT: padding: 2:6 of dimension 0
// CHECK-NEXT: tile 0: compute [0:8, 0:2], real [0:2, 0:2] and [6:8, 0:2]
func.func @padded(%x: tensor<8x2xf16, #rows> {npu.padding = [[0, 2, 6]]}) {
  %0 = npu.redistribute %x : tensor<8x2xf16, #rows> to tensor<8x2xf16, #npu.layout<DUPLICATED, tiles = 1>>
  return
}

// A tile without rows.
func.func @few(%x: tensor<2x2xindex, #rows>) {
  return
}
