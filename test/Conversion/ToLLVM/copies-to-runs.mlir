// A copy of one run is a memcpy between pointers at constant distances from those
// of whole buffers; several runs are loops over such copies, or over elements.
//
// RUN: npu-opt %s --npu-copies-to-runs --split-input-file | FileCheck %s

// Row 2 is 32 bytes after the beginning of a view that is 64 bytes into the arena; views
// that only pointers came from are gone.
// CHECK-LABEL: func.func @run(
// CHECK-NOT: memref.
// CHECK: %[[WORDS:.*]] = builtin.unrealized_conversion_cast %arg0 : memref<256xi8>
// CHECK-NEXT: %[[ARENA:.*]] = llvm.extractvalue %[[WORDS]][1]
// CHECK-NEXT: %[[D:.*]] = llvm.mlir.constant(96 : i64)
// CHECK-NEXT: %[[FROM:.*]] = llvm.getelementptr %[[ARENA]][%[[D]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT: builtin.unrealized_conversion_cast %arg1 : memref<2x4xf32>
// CHECK-NEXT: %[[TO:.*]] = llvm.extractvalue
// CHECK-NEXT: %[[SIZE:.*]] = llvm.mlir.constant(32 : i64)
// CHECK-NEXT: "llvm.intr.memcpy"(%[[TO]], %[[FROM]], %[[SIZE]])
// CHECK-NEXT: return
func.func @run(%arena: memref<256xi8>, %y: memref<2x4xf32>) {
  %c64 = arith.constant 64 : index
  %x = memref.view %arena[%c64][] : memref<256xi8> to memref<6x4xf32>
  %tail = memref.subview %x[1, 0] [4, 4] [1, 1] : memref<6x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 4>>
  %rows = memref.subview %tail[1, 0] [2, 4] [1, 1] : memref<4x4xf32, strided<[4, 1], offset: 4>> to memref<2x4xf32, strided<[4, 1], offset: 8>>
  memref.copy %rows, %y : memref<2x4xf32, strided<[4, 1], offset: 8>> to memref<2x4xf32>
  return
}

// -----

// A place that is known at run time only is a pointer of its own.
// CHECK-LABEL: func.func @anywhere(
// CHECK: %[[ROW:.*]] = memref.subview %arg0[%arg2, 0]
// CHECK-NEXT: builtin.unrealized_conversion_cast %[[ROW]]
// CHECK: "llvm.intr.memcpy"
func.func @anywhere(%x: memref<8x4xi1>, %y: memref<1x4xi1>, %i: index) {
  %row = memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<8x4xi1> to memref<1x4xi1, strided<[4, 1], offset: ?>>
  memref.copy %row, %y : memref<1x4xi1, strided<[4, 1], offset: ?>> to memref<1x4xi1>
  return
}

// -----

// CHECK-LABEL: func.func @runs(
// CHECK: scf.for
// CHECK: memref.copy %{{.*}} : memref<1x2xf32, {{.*}}> to memref<1x2xf32,
// CHECK-LABEL: func.func @elements(
// CHECK: linalg.generic
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT: return
func.func @runs(%x: memref<8x4xf32>, %y: memref<8x2xf32>) {
  %left = memref.subview %x[0, 0] [8, 2] [1, 1] : memref<8x4xf32> to memref<8x2xf32, strided<[4, 1]>>
  memref.copy %left, %y : memref<8x2xf32, strided<[4, 1]>> to memref<8x2xf32>
  return
}
func.func @elements(%x: memref<8x4xf32>, %y: memref<8x1xf32>) {
  %column = memref.subview %x[0, 0] [8, 1] [1, 1] : memref<8x4xf32> to memref<8x1xf32, strided<[4, 1]>>
  memref.copy %column, %y : memref<8x1xf32, strided<[4, 1]>> to memref<8x1xf32>
  return
}
func.func @nothing(%x: memref<0x4xf32>, %y: memref<0x4xf32>) {
  memref.copy %x, %y : memref<0x4xf32> to memref<0x4xf32>
  return
}

// -----

// Distances count the bytes of an element; one of one bit takes a byte.
// CHECK-LABEL: func.func @bytes(
// CHECK: llvm.mlir.constant(16 : i64)
// CHECK-NEXT: llvm.getelementptr
// CHECK: llvm.mlir.constant(8 : i64)
// CHECK-NEXT: "llvm.intr.memcpy"
// CHECK: llvm.mlir.constant(12 : i64)
// CHECK-NEXT: llvm.getelementptr
// CHECK: llvm.mlir.constant(4 : i64)
// CHECK-NEXT: "llvm.intr.memcpy"
func.func @bytes(%x: memref<8x4xf16>, %y: memref<1x4xf16>, %m: memref<8x4xi1>, %n: memref<1x4xi1>) {
  %half = memref.subview %x[2, 0] [1, 4] [1, 1] : memref<8x4xf16> to memref<1x4xf16, strided<[4, 1], offset: 8>>
  memref.copy %half, %y : memref<1x4xf16, strided<[4, 1], offset: 8>> to memref<1x4xf16>
  %bit = memref.subview %m[3, 0] [1, 4] [1, 1] : memref<8x4xi1> to memref<1x4xi1, strided<[4, 1], offset: 12>>
  memref.copy %bit, %n : memref<1x4xi1, strided<[4, 1], offset: 12>> to memref<1x4xi1>
  return
}
