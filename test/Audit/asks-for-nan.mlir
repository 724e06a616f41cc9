// A finite error makes no NaN of a number: where only that is asked, as a maxnumf does
// that is lowered, both sides take the same way, and a fault after it is found.
//
// RUN: npu-run %s --audit --entry=clamp | FileCheck %s --check-prefix=CLAMP
// RUN: not npu-run %s --audit --entry=clamp --inject-fault=dropped-row#6 | FileCheck %s --check-prefix=FAULT
// RUN: npu-run %s --audit --entry=replaced | FileCheck %s --check-prefix=REPLACED
// RUN: not npu-run %s --audit --entry=replaced --inject-fault=dropped-row#1 | FileCheck %s --check-prefix=FAULT

// FAULT: verdict: STRUCTURAL at linalg.generic

#id = affine_map<(i) -> (i)>

// CLAMP: verdict: EXACT
func.func @clamp() -> tensor<8xf64> {
  %x = arith.constant dense<[1.0, 1.5, -7.25, -2.0e3, 1.0e10, 0.2, 99.9, 120.0]> : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf64>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf64>) {
  ^bb0(%a: f32, %o: f64):
    %t = arith.truncf %a : f32 to f16
    %low = arith.constant -100.0 : f16
    %high = arith.constant 100.0 : f16
    %above = arith.maxnumf %t, %low : f16
    %between = arith.minnumf %above, %high : f16
    %i = arith.fptosi %between : f16 to i16
    %f = arith.sitofp %i : i16 to f64
    linalg.yield %f : f64
  } -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// REPLACED: verdict: ROUNDING
func.func @replaced() -> tensor<4xf16> {
  %x = arith.constant dense<[1.0, 1.5, 70.3, 99.9]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf16>) {
  ^bb0(%a: f32, %o: f16):
    %t = arith.truncf %a : f32 to f16
    %z = arith.constant 0.0 : f16
    %n = arith.cmpf uno, %t, %t : f16
    %r = arith.select %n, %z, %t : f16
    linalg.yield %r : f16
  } -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
