// What is computed and read twice is computed and read once, as long as nothing may have
// been written in between.
//
// RUN: npu-opt %s --npu-merge-equal-operations | FileCheck %s

// Numbers are the same in every block that the first one dominates.
// CHECK-LABEL: func @numbers
// CHECK-NEXT: %[[SUM:.*]] = arith.addi
// CHECK-NEXT: cf.cond_br
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: return %[[SUM]] : i32
// CHECK: ^bb3:
// CHECK-NEXT: arith.muli
// CHECK: ^bb4:
// CHECK-NEXT: arith.muli
func.func @numbers(%a: i32, %b: i32, %first: i1, %second: i1) -> i32 {
  %0 = arith.addi %a, %b : i32
  cf.cond_br %first, ^bb1, ^bb2
^bb1:
  %1 = arith.addi %a, %b : i32
  return %1 : i32
^bb2:
  cf.cond_br %second, ^bb3, ^bb4
^bb3:
  %2 = arith.muli %a, %b : i32
  cf.br ^bb5(%2 : i32)
^bb4:
  %3 = arith.muli %a, %b : i32
  cf.br ^bb5(%3 : i32)
^bb5(%4: i32):
  return %4 : i32
}

// CHECK-LABEL: func @reads
// CHECK-NEXT: %[[ONE:.*]] = memref.load
// CHECK-NEXT: memref.store %[[ONE]]
// CHECK-NEXT: %[[TWO:.*]] = memref.load
// CHECK-NEXT: cf.br
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[THREE:.*]] = memref.load
// CHECK-NEXT: call
// CHECK-NEXT: %[[FOUR:.*]] = memref.load
// CHECK-NEXT: return %[[ONE]], %[[ONE]], %[[TWO]], %[[THREE]], %[[FOUR]], %[[FOUR]]
func.func @reads(%a: memref<8xf32>, %b: memref<8xf32>, %i: index) -> (f32, f32, f32, f32, f32, f32) {
  %0 = memref.load %a[%i] : memref<8xf32>
  %1 = memref.load %a[%i] : memref<8xf32>
  memref.store %1, %b[%i] : memref<8xf32>
  %2 = memref.load %a[%i] : memref<8xf32>
  cf.br ^bb1
^bb1:
  %3 = memref.load %a[%i] : memref<8xf32>
  call @other() : () -> ()
  %4 = memref.load %a[%i] : memref<8xf32>
  %5 = memref.load %a[%i] : memref<8xf32>
  return %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
}
func.func private @other()

// What is inside of a loop is left as it is, and may write.
// CHECK-LABEL: func @loops
// CHECK-COUNT-2: memref.load
// CHECK: scf.for
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.load
// CHECK: memref.load
// CHECK: return
func.func @loops(%a: memref<8xf32>, %i: index, %j: index) -> (f32, f32, f32) {
  %step = arith.constant 1 : index
  %0 = memref.load %a[%i] : memref<8xf32>
  %1 = memref.load %a[%j] : memref<8xf32>
  scf.for %k = %i to %j step %step {
    %2 = memref.load %a[%i] : memref<8xf32>
    %3 = memref.load %a[%i] : memref<8xf32>
    %4 = arith.addf %2, %3 : f32
    memref.store %4, %a[%i] : memref<8xf32>
  }
  %5 = memref.load %a[%i] : memref<8xf32>
  return %0, %1, %5 : f32, f32, f32
}
