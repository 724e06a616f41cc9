// Constant positions that are not there are errors where the operation surely runs. They
// are no slices.

// RUN: npu-opt %s --npu-select-kernels=target=npu4000 --split-input-file --verify-diagnostics -o /dev/null
// RUN: npu-opt %s --canonicalize --split-input-file | FileCheck %s
// CHECK: npu.gather
// CHECK: npu.scatter

func.func @far(%data: tensor<172032xf16>) -> tensor<2xf16> {
  %at = arith.constant dense<[[0], [2147483648]]> : tensor<2x1xi64>
  // expected-error@+1 {{'npu.gather': expected an index of the 172032 entries of dimension 0, got 2147483648}}
  %r = npu.gather %data at %at : tensor<172032xf16>, tensor<2x1xi64> -> tensor<2xf16>
  return %r : tensor<2xf16>
}

// -----

func.func @second(%data: tensor<1x2x8xf16>, %new: tensor<1x8xf16>) -> tensor<1x2x8xf16> {
  %at = arith.constant dense<[[0, -3]]> : tensor<1x2xi64>
  // expected-error@+1 {{'npu.scatter': expected an index of the 2 entries of dimension 1, got -3}}
  %r = npu.scatter %new into %data at %at : tensor<1x8xf16>, tensor<1x2x8xf16>, tensor<1x2xi64> -> tensor<1x2x8xf16>
  return %r : tensor<1x2x8xf16>
}

// -----

// What may not run is no error, and neither is a gather of nothing.
func.func @maybe(%data: tensor<4xf16>, %c: i1) -> (tensor<2xf16>, tensor<2x0xf16>) {
  %at = arith.constant dense<4> : tensor<2x1xi32>
  %r = scf.if %c -> tensor<2xf16> {
    %0 = npu.gather %data at %at : tensor<4xf16>, tensor<2x1xi32> -> tensor<2xf16>
    scf.yield %0 : tensor<2xf16>
  } else {
    %1 = tensor.empty() : tensor<2xf16>
    scf.yield %1 : tensor<2xf16>
  }
  %e = tensor.empty() : tensor<4x0xf16>
  %n = npu.gather %e at %at : tensor<4x0xf16>, tensor<2x1xi32> -> tensor<2x0xf16>
  return %r, %n : tensor<2xf16>, tensor<2x0xf16>
}
