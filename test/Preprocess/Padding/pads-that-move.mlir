// A pad that cuts away in front as much as it adds after keeps the shape, and
// upstream's fold takes it for nothing at all. It is one of another value.
//
// RUN: npu-run %s --length=2 --inputs=iota | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=4 poison" -o %t.mlir
// RUN: npu-run %t.mlir --reference=%s --length=1..4 | FileCheck %s --check-prefix=EQUAL

// CHECK: result #0 2x1xi64: 5 5
// CHECK: result #1 4x1xi64: 5 5 5 5
// EQUAL: equal
func.func @main(%a: tensor<?x1xi64>) -> (tensor<?x1xi64>, tensor<4x1xi64>) {
  %c5 = arith.constant 5 : i64
  %moved = tensor.pad %a low[0, -1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c5 : i64
  } : tensor<?x1xi64> to tensor<?x1xi64>
  %e = tensor.empty() : tensor<4x1xi64>
  %c7 = arith.constant 7 : i64
  %g = linalg.fill ins(%c7 : i64) outs(%e : tensor<4x1xi64>) -> tensor<4x1xi64>
  %known = tensor.pad %g low[0, -1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c5 : i64
  } : tensor<4x1xi64> to tensor<4x1xi64>
  return %moved, %known : tensor<?x1xi64>, tensor<4x1xi64>
}
