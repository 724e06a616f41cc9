// Several dynamic extents instead of one: the view has the sizes that it states, and
// strides that follow from them.
//
// RUN: npu-opt %s --npu-expand-by-extents | FileCheck %s
// RUN: npu-opt %s --npu-assert-bounds --npu-expand-by-extents | FileCheck %s --check-prefix=BOUNDS

// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}, %[[STRIDE:.*]] = memref.extract_strided_metadata %[[X]]
// CHECK: %[[OUTER:.*]] = arith.muli %[[STRIDE]], %[[N]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[M]], %[[N]]], strides: [%[[OUTER]], 1] : memref<f32> to memref<?x?xf32>
// BOUNDS-LABEL: func.func @two(
// BOUNDS-SAME: %[[X:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index
// BOUNDS-DAG: %[[M64:.*]] = arith.index_cast %[[M]]
// BOUNDS-DAG: %[[N64:.*]] = arith.index_cast %[[N]]
// BOUNDS: %[[LOW:.*]], %[[HIGH:.*]] = arith.mului_extended %[[M64]], %[[N64]]
// BOUNDS: %[[WHOLE:.*]] = arith.cmpi eq, %[[HIGH]]
// BOUNDS: %[[EQUAL:.*]] = arith.cmpi eq, %[[LOW]]
// BOUNDS: %[[HOLDS:.*]] = arith.andi %[[WHOLE]], %[[EQUAL]]
// BOUNDS: cf.assert %[[HOLDS]], "expected sizes whose product is the number of entries in dimension 0"
// BOUNDS: memref.reinterpret_cast
func.func @two(%x: memref<?xf32>, %m: index, %n: index) -> memref<?x?xf32> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%m, %n] : memref<?xf32> into memref<?x?xf32>
  return %y : memref<?x?xf32>
}

// CHECK-LABEL: func.func @part(
// CHECK-SAME: %[[X:.*]]: memref<4x?xf32, strided<[?, 2], offset: ?>>, %[[M:.*]]: index, %[[N:.*]]: index
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[INNER:.*]] = arith.muli %[[STRIDES]]#1, %[[N]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [2, 2, %[[M]], %[[N]]], strides: [%{{.*}}, %[[STRIDES]]#0, %[[INNER]], 2]
func.func @part(%x: memref<4x?xf32, strided<[?, 2], offset: ?>>, %m: index, %n: index) -> memref<2x2x?x?xf32, strided<[?, ?, ?, 2], offset: ?>> {
  %y = memref.expand_shape %x [[0, 1], [2, 3]] output_shape [2, 2, %m, %n] : memref<4x?xf32, strided<[?, 2], offset: ?>> into memref<2x2x?x?xf32, strided<[?, ?, ?, 2], offset: ?>>
  return %y : memref<2x2x?x?xf32, strided<[?, ?, ?, 2], offset: ?>>
}

// Upstream views one of them.
// CHECK-LABEL: func.func @one(
// CHECK: memref.expand_shape
func.func @one(%x: memref<?xf32>, %n: index) -> memref<?x2xf32> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%n, 2] : memref<?xf32> into memref<?x2xf32>
  return %y : memref<?x2xf32>
}
