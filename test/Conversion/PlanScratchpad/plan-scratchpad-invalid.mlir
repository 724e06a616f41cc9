// What has no plan, and a plan that is wrong.
//
// RUN: npu-opt %s --npu-plan-scratchpad --split-input-file --verify-diagnostics
// RUN: not npu-opt %s --npu-plan-scratchpad="report format=xml" 2>&1 | FileCheck %s --check-prefix=FORMAT
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
    // expected-error @+1 {{expected a tile's buffer that stays in its iteration, got one that 'scf.for' hands on; npu-pin-loop-buffers gives what scf.for and scf.while hand on one place}}
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

func.func @huge(%x: memref<4xf32>) {
  // expected-error @+1 {{expected tensors of at most 2^60 bytes, got 'memref<2000000000x1000000000xi8, 1>' as result #0}}
  %a = memref.alloc() : memref<2000000000x1000000000xi8, 1>
  %v = memref.subview %a[0, 0] [1, 1] [1, 1] : memref<2000000000x1000000000xi8, 1> to memref<1x1xi8, strided<[1000000000, 1]>, 1>
  memref.copy %v, %v : memref<1x1xi8, strided<[1000000000, 1]>, 1> to memref<1x1xi8, strided<[1000000000, 1]>, 1>
  return
}

// -----

// expected-error @+1 {{tile 0's scratchpad cannot be planned: buffer 1: expected at most 1152921504606846976 bytes in all, got more}}
func.func @huge_together(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<1000000000x1000000000xi8, 1>
  %b = memref.alloc() : memref<1000000000x1000000000xi8, 1>
  %v = memref.subview %a[0, 0] [1, 1] [1, 1] : memref<1000000000x1000000000xi8, 1> to memref<1x1xi8, strided<[1000000000, 1]>, 1>
  %w = memref.subview %b[0, 0] [1, 1] [1, 1] : memref<1000000000x1000000000xi8, 1> to memref<1x1xi8, strided<[1000000000, 1]>, 1>
  memref.copy %v, %w : memref<1x1xi8, strided<[1000000000, 1]>, 1> to memref<1x1xi8, strided<[1000000000, 1]>, 1>
  return
}

// -----

// Bytes 64:80 of 72.
func.func @outside(%x: memref<4xf32>, %arena: memref<72xi8, 1> {npu.arena = 0 : i64}) {
  %c64 = arith.constant 64 : index
  // expected-error @+1 {{expected a buffer inside the 72 bytes of tile 0's arena, got 16 bytes at offset 64}}
  %a = memref.view %arena[%c64][] : memref<72xi8, 1> to memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  return
}

// -----

func.func @before_it(%x: memref<4xf32>, %arena: memref<72xi8, 1> {npu.arena = 0 : i64}) {
  %c = arith.constant -64 : index
  // expected-error @+1 {{expected a buffer inside the 72 bytes of tile 0's arena, got 16 bytes at offset -64}}
  %a = memref.view %arena[%c][] : memref<72xi8, 1> to memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  return
}

// -----

// Another view of the arena would be in no plan.
func.func @seen_otherwise(%x: memref<16xi8>, %arena: memref<64xi8, 1> {npu.arena = 0 : i64}) {
  // expected-error @+1 {{expected tile 0's arena to be used by memref.view only, got 'memref.subview'}}
  %a = memref.subview %arena[0] [16] [1] : memref<64xi8, 1> to memref<16xi8, strided<[1]>, 1>
  memref.copy %x, %a : memref<16xi8> to memref<16xi8, strided<[1]>, 1>
  return
}

// -----

// expected-error @+1 {{expected memref<BYTESxi8, TILE + 1> with 'npu.arena = TILE' as an arena, got 'memref<64xi8, 1>' with 1 : i64 as argument #0}}
func.func @of_another_tile(%arena: memref<64xi8, 1> {npu.arena = 1 : i64}) {
  return
}

// -----

// expected-error @+1 {{expected one arena of tile 0, got argument #1 as another one}}
func.func @two(%a: memref<64xi8, 1> {npu.arena = 0 : i64}, %b: memref<64xi8, 1> {npu.arena = 0 : i64}) {
  return
}

// -----

func.func private @unplanned(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  memref.copy %a, %x : memref<4xf32, 1> to memref<4xf32>
  return
}
func.func @planned(%x: memref<4xf32>, %arena: memref<64xi8, 1> {npu.arena = 0 : i64}) {
  // expected-error @+1 {{expected calls of functions whose scratchpads are planned, as those of 'planned' are, got one of 'unplanned'}}
  call @unplanned(%x) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @renamed(%a: memref<4xf32, 1>) {
  // expected-error @+1 {{expected tiles' buffers to stay in their memory space, got a cast from 'memref<4xf32, 1>' to 'memref<4xf32, 2>'}}
  %b = memref.memory_space_cast %a : memref<4xf32, 1> to memref<4xf32, 2>
  return
}

// -----

// A loop of branches hands on what it allocated.
func.func @branches(%x: memref<4xf32>, %go: i1) {
  %a = memref.alloc() : memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
  cf.br ^again(%a : memref<4xf32, 1>)
^again(%last: memref<4xf32, 1>):
  // expected-error @+1 {{expected a tile's buffer that stays in its iteration, got one that 'cf.cond_br' hands on}}
  %b = memref.alloc() : memref<4xf32, 1>
  linalg.exp ins(%last : memref<4xf32, 1>) outs(%b : memref<4xf32, 1>)
  cf.cond_br %go, ^again(%b : memref<4xf32, 1>), ^end
^end:
  return
}

// -----

// Nobody knows what becomes of it, and the next iteration has its place.
func.func @unknown_in_a_loop(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @+1 {{expected a tile's buffer that stays in its iteration, got one that 'memref.extract_aligned_pointer_as_index' takes, of which it is not known what it hands on}}
    %a = memref.alloc() : memref<4xf32, 1>
    memref.copy %x, %a : memref<4xf32> to memref<4xf32, 1>
    %p = memref.extract_aligned_pointer_as_index %a : memref<4xf32, 1> -> index
  }
  return
}

// -----

func.func @frees_either(%x: memref<4xf32>, %c: i1) {
  %a = memref.alloc() : memref<4xf32, 1>
  %b = memref.alloc() : memref<4xf32, 1>
  %r = arith.select %c, %a, %b : memref<4xf32, 1>
  // expected-error @+1 {{expected what frees a tile's buffer to name the buffer itself, got one of several that it may be}}
  memref.dealloc %r : memref<4xf32, 1>
  return
}
