// A comparison that can fail: two functions that differ in one element, in the
// last bit, or in the sign of a zero; and what passes nevertheless.
//
// RUN: split-file %s %t
// RUN: not npu-run %t/b.mlir --reference=%t/a.mlir --inputs=iota | FileCheck %s --check-prefix=ONE
// RUN: npu-run %t/b.mlir --reference=%t/a.mlir --inputs=iota --tolerance=0.5 | FileCheck %s --check-prefix=WITHIN
// RUN: not npu-run %t/b.mlir --reference=%t/a.mlir --inputs=iota --tolerance=0.4 | FileCheck %s --check-prefix=BEYOND
// RUN: not npu-run %t/b.mlir --reference=%t/a.mlir --entry=last_bit --inputs=iota | FileCheck %s --check-prefix=BIT
// RUN: npu-run %t/b.mlir --reference=%t/a.mlir --entry=last_bit --inputs=iota --tolerance=1ulp
// RUN: not npu-run %t/b.mlir --reference=%t/a.mlir --entry=zero | FileCheck %s --check-prefix=ZERO
// RUN: npu-run %t/b.mlir --reference=%t/a.mlir --entry=nan --allow-non-finite | FileCheck %s --check-prefix=NAN
// RUN: not npu-run %t/b.mlir --reference=%t/a.mlir --entry=nan_or_one --tolerance=100 | FileCheck %s --check-prefix=ONE-NAN
// RUN: not npu-run %t/b.mlir --reference=%t/a.mlir --entry=largest_or_inf --tolerance=1ulp | FileCheck %s --check-prefix=ONE-INF

// ONE: result #0 2x3xf32: 6 elements, 1 different, max absolute difference 0.5, max ULP difference 1048576
// ONE-NEXT: first difference at [1, 1]: expected 4, got 4.5
// ONE-NEXT: {{^}}different
// WITHIN: first difference, tolerated, at [1, 1]: expected 4, got 4.5
// WITHIN-NEXT: {{^}}equal
// BEYOND: first difference at [1, 1]
// BIT: 1 different, max absolute difference 0.000488281, max ULP difference 1
// BIT-NEXT: first difference at [1]: expected 1, got 0.99951
// ZERO: 1 elements, 1 different, max absolute difference 0, max ULP difference 0
// ZERO-NEXT: first difference at []: expected 0, got -0
// NAN: 1 elements, 0 different
// ONE-NAN: max absolute difference inf, max ULP difference none (nan on one side)
// ONE-NAN-NEXT: expected nan (0x7E00), got 1
// The neighbour of the largest number is infinity, and no tolerance reaches it.
// ONE-INF: max absolute difference inf, max ULP difference 1
// ONE-INF-NEXT: first difference at []: expected 65504, got inf
// ONE-INF: {{^}}different

//--- a.mlir
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}
func.func @last_bit(%x: tensor<2xf16>) -> tensor<2xf16> {
  return %x : tensor<2xf16>
}
func.func @zero() -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @nan() -> tensor<f16> {
  %0 = arith.constant dense<0x7E00> : tensor<f16>
  return %0 : tensor<f16>
}
func.func @nan_or_one() -> tensor<f16> {
  %0 = arith.constant dense<0x7E00> : tensor<f16>
  return %0 : tensor<f16>
}
func.func @largest_or_inf() -> tensor<f16> {
  %0 = arith.constant dense<65504.0> : tensor<f16>
  return %0 : tensor<f16>
}

//--- b.mlir
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %d = arith.constant dense<[[0.0, 0.0, 0.0], [0.0, 0.5, 0.0]]> : tensor<2x3xf32>
  %0 = arith.addf %x, %d : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// 0x3BFF is the neighbour of 1.0 below.
func.func @last_bit(%x: tensor<2xf16>) -> tensor<2xf16> {
  %d = arith.constant dense<[1.0, 0x3BFF]> : tensor<2xf16>
  %0 = arith.mulf %x, %d : tensor<2xf16>
  return %0 : tensor<2xf16>
}
func.func @zero() -> tensor<f32> {
  %0 = arith.constant dense<-0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @nan() -> tensor<f16> {
  %0 = arith.constant dense<0xFE01> : tensor<f16>
  return %0 : tensor<f16>
}
func.func @nan_or_one() -> tensor<f16> {
  %0 = arith.constant dense<1.0> : tensor<f16>
  return %0 : tensor<f16>
}
func.func @largest_or_inf() -> tensor<f16> {
  %0 = arith.constant dense<0x7C00> : tensor<f16>
  return %0 : tensor<f16>
}
