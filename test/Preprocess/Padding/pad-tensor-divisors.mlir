// A division of whole tensors is padded where no divisor in padding can trap, as
// it is decided in regions: by -1 the smallest signed number has no quotient.
// RUN: npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=8 | FileCheck %s

// CHECK-LABEL: @by_three
// CHECK: %[[THREE:.*]] = arith.constant dense<3> : tensor<4x8xi32>
// CHECK: arith.divsi %{{.*}}, %[[THREE]] {npu.padding = {{.*}}} : tensor<4x8xi32>
func.func @by_three(%x: tensor<4x5xi32> {npu.prompt_dim = 1}) -> tensor<4x5xi32> {
  %c = arith.constant dense<3> : tensor<4x5xi32>
  %d = arith.divsi %x, %c : tensor<4x5xi32>
  return %d : tensor<4x5xi32>
}

// CHECK-LABEL: @by_minus_one
// CHECK: arith.divsi %{{.*}} : tensor<4x5xi32>
func.func @by_minus_one(%x: tensor<4x5xi32> {npu.prompt_dim = 1}) -> tensor<4x5xi32> {
  %c = arith.constant dense<-1> : tensor<4x5xi32>
  %d = arith.divsi %x, %c : tensor<4x5xi32>
  return %d : tensor<4x5xi32>
}

// CHECK-LABEL: @by_what_is_given
// CHECK: arith.remui %{{.*}} : tensor<4x5xi32>
func.func @by_what_is_given(%x: tensor<4x5xi32> {npu.prompt_dim = 1}, %y: tensor<4x5xi32> {npu.prompt_dim = 1}) -> tensor<4x5xi32> {
  %d = arith.remui %x, %y : tensor<4x5xi32>
  return %d : tensor<4x5xi32>
}
