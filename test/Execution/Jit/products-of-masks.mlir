// A product of i1 is so long without optimization that it is split, and its parts hand
// each other vectors of i1: with several of these as results of a call, LLVM aborted.
//
// RUN: npu-run %s -O0 --inputs=integers | FileCheck %s
// CHECK: result #0 40x7xi1: true

func.func @main(%a: tensor<40x22xi1>, %b: tensor<22x7xi1>) -> tensor<40x7xi1> {
  %false = arith.constant false
  %0 = tensor.empty() : tensor<40x7xi1>
  %1 = linalg.fill ins(%false : i1) outs(%0 : tensor<40x7xi1>) -> tensor<40x7xi1>
  %2 = linalg.matmul ins(%a, %b : tensor<40x22xi1>, tensor<22x7xi1>) outs(%1 : tensor<40x7xi1>) -> tensor<40x7xi1>
  return %2 : tensor<40x7xi1>
}
