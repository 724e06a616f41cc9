// An elementwise operation with two results, of a known prompt length.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" | npu-run - --reference=%s | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison side=left" | npu-run - --reference=%s | FileCheck %s

// CHECK: {{^}}equal
func.func @main(%x: tensor<5xi32> {npu.prompt_dim = 0}, %y: tensor<5xi32> {npu.prompt_dim = 0}) -> (tensor<5xi32>, tensor<5xi32>) {
  %e:2 = arith.mului_extended %x, %y : tensor<5xi32>
  return %e#1, %e#0 : tensor<5xi32>, tensor<5xi32>
}
