// A buffer is in use as long as anything that may be a part of it: what a branch
// chose, what an operation that nobody knows was given.
//
// RUN: npu-opt %s --npu-plan-scratchpad --allow-unregistered-dialect | FileCheck %s

// Either of %a and %b is read at the end, so %d has neither's place.
// CHECK-LABEL: func.func @chosen
// CHECK-SAME: memref<192xi8, 1>
func.func @chosen(%x: memref<16xf32>, %c: i1) {
  %a = memref.alloc() : memref<16xf32, 1>
  %b = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  memref.copy %x, %b : memref<16xf32> to memref<16xf32, 1>
  %r = arith.select %c, %a, %b : memref<16xf32, 1>
  %d = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %d : memref<16xf32> to memref<16xf32, 1>
  memref.copy %d, %x : memref<16xf32, 1> to memref<16xf32>
  memref.copy %r, %x : memref<16xf32, 1> to memref<16xf32>
  return
}

// The same of what is not known: it may be %a.
// CHECK-LABEL: func.func @unknown
// CHECK-SAME: memref<128xi8, 1>
func.func @unknown(%x: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  %r = "some.view"(%a) : (memref<16xf32, 1>) -> memref<16xf32, 1>
  %d = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %d : memref<16xf32> to memref<16xf32, 1>
  memref.copy %d, %x : memref<16xf32, 1> to memref<16xf32>
  memref.copy %r, %x : memref<16xf32, 1> to memref<16xf32>
  return
}

// A buffer that is stored in another one is out of sight.
// CHECK-LABEL: func.func @stored
// CHECK-SAME: memref<128xi8, 1>
func.func @stored(%x: memref<16xf32>, %table: memref<1xmemref<16xf32, 1>>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  memref.store %a, %table[%c0] : memref<1xmemref<16xf32, 1>>
  %d = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %d : memref<16xf32> to memref<16xf32, 1>
  memref.copy %d, %x : memref<16xf32, 1> to memref<16xf32>
  %r = memref.load %table[%c0] : memref<1xmemref<16xf32, 1>>
  memref.copy %r, %x : memref<16xf32, 1> to memref<16xf32>
  return
}

// An element takes whole bytes of its buffer, whatever its bits.
// CHECK-LABEL: func.func @bits
// CHECK-SAME: memref<100xi8, 1> {npu.arena = 0 : i64}, %{{.*}}: memref<400xi8, 2> {npu.arena = 1 : i64}
func.func @bits(%x: memref<100xi1>, %y: memref<100xi24>) {
  %a = memref.alloc() : memref<100xi1, 1>
  memref.copy %x, %a : memref<100xi1> to memref<100xi1, 1>
  %b = memref.alloc() : memref<100xi24, 2>
  memref.copy %y, %b : memref<100xi24> to memref<100xi24, 2>
  return
}
