// What a loop hands on stays in one place: the sums of a loop are right in an
// arena, also where two buffers are swapped.
//
// RUN: npu-opt %s --npu-pin-loop-buffers | FileCheck %s
// RUN: npu-opt %s --npu-pin-loop-buffers --npu-plan-scratchpad -o %t.mlir
// RUN: npu-run %t.mlir --entry=double --inputs=iota | FileCheck %s --check-prefix=DOUBLE
// RUN: npu-run %t.mlir --entry=swap --inputs=iota | FileCheck %s --check-prefix=SWAP
// RUN: npu-run %t.mlir --entry=needed --inputs=iota | FileCheck %s --check-prefix=NEEDED
// RUN: npu-run %t.mlir --entry=views --inputs=iota | FileCheck %s --check-prefix=VIEWS

// 2^3 times 0 1 2 3.
// DOUBLE: result #0 4xf32: 0 8 16 24
// CHECK-LABEL: func.func @double
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: scf.for {{.*}} iter_args(%[[LAST:.*]] = %[[A]])
// CHECK-NEXT: %[[B:.*]] = memref.alloc()
// CHECK: memref.copy %[[B]], %[[LAST]]
// CHECK-NEXT: scf.yield %[[LAST]]
func.func @double(%x: memref<4xf32>, %out: memref<4xf32> {bufferize.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%last = %a) -> (memref<4xf32, 1>) {
    %b = memref.alloc() : memref<4xf32, 1>
    linalg.add ins(%last, %last : memref<4xf32, 1>, memref<4xf32, 1>) outs(%b : memref<4xf32, 1>)
    scf.yield %b : memref<4xf32, 1>
  }
  memref.copy %r, %out : memref<4xf32, 1> to memref<4xf32>
  return
}

// Three swaps: what was second is first, x + x and x.
// SWAP: result #0 2xf32: 0 2
// SWAP: result #1 2xf32: 0 1
// CHECK-LABEL: func.func @swap
// CHECK: scf.for {{.*}} iter_args(%[[L:.*]] = %{{.*}}, %[[R:.*]] = %{{.*}})
// CHECK: memref.copy %[[R]], %[[T0:.*]] :
// CHECK: memref.copy %[[L]], %[[T1:.*]] :
// CHECK-NEXT: memref.copy %[[T0]], %[[L]]
// CHECK-NEXT: memref.copy %[[T1]], %[[R]]
// CHECK-NEXT: scf.yield %[[L]], %[[R]]
func.func @swap(%x: memref<2xf32>, %out0: memref<2xf32> {bufferize.result}, %out1: memref<2xf32> {bufferize.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : memref<2xf32, 1>
  memref.copy %x, %a : memref<2xf32> to memref<2xf32, 1>
  %b = memref.alloc() : memref<2xf32, 1>
  linalg.add ins(%a, %a : memref<2xf32, 1>, memref<2xf32, 1>) outs(%b : memref<2xf32, 1>)
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%l = %a, %m = %b) -> (memref<2xf32, 1>, memref<2xf32, 1>) {
    scf.yield %m, %l : memref<2xf32, 1>, memref<2xf32, 1>
  }
  memref.copy %r#0, %out0 : memref<2xf32, 1> to memref<2xf32>
  memref.copy %r#1, %out1 : memref<2xf32, 1> to memref<2xf32>
  return
}

// What the loop begins with is needed later: the loop gets a copy. 4x - x.
// NEEDED: result #0 2xf32: 0 3
// CHECK-LABEL: func.func @needed
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[COPY:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[A]], %[[COPY]]
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
func.func @needed(%x: memref<2xf32>, %out: memref<2xf32> {bufferize.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() : memref<2xf32, 1>
  memref.copy %x, %a : memref<2xf32> to memref<2xf32, 1>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%last = %a) -> (memref<2xf32, 1>) {
    %b = memref.alloc() : memref<2xf32, 1>
    linalg.add ins(%last, %last : memref<2xf32, 1>, memref<2xf32, 1>) outs(%b : memref<2xf32, 1>)
    scf.yield %b : memref<2xf32, 1>
  }
  %d = memref.alloc() : memref<2xf32, 1>
  linalg.sub ins(%r, %a : memref<2xf32, 1>, memref<2xf32, 1>) outs(%d : memref<2xf32, 1>)
  memref.copy %d, %out : memref<2xf32, 1> to memref<2xf32>
  return
}

// The loop begins with a view at an offset, and goes on with one of another
// buffer: what carries them is a view of the same strides. 1 3 + 2 6, twice.
// VIEWS: result #0 2x1xf32: 6 18
// CHECK-LABEL: func.func @views
// CHECK: %[[ROW:.*]] = memref.alloc() : memref<4xf32, 1>
// CHECK-NEXT: %[[CARRIED:.*]] = memref.reinterpret_cast %[[ROW]] to offset: [1], sizes: [2, 1], strides: [2, 1]
// CHECK-NEXT: memref.copy %{{.*}}, %[[CARRIED]]
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = %[[CARRIED]])
func.func @views(%x: memref<2x2xf32>, %out: memref<2x1xf32> {bufferize.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() : memref<2x2xf32, 1>
  memref.copy %x, %a : memref<2x2xf32> to memref<2x2xf32, 1>
  %b = memref.alloc() : memref<2x2xf32, 1>
  linalg.add ins(%a, %a : memref<2x2xf32, 1>, memref<2x2xf32, 1>) outs(%b : memref<2x2xf32, 1>)
  %first = memref.subview %a[0, 1] [2, 1] [1, 1] : memref<2x2xf32, 1> to memref<2x1xf32, strided<[2, 1], offset: 1>, 1>
  %next = memref.subview %b[0, 1] [2, 1] [1, 1] : memref<2x2xf32, 1> to memref<2x1xf32, strided<[2, 1], offset: 1>, 1>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%last = %first) -> (memref<2x1xf32, strided<[2, 1], offset: 1>, 1>) {
    linalg.add ins(%last, %next : memref<2x1xf32, strided<[2, 1], offset: 1>, 1>, memref<2x1xf32, strided<[2, 1], offset: 1>, 1>) outs(%next : memref<2x1xf32, strided<[2, 1], offset: 1>, 1>)
    scf.yield %next : memref<2x1xf32, strided<[2, 1], offset: 1>, 1>
  }
  memref.copy %r, %out : memref<2x1xf32, strided<[2, 1], offset: 1>, 1> to memref<2x1xf32>
  return
}

// In DDR, or handed on as it was: nothing to do.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: memref.copy
// CHECK: return
func.func @nothing(%x: memref<2xf32>, %a: memref<2xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%l = %x, %m = %a) -> (memref<2xf32>, memref<2xf32, 1>) {
    %b = memref.alloc() : memref<2xf32>
    linalg.add ins(%l, %l : memref<2xf32>, memref<2xf32>) outs(%b : memref<2xf32>)
    scf.yield %b, %m : memref<2xf32>, memref<2xf32, 1>
  }
  linalg.exp ins(%r#0 : memref<2xf32>) outs(%x : memref<2xf32>)
  linalg.exp ins(%r#1 : memref<2xf32, 1>) outs(%a : memref<2xf32, 1>)
  return
}
