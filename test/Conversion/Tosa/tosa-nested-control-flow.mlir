// A branch in a branch and a loop in a loop are lowered: upstream's pass fails there
// with an illegal operation.
//
// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-lower-tosa-control-flow))' | FileCheck %s --implicit-check-not=tosa.cond_if --implicit-check-not=tosa.while_loop
// RUN: npu-opt %s --npu-compile=target=npu4000 -o /dev/null
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-to=legal" -o %t.mlir
// RUN: npu-run %t.mlir --entry=branches --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=loops --reference=%s | FileCheck %s --check-prefix=EQUAL
// EQUAL: {{^}}equal

// CHECK-LABEL: func.func @branches
// CHECK: scf.if
// CHECK: else
// CHECK: scf.if
func.func @branches(%a: tensor<4xf32>, %b: tensor<4xf32>, %first: tensor<i1>, %second: tensor<i1>) -> tensor<4xf32> {
  %r = tosa.cond_if %first : tensor<i1> -> tensor<4xf32> {
    tosa.yield %a : tensor<4xf32>
  } else {
    %q = tosa.cond_if %second : tensor<i1> -> tensor<4xf32> {
      tosa.yield %b : tensor<4xf32>
    } else {
      %t = tosa.exp %b : (tensor<4xf32>) -> tensor<4xf32>
      tosa.yield %t : tensor<4xf32>
    }
    tosa.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @loops
// CHECK: scf.while
// CHECK: scf.while
func.func @loops(%a: tensor<4xf32>) -> tensor<4xf32> {
  %n = "tosa.const"() {values = dense<3> : tensor<i32>} : () -> tensor<i32>
  %z = "tosa.const"() {values = dense<0> : tensor<i32>} : () -> tensor<i32>
  %o = "tosa.const"() {values = dense<1> : tensor<i32>} : () -> tensor<i32>
  %r:2 = tosa.while_loop (%x = %a, %i = %z) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
    %k = tosa.greater %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %k : tensor<i1>
  } do {
  ^bb0(%x: tensor<4xf32>, %i: tensor<i32>):
    %s:2 = tosa.while_loop (%y = %x, %m = %z) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
      %k = tosa.greater %n, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tosa.yield %k : tensor<i1>
    } do {
    ^bb0(%y: tensor<4xf32>, %m: tensor<i32>):
      %t = tosa.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
      %j = tosa.add %m, %o : (tensor<i32>, tensor<i32>) -> tensor<i32>
      tosa.yield %t, %j : tensor<4xf32>, tensor<i32>
    }
    %j = tosa.add %i, %o : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %s#0, %j : tensor<4xf32>, tensor<i32>
  }
  return %r#0 : tensor<4xf32>
}
