// Inputs of a program on buffers are copied for every run where it writes to
// them, here through a view, by a call, and through a branch: the reference
// gets them as they were.

// RUN: split-file %s %t
// RUN: npu-run %t/view.mlir --reference=%t/original.mlir --inputs=iota --repeat=2 | FileCheck %s
// RUN: npu-run %t/call.mlir --reference=%t/original.mlir --inputs=iota --repeat=2 | FileCheck %s
// RUN: npu-run %t/branch.mlir --reference=%t/original.mlir --inputs=iota --repeat=2 | FileCheck %s

// CHECK: result #0 4xf32: 4 elements, 0 different

//--- original.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

//--- view.mlir
func.func @main(%x: memref<4xf32>, %r: memref<4xf32> {bufferize.result}) {
  %row = memref.expand_shape %x [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  linalg.add ins(%row, %row : memref<1x4xf32>, memref<1x4xf32>) outs(%row : memref<1x4xf32>)
  memref.copy %x, %r : memref<4xf32> to memref<4xf32>
  return
}

//--- call.mlir
func.func private @double(%x: memref<4xf32>) {
  linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%x : memref<4xf32>)
  return
}
func.func @main(%x: memref<4xf32>, %r: memref<4xf32> {bufferize.result}) {
  call @double(%x) : (memref<4xf32>) -> ()
  memref.copy %x, %r : memref<4xf32> to memref<4xf32>
  return
}

//--- branch.mlir
func.func @main(%x: memref<4xf32>, %r: memref<4xf32> {bufferize.result}) {
  %true = arith.constant true
  %same = scf.if %true -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    scf.yield %r : memref<4xf32>
  }
  linalg.add ins(%same, %same : memref<4xf32>, memref<4xf32>) outs(%same : memref<4xf32>)
  memref.copy %x, %r : memref<4xf32> to memref<4xf32>
  return
}
