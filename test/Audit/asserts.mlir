// An audit runs operations for their results, so that it sees nothing of an assertion:
// it has to say so.
//
// RUN: npu-run %s --audit 2>&1 | FileCheck %s
//
// CHECK: asserts.mlir:[[#@LINE+5]]:3: warning: --audit runs operations for their results: 'cf.assert' has none and is passed over
// CHECK: verdict: ROUNDING at math.exp

func.func @main(%a: f32) -> f32 {
  %q = arith.cmpf oeq, %a, %a : f32
  cf.assert %q, "a number"
  %c = math.exp %a : f32
  return %c : f32
}
