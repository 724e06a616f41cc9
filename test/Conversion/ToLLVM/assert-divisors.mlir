// Processors trap where a quotient of integers does not exist: an assertion stands in
// front of every division that may be one, and of no other.
//
// RUN: npu-opt %s --npu-assert-divisors | FileCheck %s

// CHECK-LABEL: func.func @by_zero(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32
func.func @by_zero(%a: i32, %b: i32) -> (i32, i32, i32) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: %[[HOLDS:.*]] = arith.cmpi ne, %[[B]], %[[ZERO]] : i32
  // CHECK: cf.assert %[[HOLDS]], "expected a divisor other than 0"
  // CHECK-NEXT: arith.divui %[[A]], %[[B]]
  %q = arith.divui %a, %b : i32
  // CHECK: cf.assert
  // CHECK-NEXT: arith.remui
  %r = arith.remui %a, %b : i32
  // CHECK: cf.assert
  // CHECK-NEXT: arith.ceildivui
  %c = arith.ceildivui %a, %b : i32
  return %q, %r, %c : i32, i32, i32
}

// CHECK-LABEL: func.func @smallest(
// CHECK-SAME: %[[A:.*]]: i8, %[[B:.*]]: i8
func.func @smallest(%a: i8, %b: i8) -> i8 {
  // CHECK: cf.assert %{{.*}}, "expected a divisor other than 0"
  // CHECK: %[[ONE:.*]] = arith.constant -1 : i8
  // CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[B]], %[[ONE]] : i8
  // CHECK: %[[SMALLEST:.*]] = arith.constant -128 : i8
  // CHECK: %[[LARGER:.*]] = arith.cmpi ne, %[[A]], %[[SMALLEST]] : i8
  // CHECK: %[[FITS:.*]] = arith.ori %[[OTHER]], %[[LARGER]] : i1
  // CHECK: cf.assert %[[FITS]], "expected a quotient that fits in 8 bits, got the smallest number divided by -1"
  // CHECK-NEXT: arith.divsi %[[A]], %[[B]]
  %q = arith.divsi %a, %b : i8
  return %q : i8
}

// Any number is a multiple of -1, and its remainder is 0; processors trap all the
// same.
// CHECK-LABEL: func.func @remainder(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32
func.func @remainder(%a: i32, %b: i32) -> i32 {
  // CHECK: cf.assert %{{.*}}, "expected a divisor other than 0"
  // CHECK: %[[DIVISOR:.*]] = arith.select %{{.*}}, %[[B]], %{{.*}} : i32
  // CHECK: arith.remsi %[[A]], %[[DIVISOR]]
  %r = arith.remsi %a, %b : i32
  return %r : i32
}

// CHECK-LABEL: func.func @of_index(
// CHECK: cf.assert %{{.*}}, "expected a divisor other than 0"
// CHECK: cf.assert %{{.*}}, "expected a quotient that fits in 64 bits, got the smallest number divided by -1"
// CHECK: index.floordivs
func.func @of_index(%a: index, %b: index) -> index {
  %q = index.floordivs %a, %b
  return %q : index
}

// Divisors that are known, or a loop's own index after its first iteration.
// CHECK-LABEL: func.func @harmless(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @harmless(%a: index, %n: i32) -> i32 {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : i32
  %m = arith.constant -3 : i32
  %q = arith.divsi %n, %c8 : i32
  %r = arith.remsi %q, %m : i32
  scf.for %i = %c1 to %c7 step %c1 {
    %0 = arith.floordivsi %a, %i : index
  }
  return %r : i32
}
