// Two views of one arena meet in bytes: the second half of the mask and the
// numbers share memory, so that nobody may write the one while the other is
// read. Buffers of which it is not known what they are are refused.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-run-tiles-in-parallel | FileCheck %s

// Tile 1 takes the mask, all 128 bytes of it, before tile 0 writes numbers over
// its second half: three phases of one task each.
// CHECK-LABEL: func.func @mask
// CHECK: memref.copy %{{.*}}, %[[M:.*]] : memref<128xi1> to memref<128xi1, 1>
// CHECK: memref.copy %[[M]], %{{.*}} : memref<128xi1, 1> to memref<128xi1, 2>
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<16xf32> to memref<16xf32, 1>
func.func @mask(%x: memref<128xi1>, %y: memref<16xf32>, %other: memref<128xi1, 2>, %arena: memref<128xi8, 1>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = memref.view %arena[%c0][] : memref<128xi8, 1> to memref<128xi1, 1>
  %n = memref.view %arena[%c64][] : memref<128xi8, 1> to memref<16xf32, 1>
  memref.copy %x, %m : memref<128xi1> to memref<128xi1, 1>
  memref.copy %m, %other : memref<128xi1, 1> to memref<128xi1, 2>
  memref.copy %y, %n : memref<16xf32> to memref<16xf32, 1>
  return
}

// -----

func.func @elsewhere(%a: memref<4xf32, 1>) {
  // expected-error @+1 {{expected operations that are known to give buffers of the memory space that they say, got 'memref.memory_space_cast'}}
  %b = memref.memory_space_cast %a : memref<4xf32, 1> to memref<4xf32, 2>
  return
}

// -----

// A memory space is DDR's or a tile's.
func.func @space_of_no_tile(%x: memref<4xi32>) {
  // expected-error @+1 {{expected buffers in memory spaces from 0 (DDR) to 4096 (the tile's number plus one), got 'memref<4xi32, 9223372036854775807>'}}
  %a = memref.alloc() : memref<4xi32, 9223372036854775807>
  memref.copy %x, %a {npu.tile = 0 : i64} : memref<4xi32> to memref<4xi32, 9223372036854775807>
  return
}

// -----

// Columns of 33 numbers of 4 bits begin inside of bytes: the two parts of
// column 0 share its byte 5, and so do those of later ones. The tiles write them
// one after the other, but the first column, of its own bytes, at any time.
// CHECK-LABEL: func.func @halves
// CHECK-DAG: npu.phase = 0 : i64, npu.tile = 0 : i64
// CHECK-DAG: npu.phase = 0 : i64, npu.tile = 2 : i64
// CHECK: async.await
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<2x22xi4, 2> to memref<2x22xi4, strided<[33, 1], offset: 77>>
func.func @halves(%a: memref<2x11xi4, 1>, %b: memref<2x22xi4, 2>, %c: memref<2x33xi4, 3>, %y: memref<5x33xi4>) {
  %left = memref.subview %y[2, 0] [2, 11] [1, 1] : memref<5x33xi4> to memref<2x11xi4, strided<[33, 1], offset: 66>>
  %right = memref.subview %y[2, 11] [2, 22] [1, 1] : memref<5x33xi4> to memref<2x22xi4, strided<[33, 1], offset: 77>>
  %rows = memref.subview %y[0, 0] [2, 33] [1, 1] : memref<5x33xi4> to memref<2x33xi4, strided<[33, 1]>>
  memref.copy %a, %left : memref<2x11xi4, 1> to memref<2x11xi4, strided<[33, 1], offset: 66>>
  memref.copy %b, %right : memref<2x22xi4, 2> to memref<2x22xi4, strided<[33, 1], offset: 77>>
  memref.copy %c, %rows : memref<2x33xi4, 3> to memref<2x33xi4, strided<[33, 1]>>
  return
}
