// Whatever is done to one transfer of a tile program, its verifier refuses it, or
// it changes nothing that anybody reads: dropped, another source or destination
// offset, another box, a smaller one, other tiles, other bytes.
//
// RUN: split-file %s %t
// RUN: %python %S/Inputs/tamper_transfers.py npu-opt %t/t.mlir | FileCheck %s --check-prefix=NONE
// RUN: npu-opt %t/matmul.mlir --npu-legalize-distributions --npu-lower-to-tiles -o %t/matmul-tiles.mlir
// RUN: %python %S/Inputs/tamper_transfers.py npu-opt %t/matmul-tiles.mlir | FileCheck %s --check-prefix=NONE
// RUN: npu-opt %t/rope.mlir --npu-legalize-distributions --npu-lower-to-tiles -o %t/rope-tiles.mlir
// RUN: %python %S/Inputs/tamper_transfers.py npu-opt %t/rope-tiles.mlir | FileCheck %s --check-prefix=NONE
// RUN: npu-opt %t/order.mlir --npu-legalize-distributions --npu-lower-to-tiles -o %t/order-tiles.mlir
// RUN: %python %S/Inputs/tamper_transfers.py npu-opt %t/order-tiles.mlir | FileCheck %s --check-prefix=NONE
// RUN: npu-opt %t/loop.mlir --npu-legalize-distributions --npu-lower-to-tiles -o %t/loop-tiles.mlir
// RUN: %python %S/Inputs/tamper_transfers.py npu-opt %t/loop-tiles.mlir | FileCheck %s --check-prefix=NONE
// RUN: npu-opt %t/conv.mlir --npu-legalize-distributions --npu-lower-to-tiles -o %t/conv-tiles.mlir
// RUN: %python %S/Inputs/tamper_transfers.py npu-opt %t/conv-tiles.mlir | FileCheck %s --check-prefix=NONE
// RUN: npu-opt %t/halo.mlir --npu-legalize-distributions --npu-lower-to-tiles -o %t/halo-tiles.mlir
// RUN: %python %S/Inputs/tamper_transfers.py npu-opt %t/halo-tiles.mlir | FileCheck %s --check-prefix=HALO
//
// NONE-NOT: accepted,
// NONE: {{^}}0 of {{[1-9][0-9]+}} changes accepted
// HALO-COUNT-4: accepted, {{dropped|box cut}}: {{.*}} from tile
// HALO: {{^}}4 of {{[1-9][0-9]+}} changes accepted

//--- t.mlir
// Two tiles, from rows to columns.
module {
  func.func @main(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> attributes {npu.tiles = 2 : i64} {
    %0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2x6xf32>
    %1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2x6xf32>
    %t0 = npu.transfer %arg0[0, 0] from ddr to tile 0 into %0[0, 0] box [0:2, 0:6] bytes = 48 : tensor<4x6xf32> to tensor<2x6xf32>
    %t1 = npu.transfer %arg0[2, 0] from ddr to tile 1 into %1[0, 0] box [2:4, 0:6] bytes = 48 : tensor<4x6xf32> to tensor<2x6xf32>
    %2 = math.exp %t0 {npu.tile = 0 : i64} : tensor<2x6xf32>
    %3 = math.exp %t1 {npu.tile = 1 : i64} : tensor<2x6xf32>
    %4 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x3xf32>
    %extracted_slice = tensor.extract_slice %2[0, 0] [2, 3] [1, 1] {npu.tile = 0 : i64} : tensor<2x6xf32> to tensor<2x3xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice into %4[0, 0] [2, 3] [1, 1] {npu.tile = 0 : i64} : tensor<2x3xf32> into tensor<4x3xf32>
    %5 = tensor.empty() {npu.tile = 1 : i64} : tensor<4x3xf32>
    %extracted_slice_0 = tensor.extract_slice %3[0, 3] [2, 3] [1, 1] {npu.tile = 1 : i64} : tensor<2x6xf32> to tensor<2x3xf32>
    %inserted_slice_1 = tensor.insert_slice %extracted_slice_0 into %5[2, 0] [2, 3] [1, 1] {npu.tile = 1 : i64} : tensor<2x3xf32> into tensor<4x3xf32>
    %t1_2 = npu.transfer %2[0, 3] from tile 0 to tile 1 into %inserted_slice_1[0, 0] box [0:2, 3:6] bytes = 24 : tensor<2x6xf32> to tensor<4x3xf32>
    %t0_3 = npu.transfer %3[0, 0] from tile 1 to tile 0 into %inserted_slice[2, 0] box [2:4, 0:3] bytes = 24 : tensor<2x6xf32> to tensor<4x3xf32>
    %6 = math.absf %t0_3 {npu.tile = 0 : i64} : tensor<4x3xf32>
    %7 = math.absf %t1_2 {npu.tile = 1 : i64} : tensor<4x3xf32>
    %8 = tensor.empty() : tensor<4x6xf32>
    %ddr = npu.transfer %6[0, 0] from tile 0 to ddr into %8[0, 0] box [0:4, 0:3] bytes = 48 : tensor<4x3xf32> to tensor<4x6xf32>
    %ddr_4 = npu.transfer %7[0, 0] from tile 1 to ddr into %ddr[0, 3] box [0:4, 3:6] bytes = 48 : tensor<4x3xf32> to tensor<4x6xf32>
    return %ddr_4 : tensor<4x6xf32>
  }
}

//--- matmul.mlir
// A product, and its rows become columns.
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#cols = #npu.layout<SEGMENTED, tiles = [1, 2]>
#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @main(%x: tensor<4x6xf32, #rows>, %w: tensor<6x4xf32, #all>) -> tensor<4x4xf32, #cols> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32, #rows>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
  %m = linalg.matmul ins(%x, %w : tensor<4x6xf32, #rows>, tensor<6x4xf32, #all>) outs(%f : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
  %0 = npu.redistribute %m : tensor<4x4xf32, #rows> to tensor<4x4xf32, #cols>
  %1 = math.absf %0 : tensor<4x4xf32, #cols>
  return %1 : tensor<4x4xf32, #cols>
}

//--- rope.mlir
// Halves that change places: slices and a concatenation of the model itself.
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#cols = #npu.layout<SEGMENTED, tiles = [1, 2]>
#h = #npu.layout<SEGMENTED, tiles = [2, 1]>
func.func @main(%x: tensor<4x8xf32, #cols>, %c: tensor<4x8xf32, #rows>) -> tensor<4x8xf32, #rows> {
  %r = npu.redistribute %x : tensor<4x8xf32, #cols> to tensor<4x8xf32, #rows>
  %a = tensor.extract_slice %r[0, 0] [4, 4] [1, 1] : tensor<4x8xf32, #rows> to tensor<4x4xf32, #h>
  %b = tensor.extract_slice %r[0, 4] [4, 4] [1, 1] : tensor<4x8xf32, #rows> to tensor<4x4xf32, #h>
  %n = arith.negf %b : tensor<4x4xf32, #h>
  %t = tensor.concat dim(1) %n, %a : (tensor<4x4xf32, #h>, tensor<4x4xf32, #h>) -> tensor<4x8xf32, #rows>
  %m = arith.mulf %t, %c : tensor<4x8xf32, #rows>
  %s = arith.addf %m, %r : tensor<4x8xf32, #rows>
  return %s : tensor<4x8xf32, #rows>
}

//--- order.mlir
// Another memory order, and a cast that moves nothing.
#a = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>
#b = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], order = NHWC>
#c = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1], order = NHWC>
func.func @main(%x: tensor<1x4x3x2xf16, #a>) -> tensor<1x2x4x3xf16, #c> {
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3] : tensor<1x4x3x2xf16, #a> to tensor<1x2x4x3xf16, #b>
  %1 = npu.redistribute %0 : tensor<1x2x4x3xf16, #b> to tensor<1x2x4x3xf16, #c>
  return %1 : tensor<1x2x4x3xf16, #c>
}

//--- loop.mlir
// What a loop hands on.
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#cols = #npu.layout<SEGMENTED, tiles = [1, 2]>
func.func @main(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4x4xf32, #rows> {
    %1 = npu.redistribute %a : tensor<4x4xf32, #rows> to tensor<4x4xf32, #cols>
    %2 = math.absf %1 : tensor<4x4xf32, #cols>
    %3 = npu.redistribute %2 : tensor<4x4xf32, #cols> to tensor<4x4xf32, #rows>
    scf.yield %3 : tensor<4x4xf32, #rows>
  }
  return %r : tensor<4x4xf32, #rows>
}

//--- conv.mlir
// A halo, which a convolution reads.
#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1]>
#in = #npu.layout<OVERLAPPED, tiles = [1, 1, 2, 1], window = [[2, 3, 1, 0, 0]]>
#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @main(%x: tensor<1x2x6x4xf32, #rows>, %w: tensor<2x2x3x3xf32, #all>) -> tensor<1x2x4x2xf32, #rows> {
  %zero = arith.constant 0.0 : f32
  %a = math.absf %x : tensor<1x2x6x4xf32, #rows>
  %e = tensor.empty() : tensor<1x2x4x2xf32, #rows>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x4x2xf32, #rows>) -> tensor<1x2x4x2xf32, #rows>
  %h = npu.redistribute %a : tensor<1x2x6x4xf32, #rows> to tensor<1x2x6x4xf32, #in>
  %0 = linalg.conv_2d_nchw_fchw ins(%h, %w : tensor<1x2x6x4xf32, #in>, tensor<2x2x3x3xf32, #all>)
      outs(%f : tensor<1x2x4x2xf32, #rows>) -> tensor<1x2x4x2xf32, #rows>
  return %0 : tensor<1x2x4x2xf32, #rows>
}

//--- halo.mlir
// A halo that nobody reads: whether it is sent or not is all the same.
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#halo = #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>
func.func @main(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #halo> {
  %n = math.absf %x : tensor<8x4xf32, #rows>
  %0 = npu.redistribute %n : tensor<8x4xf32, #rows> to tensor<8x4xf32, #halo>
  return %0 : tensor<8x4xf32, #halo>
}
