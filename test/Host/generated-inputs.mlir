// Generated inputs depend on seed, argument number, shape and element type
// alone: these values may not change, or recorded failures lose their data.
//
// RUN: npu-run %s | FileCheck %s --check-prefix=RANDOM
// RUN: npu-run %s --seed=1 | FileCheck %s --check-prefix=SEED
// RUN: npu-run %s --entry=more --output=%t.npy | FileCheck %s --check-prefix=MORE
// RUN: npu-run %s --inputs=integers | FileCheck %s --check-prefix=INTEGERS
// RUN: npu-run %s --inputs=special | FileCheck %s --check-prefix=SPECIAL
// RUN: npu-run %s --entry=wrap --inputs=iota | FileCheck %s --check-prefix=WRAP

// RANDOM: result #0 4xf32: 0.155140758 0.697255611 0.0378762484 -0.769540191
// RANDOM: result #1 4xf16: -0.18848 -0.54688 -0.93945 0.55176
// RANDOM: result #2 4xi8: -4 -4 -6 2
// SEED: result #0 4xf32: 0.831137419 -0.34608829 0.429163337 0.584262609
// SEED: result #2 4xi8: 2 -2 3 -2
// SPECIAL: result #0 4xf32: 0.155140758 -0 0.0378762484 1
// SPECIAL: result #1 4xf16: -0.18848 -0.54688 -1 0.55176
// SPECIAL: result #2 4xi8: -4 -4 -6 2
// INTEGERS: result #0 4xf32: 4 0 -2 -3
// INTEGERS: result #1 4xf16: 1 4 4 -3
// INTEGERS: result #2 4xi8: -3 2 3 0
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf16>, %c: tensor<4xi8>)
    -> (tensor<4xf32>, tensor<4xf16>, tensor<4xi8>) {
  return %a, %b, %c : tensor<4xf32>, tensor<4xf16>, tensor<4xi8>
}

// The same arguments in another function with other results.
// MORE: result #0 4xf32: 0.155140758 0.697255611 0.0378762484 -0.769540191
func.func @more(%a: tensor<4xf32>, %b: tensor<4xf16>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// i8 counts to 127, i1 to 1.
// WRAP: result #0 3xi8: 126 127 0
// WRAP: result #1 3xi1: false true false
func.func @wrap(%a: tensor<130xi8>, %b: tensor<3xi1>) -> (tensor<3xi8>, tensor<3xi1>) {
  %0 = tensor.extract_slice %a[126] [3] [1] : tensor<130xi8> to tensor<3xi8>
  return %0, %b : tensor<3xi8>, tensor<3xi1>
}
