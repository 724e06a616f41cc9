// Infinities and masks against the original: a dropped mask is no tolerance for what is
// there instead, an infinity of the other sign is another one, and what is different next
// to very large numbers is found. A function that returns another value of the original,
// or computes nothing, gets one verdict, which names the operations that are missing.
//
// RUN: split-file %s %t
// RUN: not npu-run %t/dropped.mlir --audit --reference=%t/masked.mlir --seed=1 | FileCheck %s --check-prefix=DROPPED
// RUN: not npu-run %t/dropped.mlir --audit --reference=%t/masked.mlir --seed=1 --format=json | FileCheck %s --check-prefix=JSON
// RUN: npu-run %t/masked.mlir --audit --reference=%t/masked.mlir --seed=1 | FileCheck %s --check-prefix=SAME
// RUN: not npu-run %t/positive.mlir --audit --reference=%t/masked.mlir --seed=1 | FileCheck %s --check-prefix=POSITIVE
// RUN: not npu-run %t/scaled.mlir --audit --reference=%t/large.mlir | FileCheck %s --check-prefix=SCALED
// RUN: npu-run %t/reordered.mlir --audit --reference=%t/large.mlir | FileCheck %s --check-prefix=REORDERED
// RUN: not npu-run %t/nothing.mlir --audit --reference=%t/sum.mlir | FileCheck %s --check-prefix=NOTHING
// RUN: not npu-run %t/nothing.mlir --audit --reference=%t/sum.mlir --format=json | FileCheck %s --check-prefix=NOTHING-JSON
// RUN: not npu-run %t/swapped.mlir --audit --reference=%t/two.mlir | FileCheck %s --check-prefix=SWAPPED
// RUN: not npu-run %t/hidden.mlir --audit --reference=%t/hides.mlir | FileCheck %s --check-prefix=HIDDEN
// RUN: not npu-run %t/integer.mlir --audit --reference=%t/integers.mlir | FileCheck %s --check-prefix=INTEGER

// DROPPED: 1 EXACT
// DROPPED: against the original: 1 of 1 values are known there
// DROPPED-NEXT: result #0 is not the original's: [[N:[0-9]+]] of 32 elements differ, [[N]] of them infinite or NaN on one side; the worst at {{.*}}: expected -inf, got {{-?0}}
// DROPPED-NEXT: result #0 is the original's arith.mulf ({{.*}}masked.mlir:4:8), which goes on with arith.select ({{.*}}masked.mlir:5:8)
// DROPPED-NEXT: verdict: STRUCTURAL: result #0 is the original's arith.mulf ({{.*}}), which goes on with arith.select ({{.*}})
// JSON: "equal": false,
// JSON-NEXT: "different_results": [0],
// JSON: "distance": null,
// JSON: "non_finite_on_one_side": [[N:[0-9]+]],
// JSON: "mistaken_results": [
// JSON-NEXT: {
// JSON-NEXT: "number": 0,
// JSON-NEXT: "is": "arith.mulf
// JSON-NEXT: "missing": [
// JSON-NEXT: "arith.select
// JSON: "class": "STRUCTURAL",

// SAME: every result is the original's
// SAME-NEXT: result #0: {{[0-9]+}} of 32 elements are NaN or infinite on both sides, and show nothing else
// SAME-NEXT: verdict: EXACT

// POSITIVE: the worst at {{.*}}: expected -inf, got inf
// POSITIVE: verdict: STRUCTURAL at arith.select ({{.*}}positive.mlir:5:8)

// SCALED: result #0 is not the original's: off by {{[0-9.e-]+}} in exact arithmetic, allowed {{[0-9.]+}}e-{{.*}}
// SCALED: verdict: STRUCTURAL at arith.mulf ({{.*}}scaled.mlir:4:8)
// REORDERED: every result is the original's
// REORDERED-NEXT: verdict: ROUNDING

// NOTHING: against the original: 0 of 0 values are known there
// NOTHING-NEXT: result #0 is not the original's
// NOTHING-NEXT: result #0 is the original's argument #1, which goes on with arith.addf ({{.*}}sum.mlir:2:8)
// NOTHING-NEXT: verdict: STRUCTURAL: result #0 is the original's argument #1, which goes on with arith.addf
// NOTHING-JSON: "class": "STRUCTURAL",

// SWAPPED: result #0 is the original's math.tanh ({{.*}}two.mlir:3:8), and not its result #0
// SWAPPED: result #1 is the original's math.exp ({{.*}}two.mlir:2:8), and not its result #1

// Without a bound, next to elements that are far larger.
// HIDDEN: result #0 cannot be compared in 2 of 8 elements, which differ by less than rounding may make of its largest ones and have no bound; the worst at
// HIDDEN: verdict: NOT_AUDITED: result #0 cannot be held against the original's: elements differ and have no bound

// Two integers that f64 does not tell apart.
// INTEGER: result #0 is not the original's: off by 1 in exact arithmetic, allowed 0, 4 of 4 elements differ
// INTEGER: verdict: STRUCTURAL at arith.addi

//--- masked.mlir
func.func @main(%x: tensor<4x8xf32>, %m: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %mask = arith.constant dense<0xFF800000> : tensor<4x8xf32>
  %c = arith.constant dense<0.125> : tensor<4x8xf32>
  %0 = arith.mulf %x, %c : tensor<4x8xf32>
  %1 = arith.select %m, %0, %mask : tensor<4x8xi1>, tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

//--- dropped.mlir
func.func @main(%x: tensor<4x8xf32>, %m: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %c = arith.constant dense<0.125> : tensor<4x8xf32>
  %0 = arith.mulf %x, %c : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//--- positive.mlir
func.func @main(%x: tensor<4x8xf32>, %m: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %mask = arith.constant dense<0x7F800000> : tensor<4x8xf32>
  %c = arith.constant dense<0.125> : tensor<4x8xf32>
  %0 = arith.mulf %x, %c : tensor<4x8xf32>
  %1 = arith.select %m, %0, %mask : tensor<4x8xi1>, tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

//--- large.mlir
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %m: tensor<8xi1>) -> tensor<8xf32> {
  %mask = arith.constant dense<-3.40282347E+38> : tensor<8xf32>
  %c = arith.constant dense<2.0> : tensor<8xf32>
  %0 = arith.mulf %x, %c : tensor<8xf32>
  %1 = arith.addf %0, %y : tensor<8xf32>
  %2 = arith.addf %1, %x : tensor<8xf32>
  %3 = arith.select %m, %2, %mask : tensor<8xi1>, tensor<8xf32>
  return %3 : tensor<8xf32>
}

//--- scaled.mlir
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %m: tensor<8xi1>) -> tensor<8xf32> {
  %mask = arith.constant dense<-3.40282347E+38> : tensor<8xf32>
  %c = arith.constant dense<2.5> : tensor<8xf32>
  %0 = arith.mulf %x, %c : tensor<8xf32>
  %1 = arith.addf %0, %y : tensor<8xf32>
  %2 = arith.addf %1, %x : tensor<8xf32>
  %3 = arith.select %m, %2, %mask : tensor<8xi1>, tensor<8xf32>
  return %3 : tensor<8xf32>
}

//--- reordered.mlir
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %m: tensor<8xi1>) -> tensor<8xf32> {
  %mask = arith.constant dense<-3.40282347E+38> : tensor<8xf32>
  %c = arith.constant dense<2.0> : tensor<8xf32>
  %0 = arith.addf %y, %x : tensor<8xf32>
  %1 = arith.mulf %x, %c : tensor<8xf32>
  %2 = arith.addf %1, %0 : tensor<8xf32>
  %3 = arith.select %m, %2, %mask : tensor<8xi1>, tensor<8xf32>
  return %3 : tensor<8xf32>
}

//--- sum.mlir
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- nothing.mlir
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  return %b : tensor<8xf32>
}

//--- two.mlir
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %a : tensor<8xf32>
  %1 = math.tanh %a : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

//--- swapped.mlir
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %a : tensor<8xf32>
  %1 = math.tanh %a : tensor<8xf32>
  return %1, %0 : tensor<8xf32>, tensor<8xf32>
}

//--- hides.mlir
// No rule bounds math.tan of what is rounded.
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %k = arith.constant dense<0.1> : tensor<8xf32>
  %large = arith.constant dense<[1.0, 1.0, -1.0e30, -1.0e30, -1.0e30, -1.0e30, -1.0e30, -1.0e30]> : tensor<8xf32>
  %0 = arith.mulf %x, %k : tensor<8xf32>
  %1 = math.tan %0 : tensor<8xf32>
  %2 = arith.addf %1, %large : tensor<8xf32>
  return %2 : tensor<8xf32>
}

//--- hidden.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %k = arith.constant dense<0.1> : tensor<8xf32>
  %large = arith.constant dense<[2.0, 2.0, -1.0e30, -1.0e30, -1.0e30, -1.0e30, -1.0e30, -1.0e30]> : tensor<8xf32>
  %0 = arith.mulf %x, %k : tensor<8xf32>
  %1 = math.tan %0 : tensor<8xf32>
  %2 = arith.addf %1, %large : tensor<8xf32>
  return %2 : tensor<8xf32>
}

//--- integers.mlir
func.func @main(%a: tensor<4xi64>) -> tensor<4xi64> {
  %c = arith.constant dense<9007199254740992> : tensor<4xi64>
  %0 = arith.addi %a, %c : tensor<4xi64>
  return %0 : tensor<4xi64>
}

//--- integer.mlir
func.func @main(%a: tensor<4xi64>) -> tensor<4xi64> {
  %c = arith.constant dense<9007199254740993> : tensor<4xi64>
  %0 = arith.addi %a, %c : tensor<4xi64>
  return %0 : tensor<4xi64>
}
