// A fused operation held against those that it stands for: what computes the same
// passes, and a wrong map is found at the operation and named with what was fused.
//
// RUN: split-file %s %t
// RUN: npu-run %t/fused.mlir --audit --reference=%t/original.mlir | FileCheck %s --check-prefix=SAME
// RUN: not npu-run %t/wrong.mlir --audit --reference=%t/original.mlir | FileCheck %s --check-prefix=WRONG
// RUN: not npu-run %t/wrong.mlir --audit --reference=%t/original.mlir --format=json | FileCheck %s --check-prefix=JSON
// RUN: npu-run %t/half.mlir --audit --reference=%t/original.mlir | FileCheck %s --check-prefix=SAME
// RUN: not npu-run %t/other.mlir --audit --reference=%t/original.mlir 2>&1 | FileCheck %s --check-prefix=OTHER

// SAME: against the original:
// SAME-NEXT: every result is the original's
// SAME-NEXT: verdict: ROUNDING

// WRONG: against the original: 1 of 3 values are known there
// WRONG-NEXT: result #0 is not the original's: off by
// WRONG-NEXT: linalg.generic ({{.*}}wrong.mlir:10:8): its operands are the original's, and its result is not
// WRONG-NEXT: fused of arith.mulf ({{.*}}original.mlir:6:8), linalg.generic ({{.*}}original.mlir:8:8)
// WRONG: verdict: STRUCTURAL at linalg.generic ({{.*}}wrong.mlir:10:8): it does not compute what the original does in the {{[0-9]}} operations that it was fused of

// JSON: "original": {
// JSON-NEXT: "equal": false,
// JSON-NEXT: "different_results": [0],
// JSON: "suspects": [
// JSON-NEXT: {
// JSON-NEXT: "operation": "linalg.generic
// JSON-NEXT: "stands_for": [
// JSON: "class": "STRUCTURAL",

// OTHER: error: --reference: expected arguments (8x8xf32), got (8x8xf32, 8xf32)

//--- original.mlir
#d = affine_map<(i, j) -> (i, j)>
#c = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %two = arith.constant dense<2.0> : tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = arith.mulf %x, %two : tensor<8x8xf32>
  %h = math.tanh %x : tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#d, #c, #d], iterator_types = ["parallel", "parallel"]}
      ins(%0, %b : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %2 = math.exp %1 : tensor<8x8xf32>
  %3 = arith.mulf %2, %h : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

//--- fused.mlir
#d = affine_map<(i, j) -> (i, j)>
#c = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %h = math.tanh %x : tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#d, #c, #d], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %two : f32
    %s = arith.addf %t, %q : f32
    %r = math.exp %s : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %3 = arith.mulf %1, %h : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

//--- wrong.mlir
// The summand lies along the rows.
#d = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %h = math.tanh %x : tensor<8x8xf32>

  // Fused.
  %1 = linalg.generic {indexing_maps = [#d, #r, #d], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %two : f32
    %s = arith.addf %t, %q : f32
    %r = math.exp %s : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %3 = arith.mulf %1, %h : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

//--- half.mlir
// Stored in f16 where the original has f32: rounding, and no fault.
#d = affine_map<(i, j) -> (i, j)>
#c = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %two = arith.constant 2.0 : f16
  %e = tensor.empty() : tensor<8x8xf16>
  %xh = arith.truncf %x : tensor<8x8xf32> to tensor<8x8xf16>
  %bh = arith.truncf %b : tensor<8xf32> to tensor<8xf16>
  %h = math.tanh %xh : tensor<8x8xf16>
  %1 = linalg.generic {indexing_maps = [#d, #c, #d], iterator_types = ["parallel", "parallel"]}
      ins(%xh, %bh : tensor<8x8xf16>, tensor<8xf16>) outs(%e : tensor<8x8xf16>) {
  ^bb0(%p: f16, %q: f16, %o: f16):
    %t = arith.mulf %p, %two : f16
    %s = arith.addf %t, %q : f16
    %r = math.exp %s : f16
    linalg.yield %r : f16
  } -> tensor<8x8xf16>
  %3 = arith.mulf %1, %h : tensor<8x8xf16>
  %4 = arith.extf %3 : tensor<8x8xf16> to tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

//--- other.mlir
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = math.exp %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
