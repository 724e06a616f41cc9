// One dynamic dimension becomes several: they are what the operation says, as long as
// their product is what there is.
//
// RUN: split-file %s %t
// RUN: npu-run %t/square.mlir --length=3 --inputs=iota | FileCheck %s --check-prefix=SQUARE
// RUN: npu-run %t/one.mlir --length=3 --inputs=iota | FileCheck %s --check-prefix=ONE
// RUN: not npu-run %t/wrong.mlir --length=3 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: npu-run %t/wrong.mlir --length=1 | FileCheck %s --check-prefix=FITS
// RUN: not npu-run %t/overflow.mlir --length=3 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not npu-run %t/square.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=4" --length=1..4 2>&1 | FileCheck %s --check-prefix=PAD
//
// SQUARE: result #0 3x3xf32: -0 -1 -2 -3 -4 -5 -6 -7 -8
// ONE: result #0 1x3xf32: 0 1 2
// WRONG: wrong.mlir:4:8: error: assertion failed: expected sizes whose product is the number of entries in dimension 0
// FITS: result #0 1x1xf32
// OVERFLOW: overflow.mlir:5:8: error: assertion failed: expected sizes whose product is the number of entries in dimension 0
// PAD: square.mlir:4:8: error: 'tensor.collapse_shape' cannot be padded to max-prompt-len = 4 and stay exact

//--- square.mlir
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %m = arith.muli %n, %n : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %g = linalg.negf ins(%f : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = tensor.expand_shape %g [[0, 1]] output_shape [%n, %n] : tensor<?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

//--- one.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%c1, %n] : tensor<?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

//--- wrong.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%n, %n] : tensor<?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

//--- overflow.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %large = arith.constant 6148914691236517206 : index
  %y = tensor.expand_shape %x [[0, 1, 2]] output_shape [%n, %large, %n] : tensor<?xf32> into tensor<?x?x?xf32>
  %c1 = arith.constant 1 : index
  %r = tensor.extract %y[%c0, %c0, %c1] : tensor<?x?x?xf32>
  %t = tensor.from_elements %r : tensor<f32>
  return %t : tensor<f32>
}
