// Nothing that runs reads or writes outside of its buffers: where that depends on
// the run, an assertion stands in front; where it is known to be inside, none.
//
// RUN: npu-opt %s --npu-assert-bounds --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @of_run(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[I:.*]]: index
func.func @of_run(%x: memref<8xf32>, %i: index) -> f32 {
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[I]], %[[C8]] : index
  // CHECK: cf.assert %[[INSIDE]], "expected an index of the 8 entries of dimension 0"
  // CHECK: memref.load
  %0 = memref.load %x[%i] : memref<8xf32>
  return %0 : f32
}

// CHECK-LABEL: func.func @part_of_run(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[I:.*]]: index
func.func @part_of_run(%x: memref<8xf32>, %i: index) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 6
  // CHECK-DAG: %[[BEGINS:.*]] = arith.cmpi sge, %[[I]], %[[C0]]
  // CHECK-DAG: %[[ENDS:.*]] = arith.cmpi sle, %[[I]], %[[LAST]]
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[BEGINS]], %[[ENDS]]
  // CHECK: cf.assert %[[INSIDE]], "expected a slice inside the 8 entries of dimension 0"
  // CHECK: memref.subview
  %0 = memref.subview %x[%i] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
  return
}

// Negative strides of the run reach in front of their offset, and their product
// with the size may overflow.
// CHECK-LABEL: func.func @steps_of_run(
// CHECK: arith.mulsi_extended
// CHECK: cf.assert %{{.*}}, "expected a slice inside the 8 entries of dimension 0"
// CHECK: memref.subview
func.func @steps_of_run(%x: memref<8xf32>, %n: index, %step: index) {
  %0 = memref.subview %x[7] [%n] [%step] : memref<8xf32> to memref<?xf32, strided<[?], offset: 7>>
  return
}

// Extents of the run.
// CHECK-LABEL: func.func @extents_of_run(
// CHECK: cf.assert %{{.*}}, "expected as many entries in dimension 0 of what is copied as of where it is copied to"
// CHECK: memref.copy
// CHECK: cf.assert %{{.*}}, "expected 8 entries in dimension 0"
// CHECK: memref.cast
func.func @extents_of_run(%x: memref<?xf32>, %y: memref<8xf32>) -> memref<8xf32> {
  memref.copy %x, %y : memref<?xf32> to memref<8xf32>
  %0 = memref.cast %x : memref<?xf32> to memref<8xf32>
  return %0 : memref<8xf32>
}

// What loops and constants keep inside needs no assertion: nothing else in this file
// of the same shape does.
// CHECK-LABEL: func.func @known(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @known(%x: memref<8x4xf32>, %y: memref<4x2xf32, strided<[4, 1]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %part = memref.subview %x[1, 2] [4, 2] [2, 1] : memref<8x4xf32> to memref<4x2xf32, strided<[8, 1], offset: 6>>
  %back = memref.subview %x[7, 0] [4, 2] [-2, 1] : memref<8x4xf32> to memref<4x2xf32, strided<[-8, 1], offset: 28>>
  memref.copy %part, %y : memref<4x2xf32, strided<[8, 1], offset: 6>> to memref<4x2xf32, strided<[4, 1]>>
  scf.for %i = %c0 to %c4 step %c1 {
    %j = arith.addi %i, %c4 : index
    %0 = memref.load %x[%j, %i] : memref<8x4xf32>
    memref.store %0, %x[%i, %i] : memref<8x4xf32>
  }
  return
}

// The same loop reaches one entry further here.
// CHECK-LABEL: func.func @one_too_far(
// CHECK: cf.assert %{{.*}}, "expected an index of the 8 entries of dimension 0"
// CHECK-NEXT: memref.load
func.func @one_too_far(%x: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
    %j = arith.addi %i, %c5 : index
    %0 = memref.load %x[%j] : memref<8xf32>
    %1 = arith.addf %s, %0 : f32
    scf.yield %1 : f32
  }
  return %sum : f32
}
