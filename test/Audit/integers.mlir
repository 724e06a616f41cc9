// Programs on integers without a fault, where the reference in f64 would get
// something else: conditions that are extended, integers that f64 does not have,
// integers that wrap around on purpose or are meant without a sign. What wraps around
// whichever way it is read is OVERFLOW, and a fault is found beyond 2^53 as well.
//
// RUN: npu-run %s --audit --entry=condition | FileCheck %s --check-prefix=CONDITION
// RUN: npu-run %s --audit --entry=large | FileCheck %s --check-prefix=LARGE
// RUN: not npu-run %s --audit --entry=large --inject-fault=dropped-row#0 | FileCheck %s --check-prefix=FAULT
// RUN: npu-run %s --audit --entry=hash | FileCheck %s --check-prefix=HASH
// RUN: npu-run %s --audit --entry=random --inputs=integers | FileCheck %s --check-prefix=RANDOM
// RUN: not npu-run %s --audit --entry=extended | FileCheck %s --check-prefix=EXTENDED
// RUN: npu-run %s --audit --entry=without_sign | FileCheck %s --check-prefix=UNSIGNED
// RUN: npu-run %s --audit --entry=rounded --inputs=normal | FileCheck %s --check-prefix=ROUNDED

#id = affine_map<(i) -> (i)>

// An extended condition is -1.
// CONDITION: 2 EXACT
// CONDITION: verdict: EXACT
func.func @condition(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xi32> {
  %c = arith.cmpf olt, %a, %b : tensor<8xf32>
  %0 = arith.extsi %c : tensor<8xi1> to tensor<8xi32>
  return %0 : tensor<8xi32>
}

// 2^53 + 1 is no f64, and neither are its sum with 1 and products of ten digits.
// LARGE: 2 EXACT
// LARGE: verdict: EXACT
// FAULT: verdict: STRUCTURAL at linalg.add ({{.*}}integers.mlir:[[#@LINE+5]]:8)
func.func @large() -> (tensor<3xi64>, tensor<3xi64>) {
  %a = arith.constant dense<[9007199254740993, 9007199254740995, 3037000493]> : tensor<3xi64>
  %b = arith.constant dense<[1, 2, 3037000001]> : tensor<3xi64>
  %e = tensor.empty() : tensor<3xi64>
  %0 = linalg.add ins(%a, %b : tensor<3xi64>, tensor<3xi64>) outs(%e : tensor<3xi64>) -> tensor<3xi64>
  %c = arith.constant dense<[3037000493, 94906267, 2147483659]> : tensor<3xi64>
  %1 = arith.muli %c, %c : tensor<3xi64>
  return %0, %1 : tensor<3xi64>, tensor<3xi64>
}

// A product that wraps around and becomes a float is rounded once.
// HASH: verdict: ROUNDING at linalg.generic
func.func @hash() -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.constant 1103515245 : i32
    %m = arith.muli %j, %k : i32
    %f = arith.sitofp %m : i32 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// RANDOM: verdict: ROUNDING at linalg.fill_rng_2d
func.func @random(%a: f64, %b: f64, %s: i32) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.fill_rng_2d ins(%a, %b, %s : f64, f64, i32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// 100 + 100 is a number without a sign, but is read as one with a sign.
// EXTENDED: OVERFLOW linalg.generic {{.*}}: 1 of 2 elements have wrapped around
// EXTENDED: worst at [0]: expected 200, got -56
func.func @extended() -> tensor<2xi32> {
  %a = arith.constant dense<[100, 3]> : tensor<2xi8>
  %e = tensor.empty() : tensor<2xi32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<2xi8>) outs(%e : tensor<2xi32>) {
  ^bb0(%i: i8, %o: i32):
    %m = arith.addi %i, %i : i8
    %f = arith.extsi %m : i8 to i32
    linalg.yield %f : i32
  } -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// 200 - 100 wraps around with a sign; 100 + 100 and 255 are no numbers with one.
// UNSIGNED: 4 EXACT
// UNSIGNED: verdict: EXACT
func.func @without_sign() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>) {
  %a = arith.constant dense<[200, 100, 3, 12]> : tensor<4xi8>
  %b = arith.constant dense<[100, 100, 3, 12]> : tensor<4xi8>
  %f = arith.constant dense<[200.0, 255.0, 3.0, 128.0]> : tensor<4xf32>
  %0 = arith.subi %a, %b : tensor<4xi8>
  %1 = arith.addi %b, %b : tensor<4xi8>
  %2 = arith.fptoui %f : tensor<4xf32> to tensor<4xi8>
  %3 = arith.uitofp %2 : tensor<4xi8> to tensor<4xf32>
  return %0, %1, %3 : tensor<4xi8>, tensor<4xi8>, tensor<4xf32>
}

// Where rounding decides which integer it is, the same integer without a sign may be
// on the other side of 0: what is made of it has no bound there.
// ROUNDED-NOT: STRUCTURAL
// ROUNDED: verdict:
func.func @rounded(%x: tensor<64xf16>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %third = arith.constant 0.3333 : f16
    %three = arith.constant 3.0 : f16
    %one = arith.constant 1 : i32
    %t = arith.mulf %a, %third : f16
    %u = arith.mulf %t, %three : f16
    %d = arith.subf %u, %a : f16
    %f = math.floor %d : f16
    %i = arith.fptosi %f : f16 to i32
    %g = arith.uitofp %i : i32 to f32
    linalg.yield %g : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
