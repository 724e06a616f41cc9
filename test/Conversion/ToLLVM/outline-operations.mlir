// Operations that are equal but for where their buffers begin share a function; what
// differs in anything that counts has one of its own, and so has, for each place in the
// file, an operation whose body may fail an assertion, which names the place.
//
// RUN: npu-opt %s --npu-outline-operations --mlir-print-debuginfo=false --split-input-file | FileCheck %s

// Rows at other offsets, which are known or not, and a whole buffer of the same extents
// and strides, are handed over as pointers to their first elements. The stride of a
// dimension of extent 1 makes no difference.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[WORDS:.*]] = builtin.unrealized_conversion_cast %arg0 : memref<8x4xf32> to !llvm.struct
// CHECK:         %[[BASE:.*]] = llvm.extractvalue %[[WORDS]][1]
// CHECK:         %[[DISTANCE:.*]] = llvm.mlir.constant(32 : i64)
// CHECK:         %[[FIRST:.*]] = llvm.getelementptr %[[BASE]][%[[DISTANCE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:         call @npu_operation.0.linalg.exp(%[[FIRST]], %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK:         call @npu_operation.0.linalg.exp(
// CHECK:         call @npu_operation.0.linalg.exp(
// CHECK:         call @npu_operation.1.linalg.exp(
// CHECK:         call @npu_operation.1.linalg.exp(
// CHECK-NOT:     call
// CHECK:         return
// CHECK:       func.func private @npu_operation.0.linalg.exp(%[[FROM:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) attributes {passthrough = ["noinline"]} {
// CHECK:         llvm.insertvalue %[[FROM]], %{{.*}}[1]
// CHECK:         linalg.exp ins(%{{.*}} : memref<2x4xf32>) outs(%{{.*}} : memref<2x4xf32>)
// CHECK-NEXT:    return
// CHECK:       func.func private @npu_operation.1.linalg.exp(
// CHECK:         linalg.exp ins(%{{.*}} : memref<1x4xf32>) outs(%{{.*}} : memref<1x4xf32>)
// CHECK-NOT:   func.func
func.func @rows(%x: memref<8x4xf32>, %y: memref<2x4xf32>, %row: memref<1x4xf32>, %last: memref<1x4xf32>, %i: index) {
  %third = memref.subview %x[2, 0] [2, 4] [1, 1] : memref<8x4xf32> to memref<2x4xf32, strided<[4, 1], offset: 8>>
  linalg.exp ins(%third : memref<2x4xf32, strided<[4, 1], offset: 8>>) outs(%y : memref<2x4xf32>)
  %any = memref.subview %x[%i, 0] [2, 4] [1, 1] : memref<8x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
  linalg.exp ins(%any : memref<2x4xf32, strided<[4, 1], offset: ?>>) outs(%y : memref<2x4xf32>)
  linalg.exp ins(%y : memref<2x4xf32>) outs(%any : memref<2x4xf32, strided<[4, 1], offset: ?>>)
  %one = memref.subview %x[1, 0] [1, 4] [2, 1] : memref<8x4xf32> to memref<1x4xf32, strided<[8, 1], offset: 4>>
  linalg.exp ins(%one : memref<1x4xf32, strided<[8, 1], offset: 4>>) outs(%row : memref<1x4xf32>)
  linalg.exp ins(%row : memref<1x4xf32>) outs(%last : memref<1x4xf32>)
  return
}

// -----

// Columns have other strides than rows, other elements other bodies, and a buffer that
// is read and written is one argument.
// CHECK-LABEL: func.func @others(
// CHECK:         call @npu_operation.0.linalg.exp(%{{[^,]*}}) : (!llvm.ptr) -> ()
// CHECK:         call @npu_operation.1.linalg.exp(
// CHECK:         call @npu_operation.2.linalg.exp(
// CHECK:         call @npu_operation.3.linalg.exp(%{{[^,]*}}) : (!llvm.ptr) -> ()
// CHECK:         call @npu_operation.4.linalg.tanh(
// CHECK:       func.func private @npu_operation.1.linalg.exp(
// CHECK:         linalg.exp ins(%{{.*}} : memref<2x4xf32, strided<[8, 1]>>)
func.func @others(%x: memref<2x8xf32>, %y: memref<2x4xf32>, %h: memref<2x4xf16>, %g: memref<2x4xf16>) {
  linalg.exp ins(%x : memref<2x8xf32>) outs(%x : memref<2x8xf32>)
  %left = memref.subview %x[0, 0] [2, 4] [1, 1] : memref<2x8xf32> to memref<2x4xf32, strided<[8, 1]>>
  linalg.exp ins(%left : memref<2x4xf32, strided<[8, 1]>>) outs(%y : memref<2x4xf32>)
  linalg.exp ins(%h : memref<2x4xf16>) outs(%g : memref<2x4xf16>)
  linalg.exp ins(%y : memref<2x4xf32>) outs(%y : memref<2x4xf32>)
  linalg.tanh ins(%y : memref<2x4xf32>) outs(%y : memref<2x4xf32>)
  return
}

// -----

// Constants are part of the function, other numbers are arguments.
// CHECK-LABEL: func.func @numbers(
// CHECK:         call @npu_operation.0.linalg.fill(%{{[^,]*}}) : (!llvm.ptr) -> ()
// CHECK:         call @npu_operation.1.linalg.fill(%{{[^,]*}}) : (!llvm.ptr) -> ()
// CHECK:         call @npu_operation.0.linalg.fill(
// CHECK:         call @npu_operation.2.linalg.fill(%{{.*}}, %{{.*}}) : (f32, !llvm.ptr) -> ()
// CHECK:         call @npu_operation.2.linalg.fill(
// CHECK:       func.func private @npu_operation.0.linalg.fill(
// CHECK:         arith.constant 0.000000e+00 : f32
func.func @numbers(%y: memref<4xf32>, %a: f32, %b: f32) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %again = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  linalg.fill ins(%one : f32) outs(%y : memref<4xf32>)
  linalg.fill ins(%again : f32) outs(%y : memref<4xf32>)
  linalg.fill ins(%a : f32) outs(%y : memref<4xf32>)
  linalg.fill ins(%b : f32) outs(%y : memref<4xf32>)
  return
}

// -----

// Buffers of extents, or of strides, that are not known stay what they are, and so does
// a buffer that a body reads by an index.
// CHECK-LABEL: func.func @as_they_are(
// CHECK:         call @npu_operation.0.linalg.exp(%arg0) : (memref<?xf32>) -> ()
// CHECK:         call @npu_operation.1.linalg.generic(%{{.*}}, %arg1) : (!llvm.ptr, memref<9xf32, strided<[2], offset: 1>>) -> ()
// CHECK:       func.func private @npu_operation.0.linalg.exp(%{{.*}}: memref<?xf32>
func.func @as_they_are(%any: memref<?xf32>, %table: memref<9xf32, strided<[2], offset: 1>>, %y: memref<4xf32>) {
  linalg.exp ins(%any : memref<?xf32>) outs(%any : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : memref<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = memref.load %table[%i] : memref<9xf32, strided<[2], offset: 1>>
    linalg.yield %v : f32
  }
  return
}

// -----

// A copy of several runs becomes loops; one of a single run is a memcpy.
// CHECK-LABEL: func.func @copies(
// CHECK:         memref.copy %{{.*}}, %arg1 : memref<2x4xf32, strided<[4, 1], offset: 8>> to memref<2x4xf32>
// CHECK:         call @npu_operation.0.memref.copy(
// CHECK-NEXT:    return
// CHECK:       func.func private @npu_operation.0.memref.copy(
// CHECK:         memref.copy %{{.*}}, %{{.*}} : memref<2x2xf32, strided<[4, 1]>> to memref<2x2xf32>
func.func @copies(%x: memref<8x4xf32>, %y: memref<2x4xf32>, %z: memref<2x2xf32>) {
  %rows = memref.subview %x[2, 0] [2, 4] [1, 1] : memref<8x4xf32> to memref<2x4xf32, strided<[4, 1], offset: 8>>
  memref.copy %rows, %y : memref<2x4xf32, strided<[4, 1], offset: 8>> to memref<2x4xf32>
  %corner = memref.subview %x[0, 2] [2, 2] [1, 1] : memref<8x4xf32> to memref<2x2xf32, strided<[4, 1], offset: 2>>
  memref.copy %corner, %z : memref<2x2xf32, strided<[4, 1], offset: 2>> to memref<2x2xf32>
  return
}

// -----

// The second division comes from the place of the first, as one of another tile does; the
// third from another place. That of floats is defined for all of them.
// CHECK-LABEL: func.func @places(
// CHECK:         call @npu_operation.0.linalg.generic(
// CHECK:         call @npu_operation.0.linalg.generic(
// CHECK:         call @npu_operation.1.linalg.generic(
// CHECK:         call @npu_operation.2.linalg.div(
// CHECK:         call @npu_operation.2.linalg.div(
#map = affine_map<(i) -> (i)>
func.func @places(%x: memref<4xi32>, %y: memref<4xi32>, %z: memref<4xi32>, %f: memref<4xf32>) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<4xi32>) outs(%y : memref<4xi32>) {
  ^bb0(%d: i32, %o: i32):
    %r = arith.remsi %o, %d : i32 loc("model.mlir":7:3)
    linalg.yield %r : i32 loc("model.mlir":7:3)
  } loc("model.mlir":7:3)
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<4xi32>) outs(%z : memref<4xi32>) {
  ^bb0(%d: i32, %o: i32):
    %r = arith.remsi %o, %d : i32 loc(fused<1>["model.mlir":7:3])
    linalg.yield %r : i32 loc(fused<1>["model.mlir":7:3])
  } loc(fused<1>["model.mlir":7:3])
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<4xi32>) outs(%y : memref<4xi32>) {
  ^bb0(%d: i32, %o: i32):
    %r = arith.remsi %o, %d : i32 loc("model.mlir":8:3)
    linalg.yield %r : i32 loc("model.mlir":8:3)
  } loc("model.mlir":8:3)
  linalg.div ins(%f, %f : memref<4xf32>, memref<4xf32>) outs(%f : memref<4xf32>)
  linalg.div ins(%f, %f : memref<4xf32>, memref<4xf32>) outs(%f : memref<4xf32>)
  return
}
