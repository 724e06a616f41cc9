// Two negations of integers are not nothing, as upstream folds them: the least number
// has no opposite, and becomes the one above it. Found by npu-fuzz --tosa.
//
// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-prepare-tosa,tosa-make-broadcastable))' | FileCheck %s
// RUN: npu-opt %s --npu-compile="compile-to=legal tiles=2 strategy=rows" | npu-run - --reference=%s --inputs=special

// CHECK-LABEL: func.func @main
// CHECK: %[[BOUNDED:.*]] = tosa.clamp %arg0 {max_val = 127 : i8, min_val = -127 : i8}
// CHECK: return %[[BOUNDED]]
func.func @main(%x: tensor<40x30xi8>) -> tensor<40x30xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.negate %x, %z, %z : (tensor<40x30xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<40x30xi8>
  %b = tosa.negate %a, %z, %z : (tensor<40x30xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<40x30xi8>
  return %b : tensor<40x30xi8>
}
