// Copies that nothing can tell from what they copy are left out, and others are
// not.
//
// RUN: npu-opt %s --npu-elide-copies --canonicalize --split-input-file | FileCheck %s

#part = strided<[8, 1], offset: 16>
#other = strided<[8, 1], offset: 24>

// What is loaded is read where it is, what is stored is written where it goes.
// CHECK-LABEL: func.func @add
// CHECK-DAG: %[[A:.*]] = memref.subview %arg0[2, 0]
// CHECK-DAG: %[[B:.*]] = memref.subview %arg1[2, 0]
// CHECK-DAG: %[[R:.*]] = memref.subview %arg2[2, 0]
// CHECK-NEXT: linalg.add ins(%[[A]], %[[B]] : {{.*}}) outs(%[[R]] :
// CHECK-NEXT: return
func.func @add(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %r: memref<8x8xf32>,
               %arena: memref<512xi8, 1> {npu.arena = 0 : i64}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = memref.view %arena[%c0][] : memref<512xi8, 1> to memref<2x8xf32, 1>
  %pa = memref.subview %a[2, 0] [2, 8] [1, 1] : memref<8x8xf32> to memref<2x8xf32, #part>
  memref.copy %pa, %x : memref<2x8xf32, #part> to memref<2x8xf32, 1>
  %y = memref.view %arena[%c64][] : memref<512xi8, 1> to memref<2x8xf32, 1>
  %pb = memref.subview %b[2, 0] [2, 8] [1, 1] : memref<8x8xf32> to memref<2x8xf32, #part>
  memref.copy %pb, %y : memref<2x8xf32, #part> to memref<2x8xf32, 1>
  %z = memref.alloc() : memref<2x8xf32, 1>
  linalg.add ins(%x, %y : memref<2x8xf32, 1>, memref<2x8xf32, 1>) outs(%z : memref<2x8xf32, 1>)
  %pr = memref.subview %r[2, 0] [2, 8] [1, 1] : memref<8x8xf32> to memref<2x8xf32, #part>
  memref.copy %z, %pr : memref<2x8xf32, 1> to memref<2x8xf32, #part>
  memref.dealloc %z : memref<2x8xf32, 1>
  return
}

// -----

// A result in the place of an operand, which ends there, is another buffer.
// CHECK-LABEL: func.func @written_over_operand
// CHECK-NOT: memref.copy
// CHECK: linalg.exp ins(%arg0 : {{.*}}) outs(%arg1 :
// CHECK-NOT: memref.copy
func.func @written_over_operand(%a: memref<2x8xf32>, %r: memref<2x8xf32>) {
  %arena = memref.alloc() : memref<64xi8>
  %c0 = arith.constant 0 : index
  %x = memref.view %arena[%c0][] : memref<64xi8> to memref<2x8xf32>
  memref.copy %a, %x : memref<2x8xf32> to memref<2x8xf32>
  linalg.exp ins(%x : memref<2x8xf32>) outs(%x : memref<2x8xf32>)
  memref.copy %x, %r : memref<2x8xf32> to memref<2x8xf32>
  return
}

// -----

// A view of another type reads what a copy brings.
// CHECK-LABEL: func.func @read_by_another_view
// CHECK: memref.copy %arg0,
func.func @read_by_another_view(%a: memref<4xf32>, %r: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<16xi8>
  %x = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  %y = memref.view %arena[%c0][] : memref<16xi8> to memref<2x2xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%y : memref<2x2xf32>) outs(%r : memref<2x2xf32>)
  return
}

// -----

// The next iteration reads what a copy brings.
// CHECK-LABEL: func.func @read_by_next_iteration
// CHECK: scf.for
// CHECK: linalg.exp
// CHECK: memref.copy %arg1,
func.func @read_by_next_iteration(%a: memref<4xf32>, %b: memref<4xf32>, %r: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %arena = memref.alloc() : memref<16xi8>
  %first = memref.view %arena[%c0][] : memref<16xi8> to memref<2x2xf32>
  %given = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  memref.copy %given, %first : memref<2x2xf32> to memref<2x2xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %x = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%r : memref<4xf32>)
    memref.copy %b, %x : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

// Each iteration fills its places of an arena, in which other buffers were before
// and are after.
// CHECK-LABEL: func.func @filled_by_each_iteration
// CHECK-NOT: memref.copy
// CHECK: linalg.exp ins(%arg0 : {{.*}}) outs(%arg2 :
// CHECK-NOT: memref.copy
// CHECK: return
func.func @filled_by_each_iteration(%a: memref<4xf32>, %b: memref<4xf32>, %r: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %arena = memref.alloc() : memref<32xi8>
  scf.for %i = %c0 to %c2 step %c1 {
    %x = memref.view %arena[%c0][] : memref<32xi8> to memref<4xf32>
    memref.copy %a, %x : memref<4xf32> to memref<4xf32>
    %y = memref.view %arena[%c16][] : memref<32xi8> to memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    memref.copy %y, %r : memref<4xf32> to memref<4xf32>
    %z = memref.view %arena[%c0][] : memref<32xi8> to memref<2x4xf32>
    %expanded = memref.expand_shape %b [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
    %row = memref.subview %z[0, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<1x4xf32, strided<[4, 1]>>
    linalg.fill ins(%zero : f32) outs(%z : memref<2x4xf32>)
    linalg.exp ins(%row : memref<1x4xf32, strided<[4, 1]>>) outs(%expanded : memref<1x4xf32>)
  }
  return
}

// -----

// Who gave the arena may look into it afterwards.
// CHECK-LABEL: func.func @arena_is_given
// CHECK: memref.copy %arg0,
func.func @arena_is_given(%a: memref<4xf32>, %r: memref<4xf32>, %arena: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %x = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%r : memref<4xf32>)
  return
}

// -----

// The source is written before the buffer is read for the last time.
// CHECK-LABEL: func.func @source_is_written
// CHECK: memref.copy %arg0, %[[X:.*]] :
// CHECK: linalg.fill {{.*}} outs(%arg0 :
// CHECK: linalg.exp ins(%[[X]] :
func.func @source_is_written(%a: memref<4xf32>, %r: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  linalg.exp ins(%x : memref<4xf32>) outs(%r : memref<4xf32>)
  memref.dealloc %x : memref<4xf32>
  return
}

// -----

// Another part of the source is written.
// CHECK-LABEL: func.func @another_part_is_written
// CHECK-NOT: memref.copy
// CHECK: return
func.func @another_part_is_written(%a: memref<8xf32>, %r: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<4xf32>
  %front = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %back = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %front, %x : memref<4xf32, strided<[1]>> to memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%back : memref<4xf32, strided<[1], offset: 4>>)
  linalg.exp ins(%x : memref<4xf32>) outs(%r : memref<4xf32>)
  memref.dealloc %x : memref<4xf32>
  return
}

// -----

// The buffer that is filled is changed, and its source stays.
// CHECK-LABEL: func.func @buffer_is_changed
// CHECK: memref.copy %arg0, %[[X:.*]] :
// CHECK: linalg.exp ins(%[[X]] : memref<4xf32>) outs(%[[X]] :
func.func @buffer_is_changed(%a: memref<4xf32>, %r: memref<4xf32>) {
  %x = memref.alloc() : memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  linalg.exp ins(%x : memref<4xf32>) outs(%r : memref<4xf32>)
  memref.dealloc %x : memref<4xf32>
  return
}

// -----

// The place that a result is stored to is read until it is stored.
// CHECK-LABEL: func.func @place_is_read
// CHECK: linalg.exp ins(%arg0 : memref<4xf32>) outs(%[[X:.*]] :
// CHECK: linalg.exp ins(%arg1 :
// CHECK: memref.copy %[[X]], %arg1
func.func @place_is_read(%a: memref<4xf32>, %r: memref<4xf32>, %s: memref<4xf32>) {
  %x = memref.alloc() : memref<4xf32>
  linalg.exp ins(%a : memref<4xf32>) outs(%x : memref<4xf32>)
  linalg.exp ins(%r : memref<4xf32>) outs(%s : memref<4xf32>)
  memref.copy %x, %r : memref<4xf32> to memref<4xf32>
  memref.dealloc %x : memref<4xf32>
  return
}

// -----

// The place is written again while the buffer is still read.
// CHECK-LABEL: func.func @place_is_overwritten
// CHECK: memref.copy %{{.*}}, %arg1
func.func @place_is_overwritten(%a: memref<4xf32>, %r: memref<4xf32>, %s: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<4xf32>
  linalg.exp ins(%a : memref<4xf32>) outs(%x : memref<4xf32>)
  memref.copy %x, %r : memref<4xf32> to memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%r : memref<4xf32>)
  linalg.exp ins(%x : memref<4xf32>) outs(%s : memref<4xf32>)
  memref.dealloc %x : memref<4xf32>
  return
}

// -----

// A result that is stored and then read goes on being read, where it went. Views
// of the buffer become views of the place.
// CHECK-LABEL: func.func @stored_and_read
// CHECK-NOT: memref.copy
// CHECK: linalg.exp ins(%arg0 : memref<4xf32>) outs(%arg1 :
// CHECK: %[[H:.*]] = memref.subview %arg1[2]
// CHECK: linalg.exp ins(%[[H]] :
func.func @stored_and_read(%a: memref<4xf32>, %r: memref<4xf32>, %s: memref<2xf32>) {
  %x = memref.alloc() : memref<4xf32>
  linalg.exp ins(%a : memref<4xf32>) outs(%x : memref<4xf32>)
  memref.copy %x, %r : memref<4xf32> to memref<4xf32>
  %h = memref.subview %x[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  linalg.exp ins(%h : memref<2xf32, strided<[1], offset: 2>>) outs(%s : memref<2xf32>)
  memref.dealloc %x : memref<4xf32>
  return
}

// -----

// A call may do anything with what it is given, and a function that is called may
// be given one buffer twice.
// CHECK-LABEL: func.func @called
// CHECK: memref.copy
// CHECK-LABEL: func.func private @private
// CHECK: memref.copy
func.func private @use(memref<4xf32>)
func.func @called(%a: memref<4xf32>) {
  %x = memref.alloc() : memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  func.call @use(%x) : (memref<4xf32>) -> ()
  memref.dealloc %x : memref<4xf32>
  return
}
func.func private @private(%a: memref<4xf32>, %r: memref<4xf32>) {
  %x = memref.alloc() : memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%r : memref<4xf32>)
  memref.dealloc %x : memref<4xf32>
  return
}
func.func @calls(%a: memref<4xf32>) {
  func.call @private(%a, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Constants are never written; other globals may be.
// CHECK-LABEL: func.func @globals
// CHECK: %[[C:.*]] = memref.get_global @constant
// CHECK: %[[V:.*]] = memref.get_global @variable
// CHECK: memref.copy %[[V]], %[[Y:.*]] :
// CHECK: linalg.add ins(%[[C]], %[[Y]] :
memref.global "private" constant @constant : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global "private" @variable : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @globals(%r: memref<4xf32>) {
  %c = memref.get_global @constant : memref<4xf32>
  %v = memref.get_global @variable : memref<4xf32>
  %x = memref.alloc() : memref<4xf32>
  %y = memref.alloc() : memref<4xf32>
  memref.copy %c, %x : memref<4xf32> to memref<4xf32>
  memref.copy %v, %y : memref<4xf32> to memref<4xf32>
  linalg.add ins(%x, %y : memref<4xf32>, memref<4xf32>) outs(%r : memref<4xf32>)
  memref.dealloc %x : memref<4xf32>
  memref.dealloc %y : memref<4xf32>
  return
}

// -----

// A function that is called has a part of the scratchpad to itself, and leaves
// nothing there that the caller reads.
// CHECK-LABEL: func.func @scratchpad_of_callee
// CHECK-NOT: memref.copy
// CHECK: linalg.exp ins(%arg0 : {{.*}}) outs(%arg1 :
// CHECK: call @callee
func.func private @callee(%arena: memref<16xi8, 1> {npu.arena = 0 : i64}) {
  return
}
func.func @scratchpad_of_callee(%a: memref<4xf32>, %r: memref<4xf32>, %arena: memref<16xi8, 1> {npu.arena = 0 : i64}) {
  %c0 = arith.constant 0 : index
  %x = memref.view %arena[%c0][] : memref<16xi8, 1> to memref<4xf32, 1>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32, 1>
  linalg.exp ins(%x : memref<4xf32, 1>) outs(%r : memref<4xf32>)
  %its = memref.view %arena[%c0][] : memref<16xi8, 1> to memref<16xi8, 1>
  call @callee(%its) : (memref<16xi8, 1>) -> ()
  return
}

// -----

// A buffer may not be written while a message from it is under way, which it is
// until the wait.
// CHECK-LABEL: func.func @message
// CHECK: linalg.exp {{.*}} outs(%[[B:alloc.*]] :
// CHECK: mpi.wait
// CHECK: memref.copy %[[B]], %arg1
func.func @message(%x: memref<4xf32>, %s: memref<4xf32>, %tag: i32, %rank: i32) {
  %comm = mpi.comm_world : !mpi.comm
  %request = mpi.isend(%s, %tag, %rank, %comm) : memref<4xf32>, i32, i32 -> !mpi.request
  %b = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  mpi.wait(%request) : !mpi.request
  memref.copy %b, %s : memref<4xf32> to memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return
}
