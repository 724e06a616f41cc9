// A function that calls itself counts how deep it is, and asserts that this has an end
// before the stack does; others stay as they are.
//
// RUN: npu-opt %s --npu-assert-depth | FileCheck %s

// CHECK: memref.global "private" @npu_depth : memref<i64> = dense<0>
// CHECK-LABEL: func.func private @f
// CHECK: %[[DEPTH:.*]] = memref.get_global @npu_depth
// CHECK-NEXT: %[[BEFORE:.*]] = memref.load %[[DEPTH]][]
// CHECK: %[[HOLDS:.*]] = arith.cmpi slt, %[[BEFORE]], %c1000_i64
// CHECK-NEXT: cf.assert %[[HOLDS]], "expected at most 1000 calls inside of each other, got one more of a function that calls itself"
// CHECK: %[[INSIDE:.*]] = arith.addi %[[BEFORE]], %c1_i64
// CHECK-NEXT: memref.store %[[INSIDE]], %[[DEPTH]][]
// CHECK-NEXT: %[[R:.*]] = call @f
// CHECK-NEXT: memref.store %[[BEFORE]], %[[DEPTH]][]
// CHECK-NEXT: return %[[R]]
func.func private @f(%n: i64) -> i64 {
  %r = call @f(%n) : (i64) -> i64
  return %r : i64
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @f
// CHECK-NEXT: return
func.func @main(%n: i64) -> i64 {
  %r = call @f(%n) : (i64) -> i64
  return %r : i64
}
