// A call that gives a number beside a buffer: the number carries no buffer, so
// that the scratchpad which the callee was given is free while the number is used.
// The plan that was written is accepted when it is read back.
//
// RUN: npu-opt %s --npu-lower-to-tiles --npu-to-buffers -o %t
// RUN: npu-opt %t --npu-verify-scratchpad-plan -o /dev/null
// RUN: npu-run %t --reference=%s | FileCheck %s
// CHECK: {{^}}equal

#two = #npu.layout<SEGMENTED, tiles = [2]>
#three = #npu.layout<SEGMENTED, tiles = [3]>

func.func private @doubled(%x: tensor<8xf32, #two>, %c: i1) -> (tensor<8xf32, #three>, i1) {
  %y = arith.addf %x, %x : tensor<8xf32, #two>
  %z = npu.redistribute %y : tensor<8xf32, #two> to tensor<8xf32, #three>
  return %z, %c : tensor<8xf32, #three>, i1
}

func.func @main(%x: tensor<8xf32, #two>, %b: tensor<8xf32, #three>) -> tensor<8xf32, #three> {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = call @doubled(%x, %true) : (tensor<8xf32, #two>, i1) -> (tensor<8xf32, #three>, i1)
  %n = arith.index_castui %r#1 : i1 to index
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%a = %r#0) -> tensor<8xf32, #three> {
    %s = arith.addf %a, %b : tensor<8xf32, #three>
    scf.yield %s : tensor<8xf32, #three>
  }
  return %u : tensor<8xf32, #three>
}
