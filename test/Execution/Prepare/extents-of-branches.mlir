// A result of scf.if or scf.index_switch is as large as what all branches yield,
// where they agree at every length.
//
// RUN: split-file %s %t
// RUN: npu-opt %t/if.mlir --npu-compile="target=npu4000 max-prompt-len=16 compile-to=legal" -o %t.legal.mlir
// RUN: npu-run %t.legal.mlir --reference=%t/if.mlir --length=1,5,16 | FileCheck %s
// RUN: npu-run %t/switch.mlir --length=5 | FileCheck %s --check-prefix=SIZE
// RUN: not npu-run %t/other.mlir --length=5 2>&1 | FileCheck %s --check-prefix=OTHER
//
// CHECK: 3 lengths, 0 different
// SIZE: result #0 5x3xf32
// OTHER: error: cannot tell how large dimension 0 of result #0 is at the lengths 5 to 5

//--- if.mlir
func.func @main(%x: tensor<?x3xf32>, %isFirst: i1) -> tensor<?x3xf32> {
  %r = scf.if %isFirst -> (tensor<?x3xf32>) {
    scf.yield %x : tensor<?x3xf32>
  } else {
    scf.yield %x : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}

//--- switch.mlir
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>, %which: index) -> tensor<?x3xf32> {
  %r = scf.index_switch %which -> tensor<?x3xf32>
  case 0 {
    scf.yield %x : tensor<?x3xf32>
  }
  default {
    scf.yield %y : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}

//--- other.mlir
func.func @main(%x: tensor<?x3xf32>, %isFirst: i1) -> tensor<?x3xf32> {
  %r = scf.if %isFirst -> (tensor<?x3xf32>) {
    scf.yield %x : tensor<?x3xf32>
  } else {
    %three = arith.constant dense<1.0> : tensor<3x3xf32>
    %cast = tensor.cast %three : tensor<3x3xf32> to tensor<?x3xf32>
    scf.yield %cast : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}
