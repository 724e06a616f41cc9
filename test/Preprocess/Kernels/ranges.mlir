// Ranges that loops let grow are not followed round by round, and a range is asked for
// before anything changes.

// RUN: npu-opt %s --npu-select-kernels=target=npu4000 | FileCheck %s

// CHECK-LABEL: @grows
// CHECK: npu.gather {{.*}} tensor<3x1xi32>
func.func @grows(%data: tensor<64xf16>, %n: index) -> tensor<3xf16> {
  %zero = arith.constant dense<0> : tensor<3x1xi64>
  %one = arith.constant dense<1> : tensor<3x1xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %at = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> tensor<3x1xi64> {
    %b = arith.addi %a, %one : tensor<3x1xi64>
    %c = tensor.insert_slice %b into %a[0, 0] [3, 1] [1, 1] : tensor<3x1xi64> into tensor<3x1xi64>
    scf.yield %c : tensor<3x1xi64>
  }
  %r = npu.gather %data at %at : tensor<64xf16>, tensor<3x1xi64> -> tensor<3xf16>
  return %r : tensor<3xf16>
}

// The second has other positions than the first.
// CHECK-LABEL: @two
// CHECK: npu.gather {{.*}} tensor<2x1xi32>
// CHECK: arith.maxsi
// CHECK: npu.gather {{.*}} tensor<2x1xi32>
func.func @two(%data: tensor<172032xf16>, %given: tensor<2x1xi64>) -> (tensor<2xf16>, tensor<2xf16>) {
  %at = arith.constant dense<[[3], [1]]> : tensor<2x1xi64>
  %0 = npu.gather %data at %at : tensor<172032xf16>, tensor<2x1xi64> -> tensor<2xf16>
  %1 = npu.gather %data at %given : tensor<172032xf16>, tensor<2x1xi64> -> tensor<2xf16>
  return %0, %1 : tensor<2xf16>, tensor<2xf16>
}
