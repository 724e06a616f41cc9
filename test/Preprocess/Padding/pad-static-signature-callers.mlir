// With static-signature a function has other arguments and results: who uses it in the
// module would have to change too. Without, callers stay as they are.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 static-signature" --verify-diagnostics
// RUN: npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=8 | FileCheck %s

// expected-error @+1 {{expected nobody to call 'main' with static-signature, which gives it other arguments and results}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %e = math.exp %x : tensor<?xf32>
  return %e : tensor<?xf32>
}

// CHECK-LABEL: func.func @of_known_length(
// CHECK: call @main
func.func @of_known_length(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c = tensor.cast %x : tensor<5xf32> to tensor<?xf32>
  // expected-note @+1 {{it is used here}}
  %r = call @main(%c) : (tensor<?xf32>) -> tensor<?xf32>
  %d = tensor.cast %r : tensor<?xf32> to tensor<5xf32>
  return %d : tensor<5xf32>
}
