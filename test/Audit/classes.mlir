// Each class that an audit gives, at an operation where one can say by hand why it
// has it, with the exit code that follows.
//
// RUN: npu-run %s --audit --entry=exact | FileCheck %s --check-prefix=EXACT
// RUN: npu-run %s --audit --entry=rounding | FileCheck %s --check-prefix=ROUNDING
// RUN: not npu-run %s --audit --entry=overflow | FileCheck %s --check-prefix=OVERFLOW
// RUN: not npu-run %s --audit --entry=wraps --inputs=special | FileCheck %s --check-prefix=WRAPS
// RUN: npu-run %s --audit --entry=variance --inputs=positive | FileCheck %s --check-prefix=VARIANCE
// RUN: npu-run %s --audit --entry=unknown | FileCheck %s --check-prefix=UNKNOWN
// RUN: npu-run %s --audit --entry=in_a_loop | FileCheck %s --check-prefix=LOOP
// RUN: npu-run %s --audit --entry=branches | FileCheck %s --check-prefix=BRANCH
// RUN: npu-run %s --audit --entry=masked | FileCheck %s --check-prefix=MASKED --implicit-check-not=OVERFLOW
// RUN: npu-run %s --audit --entry=quantized | FileCheck %s --check-prefix=QUANTIZED
// RUN: npu-run %s --audit --entry=calls | FileCheck %s --check-prefix=CALLS
// RUN: npu-run %s --audit --entry=nothing | FileCheck %s --check-prefix=NOTHING

// What only moves elements makes no difference.
// EXACT: audit of 'exact': 2 operations, 2 of them different
// EXACT-NEXT: {{^}}2 EXACT
// EXACT-NEXT: result #0 4x2xf16: off by nothing, bound 0
// EXACT-NEXT: {{^}}verdict: EXACT at linalg.transpose
func.func @exact(%x: tensor<2x4xf16>) -> tensor<4x2xf16> {
  %e = tensor.empty() : tensor<4x2xf16>
  %0 = linalg.transpose ins(%x : tensor<2x4xf16>) outs(%e : tensor<4x2xf16>) permutation = [1, 0]
  %1 = arith.negf %0 : tensor<4x2xf16>
  return %1 : tensor<4x2xf16>
}

// One operation rounds each element once: by half a unit in the last place.
// ROUNDING: 1 ROUNDING
// ROUNDING-NEXT: ROUNDING arith.mulf ({{.*}}classes.mlir:[[#@LINE+4]]:8): {{[0-9]+}} of 64 elements differ, all within their bounds
// ROUNDING-NEXT: result 64xf16
// ROUNDING-NEXT: here at most {{[^,]*}}, relative {{[^,]*}}, 0.5 ulp (mean 0.{{[0-9]*}}), bound
func.func @rounding(%x: tensor<64xf16>, %y: tensor<64xf16>) -> tensor<64xf16> {
  %0 = arith.mulf %x, %y : tensor<64xf16>
  return %0 : tensor<64xf16>
}

// The product is finite in f64 and infinite in f16; what follows has infinite
// operands and is not to blame.
// OVERFLOW: 1 OVERFLOW, 1 EXACT
// OVERFLOW-NEXT: OVERFLOW arith.mulf ({{.*}}classes.mlir:[[#@LINE+7]]:8): 4 of 4 elements are infinite or NaN where the reference is finite
// OVERFLOW: here unknown: no element is finite on both sides
// OVERFLOW: worst at [0]: expected 120000, got inf
// OVERFLOW: verdict: OVERFLOW at arith.mulf
func.func @overflow(%x: tensor<4xf16>) -> tensor<4xf16> {
  %large = arith.constant dense<60000.0> : tensor<4xf16>
  %two = arith.constant dense<2.0> : tensor<4xf16>
  %0 = arith.mulf %large, %two : tensor<4xf16>
  %1 = arith.negf %0 : tensor<4xf16>
  return %1 : tensor<4xf16>
}

// Integers that wrap around, read with a sign or without, have overflown.
// WRAPS: OVERFLOW arith.muli ({{.*}}classes.mlir:[[#@LINE+3]]:8): {{[0-9]+}} of 64 elements have wrapped around
// WRAPS: verdict: OVERFLOW at arith.muli
func.func @wraps(%x: tensor<64xi8>) -> tensor<64xi8> {
  %0 = arith.muli %x, %x : tensor<64xi8>
  return %0 : tensor<64xi8>
}

// E[x^2] - E[x]^2 of numbers around 100: each term is near 10000, the difference
// near 0.1.
// VARIANCE: CANCELLATION arith.subf ({{.*}}classes.mlir:[[#@LINE+30]]:8): 8 of 8 elements have lost more than half of their digits to a sum of condition {{.*}} and more
// VARIANCE: exact operands give
// VARIANCE: verdict: CANCELLATION at arith.subf
#in = affine_map<(i, k) -> (i, k)>
#out = affine_map<(i, k) -> (i)>
func.func @variance(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %hundred = arith.constant dense<100.0> : tensor<8x64xf32>
  %part = arith.constant dense<0.015625> : tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %shifted = arith.addf %x, %hundred : tensor<8x64xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%shifted : tensor<8x64xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %1 = arith.addf %s, %a : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %squares = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%shifted : tensor<8x64xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %2 = arith.mulf %a, %a : f32
    %1 = arith.addf %s, %2 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %mean = arith.mulf %sum, %part : tensor<8xf32>
  %mean_of_squares = arith.mulf %squares, %part : tensor<8xf32>
  %square_of_mean = arith.mulf %mean, %mean : tensor<8xf32>
  // The sum of squares and the mean are rounded to 24 bits; their difference has
  // few of them left.
  %0 = arith.subf %mean_of_squares, %square_of_mean : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A tangent has no rule. What has no error goes on: of exact operands, the bits
// that the device has.
// UNKNOWN: NOT_AUDITED math.tan ({{.*}}classes.mlir:[[#@LINE+4]]:8): no rule bounds the rounding errors of math.tan
// UNKNOWN: verdict: ROUNDING at arith.mulf ({{.*}}): {{.*}} (1 not audited)
func.func @unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.mulf %x, %x : tensor<8xf32>
  %1 = math.tan %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A loop is one operation, whose errors grow inside of it.
// LOOP: ROUNDING scf.for ({{.*}}classes.mlir:[[#@LINE+6]]:8): {{.*}} within their bounds
func.func @in_a_loop(%x: tensor<8xf16>) -> tensor<8xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %third = arith.constant dense<0.3333> : tensor<8xf16>
  %0 = scf.for %i = %c0 to %c9 step %c1 iter_args(%y = %x) -> tensor<8xf16> {
    %1 = arith.mulf %y, %third : tensor<8xf16>
    %2 = arith.addf %1, %x : tensor<8xf16>
    scf.yield %2 : tensor<8xf16>
  }
  return %0 : tensor<8xf16>
}

// A branch that no error turns is bounded.
// BRANCH: ROUNDING scf.if ({{.*}}classes.mlir:[[#@LINE+5]]:8)
func.func @branches(%x: tensor<8xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  %c0 = arith.constant 0 : index
  %first = tensor.extract %x[%c0] : tensor<8xf16>
  %c = arith.cmpf ogt, %first, %first : f16
  %0 = scf.if %c -> tensor<8xf16> {
    scf.yield %x : tensor<8xf16>
  } else {
    %1 = arith.mulf %x, %y : tensor<8xf16>
    scf.yield %1 : tensor<8xf16>
  }
  return %0 : tensor<8xf16>
}

// Infinities that were given and end in exp are no overflow.
// MASKED: verdict: ROUNDING
func.func @masked(%x: tensor<4xf16>) -> tensor<4xf16> {
  %mask = arith.constant dense<[0.0, 0xFC00, 0.0, 0xFC00]> : tensor<4xf16>
  %0 = arith.addf %x, %mask : tensor<4xf16>
  %1 = math.exp %0 : tensor<4xf16>
  return %1 : tensor<4xf16>
}

// Rounding to integers loses no bound: sums of i8 products in i32 are exact.
// QUANTIZED: verdict: ROUNDING at arith.mulf
// QUANTIZED-NOT: not audited
func.func @quantized(%x: tensor<4x8xf32>, %w: tensor<8x4xi8>) -> tensor<4x4xf32> {
  %scale = arith.constant dense<17.3> : tensor<4x8xf32>
  %back = arith.constant dense<0.057803468> : tensor<4x4xf32>
  %zero = arith.constant 0 : i32
  %0 = arith.mulf %x, %scale : tensor<4x8xf32>
  %1 = math.roundeven %0 : tensor<4x8xf32>
  %2 = arith.fptosi %1 : tensor<4x8xf32> to tensor<4x8xi8>
  %e = tensor.empty() : tensor<4x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x4xi32>) -> tensor<4x4xi32>
  %3 = linalg.matmul ins(%2, %w : tensor<4x8xi8>, tensor<8x4xi8>) outs(%f : tensor<4x4xi32>) -> tensor<4x4xi32>
  %4 = arith.sitofp %3 : tensor<4x4xi32> to tensor<4x4xf32>
  %5 = arith.mulf %4, %back : tensor<4x4xf32>
  return %5 : tensor<4x4xf32>
}

// Calls are inlined.
func.func private @square(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CALLS: ROUNDING arith.mulf ({{.*}}classes.mlir:[[#@LINE+1]]:8)
  %0 = arith.mulf %x, %x : tensor<4xf16>
  return %0 : tensor<4xf16>
}
func.func @calls(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = call @square(%x) : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// NOTHING: verdict: EXACT{{:}} no operation computes anything
func.func @nothing(%x: tensor<4xf16>) -> tensor<4xf16> {
  return %x : tensor<4xf16>
}
