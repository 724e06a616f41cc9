// Functions that crashed, could not be compiled, or let padding through once they were
// padded; npu-fuzz --prompt found most of them.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: npu-run %t.right.mlir --entry=nothing_folded --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=on_tensors --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=nothing --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=dynamic_on_tensors --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison" -o %t.left.mlir
// RUN: npu-run %t.left.mlir --entry=nothing_folded --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=nothing --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=dropping --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=dropping --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=wrapped --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-legalize-distributions="max-prompt-len=8 poison" -o %t.legal.mlir
// RUN: npu-run %t.legal.mlir --entry=in_two_parts --reference=%s -O0 | FileCheck %s
// CHECK: {{^}}equal

// 64 times a position wraps in an i8, and what is after a row may seem to be before it.
func.func @wrapped(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0xFF800000 : f32
  %scale = arith.constant 64 : i8
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%score: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i8 = arith.index_cast %i : index to i8
    %j8 = arith.index_cast %j : index to i8
    %row = arith.muli %i8, %scale : i8
    %column = arith.muli %j8, %scale : i8
    %seen = arith.cmpi sle, %column, %row : i8
    %s = arith.select %seen, %score, %none : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%none : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce { arith.maximumf } ins(%masked : tensor<?x?xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  return %largest : tensor<?xf32>
}

// A prompt of nothing each has no padding when it is folded.
func.func @nothing_folded(%x: tensor<1x0xf32> {npu.prompt_dim = 0}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<1x0xf32> into tensor<0xf32>
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%flat : tensor<0xf32>) outs(%f : tensor<f32>) dimensions = [0]
  return %sum : tensor<f32>
}

// An operation on whole tensors becomes one on scalars, which have no padding.
func.func @on_tensors(%x: tensor<2xi8> {npu.prompt_dim = 0}) -> tensor<2xi8> {
  %0 = math.absi %x : tensor<2xi8>
  return %0 : tensor<2xi8>
}

// Nothing is cut out of tensors without elements.
func.func @nothing(%x: tensor<?x0x?xf32>, %y: tensor<?xf32>) -> (tensor<?x0x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %length = tensor.dim %x, %c0 : tensor<?x0x?xf32>
  %e = tensor.empty(%length, %length) : tensor<?x0x?xf32>
  %0 = linalg.exp ins(%x : tensor<?x0x?xf32>) outs(%e : tensor<?x0x?xf32>) -> tensor<?x0x?xf32>
  return %0, %y : tensor<?x0x?xf32>, tensor<?xf32>
}

// The result is as long as what it is made from.
func.func @dynamic_on_tensors(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = arith.addf %x, %x : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Slices that drop dimensions and stride over others, of any length.
func.func @dropping(%x: tensor<?x3x3xf32>, %y: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?x3x3xf32>) {
  %c0 = arith.constant 0 : index
  %length = tensor.dim %x, %c0 : tensor<?x3x3xf32>
  %0 = tensor.extract_slice %x[0, 1, 0] [%length, 1, 1] [1, 2, 2] : tensor<?x3x3xf32> to tensor<?x1xf32>
  %1 = tensor.insert_slice %y into %x[0, 1, 2] [%length, 1, 1] [1, 2, 2] : tensor<?x1xf32> into tensor<?x3x3xf32>
  return %0, %1 : tensor<?x1xf32>, tensor<?x3x3xf32>
}

// What has padding in its middle has its real part put together of two: nobody
// has written the second one while the first is moved.
#parts = #npu.layout<SEGMENTED, compute = [[3:6], [6:8], [0:3]], memory = [[2:8], [5:8], [0:4]]>
func.func @in_two_parts(%x: tensor<2xf64> {npu.prompt_dim = 0}, %y: tensor<6xf64>, %z: tensor<5xf64>) -> tensor<8xf64, #parts> {
  %0 = tensor.concat dim(0) %x, %y : (tensor<2xf64>, tensor<6xf64>) -> tensor<8xf64, #parts>
  %1 = tensor.insert_slice %z into %0[1] [5] [1] : tensor<5xf64> into tensor<8xf64, #parts>
  return %1 : tensor<8xf64, #parts>
}
