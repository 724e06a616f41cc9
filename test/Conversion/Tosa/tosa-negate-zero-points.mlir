// Upstream's lowering crashes on integers that are negated with zero points
// which are no constants.
//
// RUN: npu-opt %s --verify-diagnostics --npu-compile=compile-to=input

func.func @main(%x: tensor<4xi32>, %zero: tensor<1xi32>) -> tensor<4xi32> {
  %constant = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  // expected-error @+1 {{'tosa.negate' op expected zero points that are constants}}
  %y = tosa.negate %x, %constant, %zero : (tensor<4xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}
