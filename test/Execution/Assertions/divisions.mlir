// A division of integers without a quotient is an error where it stands, and exit code
// 1: in the body of an operation, of tensors, of indices, on tiles, on threads and in
// an artefact. The remainder of a division by -1 is 0. So is a loop whose step is 0 or
// less, and a function that calls itself without an end.
//
// RUN: split-file %s %t
// RUN: not npu-run %t/tensors.mlir --inputs=iota 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not npu-run %t/tensors.mlir --inputs=iota --tiles=parallel 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: npu-compile %t/tensors.mlir --target=npu4000 -o %t/tensors.npub
// RUN: not npu-run %t/tensors.npub --inputs=iota 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: npu-compile %t/tensors.mlir --target=npu4000 --tiles=parallel -o %t/threads.npub
// RUN: not npu-run %t/threads.npub --inputs=iota 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not npu-run %t/body.mlir --inputs=iota 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: not npu-run %t/body.mlir --inputs=iota --tiles=parallel 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: not npu-run %t/index.mlir --inputs=iota 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not npu-run %t/smallest.mlir --inputs=iota 2>&1 | FileCheck %s --check-prefix=SMALLEST
// RUN: not npu-run %t/step.mlir --inputs=iota 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not npu-run %t/step.mlir --inputs=iota --tiles=parallel 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not npu-run %t/unsigned.mlir --inputs=iota 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// RUN: not npu-run %t/endless.mlir --inputs=iota 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: npu-compile %t/endless.mlir --target=npu4000 -o %t/endless.npub
// RUN: not npu-run %t/endless.npub --inputs=iota 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: npu-run %t/remainder.mlir --inputs=iota | FileCheck %s --check-prefix=REMAINDER

//--- tensors.mlir
func.func @main(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  // TENSORS: tensors.mlir:3:8: error: assertion failed: expected a divisor other than 0
  %0 = arith.divui %x, %y : tensor<8xi32>
  return %0 : tensor<8xi32>
}

//--- body.mlir
#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @main(%x: tensor<8xi64, #rows>) -> tensor<8xi64, #rows> {
  %e = tensor.empty() : tensor<8xi64, #rows>
  %0 = linalg.map ins(%x : tensor<8xi64, #rows>) outs(%e : tensor<8xi64, #rows>) (%a: i64, %o: i64) {
    %one = arith.constant 1 : i64
    // BODY: body.mlir:7:10: error: assertion failed: expected a divisor other than 0
    %1 = arith.remsi %one, %a : i64
    linalg.yield %1 : i64
  }
  return %0 : tensor<8xi64, #rows>
}

//--- index.mlir
func.func @main(%n: index, %m: index) -> index {
  // INDEX: index.mlir:3:8: error: assertion failed: expected a divisor other than 0
  %0 = arith.floordivsi %n, %m : index
  return %0 : index
}

//--- smallest.mlir
func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
  %smallest = arith.constant dense<-128> : tensor<4xi8>
  %one = arith.constant dense<1> : tensor<4xi8>
  %below = arith.subi %x, %one : tensor<4xi8>
  // SMALLEST: smallest.mlir:6:8: error: assertion failed: expected a quotient that fits in 8 bits, got the smallest number divided by -1
  %0 = arith.divsi %smallest, %below : tensor<4xi8>
  return %0 : tensor<4xi8>
}

//--- remainder.mlir
func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {
  %smallest = arith.constant dense<-9223372036854775808> : tensor<1xi64>
  %one = arith.constant dense<1> : tensor<1xi64>
  %below = arith.subi %x, %one : tensor<1xi64>
  // REMAINDER: result #0 1xi64: 0
  %0 = arith.remsi %smallest, %below : tensor<1xi64>
  return %0 : tensor<1xi64>
}

//--- step.mlir
func.func @main(%x: tensor<4xf32>, %zero: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %step = arith.subi %zero, %c2 : index
  // STEP: step.mlir:7:8: error: assertion failed: expected a step above 0
  %0 = scf.for %i = %c0 to %c3 step %step iter_args(%y = %x) -> tensor<4xf32> {
    %1 = arith.addf %y, %y : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

//--- unsigned.mlir
func.func @main(%x: tensor<4xf32>, %zero: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  // UNSIGNED: unsigned.mlir:5:8: error: assertion failed: expected a step other than 0
  %0 = scf.for unsigned %i = %c0 to %c3 step %zero iter_args(%y = %x) -> tensor<4xf32> : i32 {
    %1 = arith.addf %y, %y : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

//--- endless.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @one(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ENDLESS: endless.mlir:6:1: error: assertion failed: expected at most 1000 calls inside of each other, got one more of a function that calls itself
func.func private @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @one(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
