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
