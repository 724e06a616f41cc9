// What has no plan, and a plan that is wrong.
//
// RUN: npu-opt %s --npu-plan-scratchpad --split-input-file --verify-diagnostics
// RUN: not npu-opt %s --npu-plan-scratchpad=format=xml 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not npu-opt %s --npu-plan-scratchpad=target=npu 2>&1 | FileCheck %s --check-prefix=TARGET
// FORMAT: npu-plan-scratchpad: unknown format 'xml', expected text or json
// TARGET: error: unknown target 'npu', expected npu3720, npu4000

func.func @dynamic(%n: index) {
  // expected-error @+1 {{expected a buffer of static size and identity layout on tile 0, got 'memref<?xf32, 1>'}}
  %a = memref.alloc(%n) : memref<?xf32, 1>
  return
}

// -----

func.func @leaves() -> memref<4xf32, 1> {
  %a = memref.alloc() : memref<4xf32, 1>
  // expected-error @+1 {{expected buffers of tiles to stay in the function, got 'memref<4xf32, 1>' as result #0}}
  return %a : memref<4xf32, 1>
}

// -----

// The next iteration reads what this one allocated: two buffers, not one.
func.func @handed_on(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32, 1>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%last = %a) -> (memref<4xf32, 1>) {
    // expected-error @+1 {{expected a tile's buffer that stays in its iteration, got one that 'scf.for' hands on; npu-pin-loop-buffers gives what scf.for hands on one place}}
    %b = memref.alloc() : memref<4xf32, 1>
    memref.copy %last, %b : memref<4xf32, 1> to memref<4xf32, 1>
    scf.yield %b : memref<4xf32, 1>
  }
  memref.copy %r, %x : memref<4xf32, 1> to memref<4xf32>
  return
}

// -----

// expected-error @+1 {{expected no recursion through 'again', which has buffers on tiles}}
func.func @again(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  call @again(%x) : (memref<4xf32>) -> ()
  memref.copy %a, %x : memref<4xf32, 1> to memref<4xf32>
  return
}

// -----

func.func @pointed_to(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32, 1>
  memref.copy %a, %x : memref<4xf32, 1> to memref<4xf32>
  return
}
func.func @points(%x: memref<4xf32>) {
  // expected-error @+1 {{expected only calls of 'pointed_to', which has buffers on tiles, got 'func.constant'}}
  %f = func.constant @pointed_to : (memref<4xf32>) -> ()
  call_indirect %f(%x) : (memref<4xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{the plan of tile 0's scratchpad is wrong: buffer 1: expected bytes 0:16 to be free, got buffer 0 there}}
func.func @overlaid(%x: memref<4xf32>, %arena: memref<32xi8, 1> {npu.arena = 0 : i64}) {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<32xi8, 1> to memref<4xf32, 1>
  %b = memref.view %arena[%c0][] : memref<32xi8, 1> to memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  memref.copy %a, %b : memref<4xf32, 1> to memref<4xf32, 1>
  memref.copy %b, %x : memref<4xf32, 1> to memref<4xf32>
  return
}

// -----

func.func @one_more(%x: memref<4xf32>, %arena: memref<32xi8, 1> {npu.arena = 0 : i64}) {
  // expected-error @+1 {{expected no further buffer of tile 0 in 'one_more', whose scratchpads are planned already}}
  %a = memref.alloc() : memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  return
}

// -----

func.func @moving(%x: memref<4xf32>, %i: index, %arena: memref<32xi8, 1> {npu.arena = 0 : i64}) {
  // expected-error @+1 {{expected a constant offset in tile 0's arena}}
  %a = memref.view %arena[%i][] : memref<32xi8, 1> to memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  return
}

// -----

// expected-error @+1 {{tile 0's scratchpad cannot be planned: buffer 0: expected at most 1152921504606846976 bytes in all, got more}}
func.func @huge(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<2000000000x1000000000xi8, 1>
  %v = memref.subview %a[0, 0] [1, 1] [1, 1] : memref<2000000000x1000000000xi8, 1> to memref<1x1xi8, strided<[1000000000, 1]>, 1>
  memref.copy %v, %v : memref<1x1xi8, strided<[1000000000, 1]>, 1> to memref<1x1xi8, strided<[1000000000, 1]>, 1>
  return
}
