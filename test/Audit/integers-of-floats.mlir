// A NaN, an infinity, or a number that the bits cannot hold has no integer, and what a
// device makes of it is its own affair: such an element is no fault of the compiler's.
// Neither is a shift by all bits.
//
// RUN: npu-run %s --audit --entry=nan | FileCheck %s --check-prefix=NAN
// RUN: npu-run %s --audit --entry=negative | FileCheck %s --check-prefix=NEGATIVE
// RUN: not npu-run %s --audit --entry=large | FileCheck %s --check-prefix=LARGE
// RUN: npu-run %s --audit --entry=ends | FileCheck %s --check-prefix=ENDS
// RUN: npu-run %s --audit --entry=shift | FileCheck %s --check-prefix=SHIFT

// NAN: NOT_AUDITED arith.fptosi {{.*}} a float that no integer stands for
// NAN: verdict: NOT_AUDITED
func.func @nan() -> tensor<4xi32> {
  %a = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 1.0]> : tensor<4xf32>
  %0 = arith.fptosi %a : tensor<4xf32> to tensor<4xi32>
  return %0 : tensor<4xi32>
}

// NEGATIVE: NOT_AUDITED arith.fptoui
// NEGATIVE: verdict: NOT_AUDITED
func.func @negative() -> tensor<3xi32> {
  %a = arith.constant dense<[-65504.0, -1.0, 1.0]> : tensor<3xf32>
  %0 = arith.fptoui %a : tensor<3xf32> to tensor<3xi32>
  return %0 : tensor<3xi32>
}

// LARGE: OVERFLOW arith.fptosi {{.*}}: 1 of 3 elements have wrapped around
func.func @large() -> tensor<3xi16> {
  %a = arith.constant dense<[100000.0, -1.0, 1.0]> : tensor<3xf32>
  %0 = arith.fptosi %a : tensor<3xf32> to tensor<3xi16>
  return %0 : tensor<3xi16>
}

// What is cut to the ends of a type is there.
// ENDS: 3 EXACT
func.func @ends() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi64>) {
  %a = arith.constant dense<[-128.9, 127.9, 1.0]> : tensor<3xf32>
  %b = arith.constant dense<[-0.9, 255.9, 1.0]> : tensor<3xf32>
  %c = arith.constant dense<[0xC3E0000000000000, 0x43DFFFFFFFFFFFFF, 1.0]> : tensor<3xf64>
  %0 = arith.fptosi %a : tensor<3xf32> to tensor<3xi8>
  %1 = arith.fptoui %b : tensor<3xf32> to tensor<3xi8>
  %2 = arith.fptosi %c : tensor<3xf64> to tensor<3xi64>
  return %0, %1, %2 : tensor<3xi8>, tensor<3xi8>, tensor<3xi64>
}

// No bit of 0 is lost, but machines differ in what a shift by 32 is.
// SHIFT: NOT_AUDITED arith.shli
func.func @shift() -> tensor<3xi32> {
  %x = arith.constant dense<[3, 1, 0]> : tensor<3xi32>
  %n = arith.constant dense<[1, 31, 32]> : tensor<3xi32>
  %0 = arith.shli %x, %n : tensor<3xi32>
  return %0 : tensor<3xi32>
}
