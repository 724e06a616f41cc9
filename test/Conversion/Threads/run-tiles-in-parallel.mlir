// Tiles' operations in phases: what is independent runs at the same time, and
// whatever may touch the same memory stays in program order.
//
// RUN: npu-opt %s --split-input-file --npu-run-tiles-in-parallel | FileCheck %s
// RUN: npu-opt %s --split-input-file --npu-run-tiles-in-parallel --npu-outline-tasks | FileCheck %s --check-prefix=OUTLINED

// Both tiles compute; then tile 1 takes from tile 0, while tile 0 goes on with
// what nobody else writes; then tile 0 writes over what tile 1 has read.
// CHECK-LABEL: func.func @two_tiles
// CHECK: %[[A:.*]] = async.execute attributes {npu.phase = 0 : i64, npu.tile = 0 : i64} {
// CHECK-NEXT: linalg.exp ins(%arg0 : {{.*}}) outs(%arg1
// CHECK-NEXT: linalg.negf ins(%arg1 : {{.*}}) outs(%arg0
// CHECK-NEXT: async.yield
// CHECK: %[[B:.*]] = async.execute attributes {npu.phase = 0 : i64, npu.tile = 1 : i64} {
// CHECK-NEXT: linalg.exp ins(%arg2 : {{.*}}) outs(%arg3
// CHECK-NEXT: async.yield
// CHECK: async.await %[[A]]
// CHECK: async.await %[[B]]
// CHECK-NEXT: memref.copy %arg1, %arg3
// CHECK-NEXT: linalg.exp ins(%arg2 : {{.*}}) outs(%arg1
// CHECK-NEXT: return
// OUTLINED: func.func private @two_tiles_task0_tile0(%{{.*}}: memref<4xf32, 1>, %{{.*}}: memref<4xf32, 1>) attributes {passthrough = ["noinline"]}
// OUTLINED-LABEL: func.func @two_tiles
// OUTLINED: async.execute
// OUTLINED-NEXT: func.call @two_tiles_task0_tile0
// OUTLINED-NEXT: async.yield
func.func @two_tiles(%a: memref<4xf32, 1>, %b: memref<4xf32, 1>,
                     %c: memref<4xf32, 2>, %d: memref<4xf32, 2>) {
  linalg.exp ins(%a : memref<4xf32, 1>) outs(%b : memref<4xf32, 1>)
  linalg.exp ins(%c : memref<4xf32, 2>) outs(%d : memref<4xf32, 2>)
  memref.copy %b, %d : memref<4xf32, 1> to memref<4xf32, 2>
  linalg.negf ins(%b : memref<4xf32, 1>) outs(%a : memref<4xf32, 1>)
  linalg.exp ins(%c : memref<4xf32, 2>) outs(%b : memref<4xf32, 1>)
  return
}

// -----

// Stores to disjoint boxes of one DDR buffer run at the same time; one that
// overlaps another tile's comes in the next phase.
// CHECK-LABEL: func.func @stores
// CHECK: async.execute attributes {npu.phase = 0 : i64, npu.tile = 0 : i64}
// CHECK: memref.subview %arg2[0] [4] [1]
// CHECK: async.execute attributes {npu.phase = 0 : i64, npu.tile = 1 : i64}
// CHECK: memref.subview %arg2[4] [4] [1]
// CHECK: async.await
// CHECK: async.await
// CHECK-NOT: async.execute
// CHECK: memref.subview %arg2[3] [4] [1]
// CHECK: return
func.func @stores(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>, %out: memref<8xf32>) {
  %0 = memref.subview %out[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %1 = memref.subview %out[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %2 = memref.subview %out[3] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 3>>
  memref.copy %a, %0 : memref<4xf32, 1> to memref<4xf32, strided<[1]>>
  memref.copy %b, %1 : memref<4xf32, 2> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %b, %2 : memref<4xf32, 2> to memref<4xf32, strided<[1], offset: 3>>
  return
}

// -----

// An arena is one buffer with views. Halos that tiles exchange lie in different
// bytes of it, so they are moved at the same time.
// CHECK-LABEL: func.func @arenas
// CHECK: async.execute attributes {npu.phase = 0 : i64, npu.tile = 1 : i64}
// CHECK: memref.copy
// CHECK: async.execute attributes {npu.phase = 0 : i64, npu.tile = 0 : i64}
// CHECK: memref.copy
// CHECK: async.await
// CHECK: async.await
// CHECK-NOT: async.execute
// CHECK: return
func.func @arenas(%x: memref<128xi8, 1>, %y: memref<128xi8, 2>) {
  %at0 = arith.constant 0 : index
  %at64 = arith.constant 64 : index
  %x0 = memref.view %x[%at0][] : memref<128xi8, 1> to memref<16xf32, 1>
  %x1 = memref.view %x[%at64][] : memref<128xi8, 1> to memref<16xf32, 1>
  %y0 = memref.view %y[%at0][] : memref<128xi8, 2> to memref<16xf32, 2>
  %y1 = memref.view %y[%at64][] : memref<128xi8, 2> to memref<16xf32, 2>
  memref.copy %x0, %y1 : memref<16xf32, 1> to memref<16xf32, 2>
  memref.copy %y0, %x1 : memref<16xf32, 2> to memref<16xf32, 1>
  return
}

// -----

// The same with views that share a byte: one after the other.
// CHECK-LABEL: func.func @arenas_that_overlap
// CHECK-NOT: async
// CHECK: return
func.func @arenas_that_overlap(%x: memref<128xi8, 1>, %y: memref<128xi8, 2>) {
  %at0 = arith.constant 0 : index
  %at63 = arith.constant 63 : index
  %at64 = arith.constant 64 : index
  %x0 = memref.view %x[%at0][] : memref<128xi8, 1> to memref<16xf32, 1>
  %x1 = memref.view %x[%at63][] : memref<128xi8, 1> to memref<16xf32, 1>
  %y0 = memref.view %y[%at0][] : memref<128xi8, 2> to memref<16xf32, 2>
  %y1 = memref.view %y[%at64][] : memref<128xi8, 2> to memref<16xf32, 2>
  memref.copy %x0, %y1 : memref<16xf32, 1> to memref<16xf32, 2>
  memref.copy %y0, %x1 : memref<16xf32, 2> to memref<16xf32, 1>
  return
}

// -----

// A private function can be called with one buffer twice.
// CHECK-LABEL: func.func private @may_be_one
// CHECK-NOT: async
// CHECK: return
func.func private @may_be_one(%x: memref<4xf32>, %a: memref<4xf32, 1>,
                              %y: memref<4xf32>, %b: memref<4xf32, 2>) {
  memref.copy %a, %x : memref<4xf32, 1> to memref<4xf32>
  memref.copy %b, %y : memref<4xf32, 2> to memref<4xf32>
  return
}

// -----

// A buffer that only one task uses is the task's; one that crosses phases is
// there before, and is freed when all have ended.
// CHECK-LABEL: func.func @buffers
// CHECK: %[[SHARED:.*]] = memref.alloc() : memref<4xf32, 1>
// CHECK-NEXT: async.execute attributes {npu.phase = 0 : i64, npu.tile = 0 : i64}
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<8xf32, 1>
// CHECK: memref.dealloc %[[OWN]]
// CHECK: linalg.exp {{.*}} outs(%[[SHARED]]
// CHECK: async.execute attributes {npu.phase = 0 : i64, npu.tile = 1 : i64}
// CHECK: async.await
// CHECK: async.await
// CHECK: memref.copy %[[SHARED]], %arg1
// CHECK: memref.dealloc %[[SHARED]]
func.func @buffers(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>) {
  %own = memref.alloc() : memref<8xf32, 1>
  %part = memref.subview %own[2] [4] [1] : memref<8xf32, 1> to memref<4xf32, strided<[1], offset: 2>, 1>
  linalg.exp ins(%a : memref<4xf32, 1>) outs(%part : memref<4xf32, strided<[1], offset: 2>, 1>)
  linalg.exp ins(%part : memref<4xf32, strided<[1], offset: 2>, 1>) outs(%a : memref<4xf32, 1>)
  memref.dealloc %own : memref<8xf32, 1>
  linalg.exp ins(%b : memref<4xf32, 2>) outs(%b : memref<4xf32, 2>)
  %shared = memref.alloc() : memref<4xf32, 1>
  linalg.exp ins(%a : memref<4xf32, 1>) outs(%shared : memref<4xf32, 1>)
  memref.copy %shared, %b : memref<4xf32, 1> to memref<4xf32, 2>
  memref.dealloc %shared : memref<4xf32, 1>
  return
}

// -----

// Loops run alone with phases inside; what is not known runs when nothing else
// does; a number that is loaded is there for those who want it.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: async.execute attributes {npu.phase = 0 : i64, npu.tile = 0 : i64}
// CHECK: async.execute attributes {npu.phase = 0 : i64, npu.tile = 1 : i64}
// CHECK: async.await
// CHECK: async.await
// CHECK: }
// CHECK: call @unknown
// CHECK: %[[N:.*]] = memref.load %arg2
// CHECK: async.execute attributes {npu.phase = 0 : i64, npu.tile = 0 : i64}
// CHECK: linalg.fill ins(%[[N]] : f32) outs(%arg0
// CHECK: async.execute attributes {npu.phase = 0 : i64, npu.tile = 1 : i64}
// CHECK: linalg.fill ins(%[[N]] : f32) outs(%arg1
func.func private @unknown()
func.func @loop(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>, %n: memref<f32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %one {
    linalg.exp ins(%a : memref<4xf32, 1>) outs(%a : memref<4xf32, 1>)
    linalg.exp ins(%b : memref<4xf32, 2>) outs(%b : memref<4xf32, 2>)
  }
  func.call @unknown() : () -> ()
  %x = memref.load %n[] : memref<f32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32, 1>)
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32, 2>)
  return
}

// -----

// What loops carry may be any buffer of its tile: tile 0's copies out of it come
// after whatever writes to tile 0.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for
// CHECK-NOT: async
// CHECK: memref.copy %arg2, %arg0
// CHECK: memref.copy %{{.*}}, %arg1
// CHECK: return
func.func @carried(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>, %x: memref<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = scf.for %i = %zero to %one step %one iter_args(%v = %a) -> memref<4xf32, 1> {
    scf.yield %v : memref<4xf32, 1>
  }
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  memref.copy %c, %b : memref<4xf32, 1> to memref<4xf32, 2>
  return
}
