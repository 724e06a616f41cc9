// Plain functions run: results small enough to be computed by hand, one
// function for each element type and kind of operation.
//
// RUN: npu-run %s --entry=matmul --inputs=iota | FileCheck %s --check-prefix=MATMUL
// RUN: npu-run %s --entry=matmul --inputs=iota -O0 | FileCheck %s --check-prefix=MATMUL
// RUN: npu-run %s --entry=conv --inputs=iota | FileCheck %s --check-prefix=CONV
// RUN: npu-run %s --entry=softmax --inputs=iota | FileCheck %s --check-prefix=SOFTMAX
// RUN: npu-run %s --entry=half --inputs=iota | FileCheck %s --check-prefix=HALF
// RUN: npu-run %s --entry=bytes --inputs=iota | FileCheck %s --check-prefix=BYTES
// RUN: npu-run %s --entry=bits --inputs=iota | FileCheck %s --check-prefix=BITS
// RUN: npu-run %s --entry=transpose --inputs=iota | FileCheck %s --check-prefix=TRANSPOSE
// RUN: npu-run %s --entry=scalars --inputs=iota | FileCheck %s --check-prefix=SCALARS
// RUN: npu-run %s --entry=calls --inputs=iota | FileCheck %s --check-prefix=CALLS
// RUN: npu-run %s --entry=unwritten --inputs=iota | FileCheck %s --check-prefix=UNWRITTEN
// RUN: npu-run %s --entry=slices --inputs=iota | FileCheck %s --check-prefix=SLICES
// RUN: npu-run %s --entry=dropping --inputs=iota | FileCheck %s --check-prefix=DROPPING
// RUN: npu-run %s --entry=twice --inputs=iota | FileCheck %s --check-prefix=TWICE
// RUN: npu-run %s --entry=empty --inputs=iota | FileCheck %s --check-prefix=EMPTY
// RUN: npu-run %s --entry=tosa --inputs=iota | FileCheck %s --check-prefix=TOSA
// RUN: npu-run %s --entry=gather --inputs=iota | FileCheck %s --check-prefix=GATHER

// [0 1 2; 3 4 5] * [0 1; 2 3; 4 5]
// MATMUL: 'matmul' ran: (2x3xf32, 3x2xf32) -> (2x2xf32)
// MATMUL-NEXT: result #0 2x2xf32: 10 13 28 40
func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>)
      outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// A 2x2 kernel of 0 1 2 3 over a 3x3 image of 0 to 8, padded below and right.
// CONV: result #0 1x1x3x3xf32: 19 25 10 37 43 16 7 8 0
func.func @conv(%x: tensor<1x1x3x3xf32>, %k: tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %l: index, %m: index):
    tensor.yield %zero : f32
  } : tensor<1x1x3x3xf32> to tensor<1x1x4x4xf32>
  %e = tensor.empty() : tensor<1x1x3x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%p, %k : tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>)
      outs(%f : tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  return %0 : tensor<1x1x3x3xf32>
}

// Two rows that differ by a constant.
// SOFTMAX: result #0 2x2xf32: 0.26894{{[0-9]*}} 0.73105{{[0-9]*}} 0.26894{{[0-9]*}} 0.73105{{[0-9]*}}
func.func @softmax(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// HALF: result #0 4xf16: 0 0.5 1 1.5
// HALF: result #1 4xbf16: 0 1 2 3
func.func @half(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xbf16>) {
  %half = arith.constant dense<0.5> : tensor<4xf16>
  %0 = arith.mulf %x, %half : tensor<4xf16>
  %1 = arith.extf %x : tensor<4xf16> to tensor<4xf32>
  %2 = arith.truncf %1 : tensor<4xf32> to tensor<4xbf16>
  return %0, %2 : tensor<4xf16>, tensor<4xbf16>
}

// BYTES: result #0 4xi8: 127 -128 -127 -126
func.func @bytes(%x: tensor<4xi8>) -> tensor<4xi8> {
  %most = arith.constant dense<127> : tensor<4xi8>
  %0 = arith.addi %x, %most : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// BITS: result #0 4xi1: true false true false
func.func @bits(%x: tensor<4xi1>) -> tensor<4xi1> {
  %true = arith.constant dense<true> : tensor<4xi1>
  %0 = arith.xori %x, %true : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// TRANSPOSE: result #0 3x2xi32: 0 3 1 4 2 5
func.func @transpose(%x: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %e = tensor.empty() : tensor<3x2xi32>
  %0 = linalg.transpose ins(%x : tensor<2x3xi32>) outs(%e : tensor<3x2xi32>) permutation = [1, 0]
  return %0 : tensor<3x2xi32>
}

// Scalars count as tensors of rank 0; one function has no input, so to speak.
// SCALARS: 'scalars' ran: (2xf32, f32, i64) -> (f32, i64)
// SCALARS-NEXT: result #0 f32: 1
// SCALARS-NEXT: result #1 i64: 7
func.func @scalars(%x: tensor<2xf32>, %y: f32, %n: index) -> (f32, index) {
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %0 = tensor.extract %x[%one] : tensor<2xf32>
  %1 = arith.addf %0, %y : f32
  %2 = arith.addi %n, %seven : index
  return %1, %2 : f32, index
}

// CALLS: result #0 4xf32: 0 2 4 6
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @doubled(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @doubled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What nobody writes is poison, not what happened to be there.
// UNWRITTEN: result #0 2xi8: -5 -1
func.func @unwritten() -> tensor<2xi8> {
  %0 = tensor.empty() : tensor<2xi8>
  return %0 : tensor<2xi8>
}

// Strided copies: every second column, then the same values in two runs.
// SLICES: result #0 2x2xf32: 0 2 4 6
// SLICES: result #1 2x3x2xf32: 0 1 0 1 4 5 0 1 4 5 4 5{{$}}
func.func @slices(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x3x2xf32>) {
  %0 = tensor.extract_slice %x[0, 0] [2, 2] [1, 2] : tensor<2x4xf32> to tensor<2x2xf32>
  %1 = tensor.extract_slice %x[0, 0] [2, 2] [1, 1] : tensor<2x4xf32> to tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x3x2xf32>
  %2 = tensor.insert_slice %1 into %e[0, 0, 0] [1, 2, 2] [1, 1, 1] : tensor<2x2xf32> into tensor<2x3x2xf32>
  %3 = tensor.insert_slice %1 into %2[0, 1, 0] [2, 1, 2] [1, 1, 1] : tensor<2x2xf32> into tensor<2x3x2xf32>
  %4 = tensor.insert_slice %1 into %3[0, 2, 0] [2, 1, 2] [1, 1, 1] : tensor<2x2xf32> into tensor<2x3x2xf32>
  %5 = tensor.insert_slice %1 into %4[1, 0, 0] [1, 2, 2] [1, 1, 1] : tensor<2x2xf32> into tensor<2x3x2xf32>
  %6 = tensor.insert_slice %1 into %5[0, 1, 0] [1, 2, 2] [1, 1, 1] : tensor<2x2xf32> into tensor<2x3x2xf32>
  return %0, %6 : tensor<2x2xf32>, tensor<2x3x2xf32>
}

// Slices that drop dimensions and stride over others.
// DROPPING: result #0 1x2xf32: 6 14
// DROPPING: result #1 2x3x1xf32: 0 2 4 6 8 10
// DROPPING: result #2 f32: 5
// DROPPING: result #3 1x2x6xf32: 0 1 2 3 4 5 0 7 6 9 14 11
func.func @dropping(%x: tensor<1x4x4xf32>, %y: tensor<2x6x1x1xf32>, %z: tensor<1x2x6xf32>)
    -> (tensor<1x2xf32>, tensor<2x3x1xf32>, tensor<f32>, tensor<1x2x6xf32>) {
  %0 = tensor.extract_slice %x[0, 1, 2] [1, 2, 1] [2, 2, 2] : tensor<1x4x4xf32> to tensor<1x2xf32>
  %1 = tensor.extract_slice %y[0, 0, 0, 0] [2, 3, 1, 1] [1, 2, 2, 1] : tensor<2x6x1x1xf32> to tensor<2x3x1xf32>
  %2 = tensor.extract_slice %x[0, 1, 1] [1, 1, 1] [1, 2, 2] : tensor<1x4x4xf32> to tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<1x1xf32>
  %3 = tensor.insert_slice %zero into %z[0, 1, 0] [1, 1, 1] [2, 1, 2] : tensor<1x1xf32> into tensor<1x2x6xf32>
  %4 = tensor.insert_slice %0 into %3[0, 1, 2] [1, 1, 2] [1, 2, 2] : tensor<1x2xf32> into tensor<1x2x6xf32>
  return %0, %1, %2, %4 : tensor<1x2xf32>, tensor<2x3x1xf32>, tensor<f32>, tensor<1x2x6xf32>
}

// One value twice, and an argument as a result.
// TWICE: result #0 2xf32: 0 2
// TWICE: result #1 2xf32: 0 2
// TWICE: result #2 2xf32: 0 1
// TWICE: result #3 2xf32: 0 2
func.func @twice(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = arith.addf %x, %x : tensor<2xf32>
  %1 = tensor.cast %0 : tensor<2xf32> to tensor<2xf32>
  return %0, %0, %x, %1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// EMPTY: result #0 0x4xf32:
func.func @empty(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = arith.addf %x, %x : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// TOSA: result #0 2x2xf32: 0 2 4 6
func.func @tosa(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = tosa.add %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// Rows 0 and 1 of three in the first result; the second gathers elements, and
// keeps the dimensions of extent 1.
// GATHER: result #0 2x2xf32: 0 1 2 3
// GATHER: result #1 1x1x1xf32: 1
func.func @gather(%x: tensor<3x2xf32>, %i: tensor<2x1xindex>, %j: tensor<1x2xi32>)
    -> (tensor<2x2xf32>, tensor<1x1x1xf32>) {
  %0 = tensor.gather %x[%i] gather_dims([0])
      : (tensor<3x2xf32>, tensor<2x1xindex>) -> tensor<2x2xf32>
  %1 = tensor.gather %x[%j] gather_dims([0, 1])
      : (tensor<3x2xf32>, tensor<1x2xi32>) -> tensor<1x1x1xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<1x1x1xf32>
}
