// A large constant of one value is written at run time, into memory that is
// counted before anything is allocated: LLVM's constants have every element, and
// a program that does not fit would end the compiler.
//
// RUN: not npu-run %s --entry=larger_than_memory 2>&1 | FileCheck %s
// RUN: not npu-run %s --entry=larger_than_numbers 2>&1 | FileCheck %s
// RUN: not npu-run %s --entry=on_tiles 2>&1 | FileCheck %s
// RUN: not npu-run %s --entry=in_a_body -O0 2>&1 | FileCheck %s
// RUN: not npu-run %s --entry=odd_width 2>&1 | FileCheck %s
// CHECK: error: expected {{a program that needs at most the [0-9]+ bytes of memory that are available, got ([0-9]+|more than can be counted)$|tensors of at most 2\^60 bytes, got}}
//
// RUN: npu-run %s --entry=fits | FileCheck %s --check-prefix=FITS
// RUN: sed '/^func.func @larger_than_numbers/,/^}/d' %s | npu-opt --npu-structure-ops --split-input-file | FileCheck %s --check-prefix=FILL

#halves = #npu.layout<SEGMENTED, tiles = [2]>

func.func @larger_than_memory(%i: index) -> i64 {
  %k = arith.constant dense<2> : tensor<1000000000000xi64>
  %v = tensor.extract %k[%i] : tensor<1000000000000xi64>
  return %v : i64
}

func.func @larger_than_numbers(%i: index) -> i64 {
  %k = arith.constant dense<2> : tensor<9223372036854775807x9223372036854775807xi64>
  %v = tensor.extract %k[%i, %i] : tensor<9223372036854775807x9223372036854775807xi64>
  return %v : i64
}

func.func @on_tiles(%x: tensor<1000000000000xi64, #halves>) -> tensor<1000000000000xi64, #halves> {
  %k = arith.constant dense<2> : tensor<1000000000000xi64, #halves>
  %y = arith.addi %k, %x : tensor<1000000000000xi64, #halves>
  return %y : tensor<1000000000000xi64, #halves>
}

func.func @in_a_body(%x: tensor<4xi64>) -> tensor<4xi64> {
  %c0 = arith.constant 0 : index
  %y = linalg.map ins(%x : tensor<4xi64>) outs(%x : tensor<4xi64>) (%a: i64, %o: i64) {
    %k = arith.constant dense<2> : tensor<1000000000000xi64>
    %v = tensor.extract %k[%c0] : tensor<1000000000000xi64>
    linalg.yield %v : i64
  }
  return %y : tensor<4xi64>
}

// Whose elements npu-run has no name for.
func.func @odd_width(%i: index) -> index {
  %k = arith.constant dense<2> : tensor<1000000000000xi7>
  %v = tensor.extract %k[%i] : tensor<1000000000000xi7>
  %w = arith.index_cast %v : i7 to index
  return %w : index
}

// FITS: result #0 4xi8: 2 2 2 2
// FILL-LABEL: func.func @fits
// FILL: linalg.fill ins(%{{.*}} : i8) outs(%{{.*}} : tensor<5000000xi8>)
// FILL: arith.constant dense<3> : tensor<4xi8>
func.func @fits() -> (tensor<4xi8>, tensor<4xi8>) {
  %k = arith.constant dense<2> : tensor<5000000xi8>
  %s = tensor.extract_slice %k[4999996] [4] [1] : tensor<5000000xi8> to tensor<4xi8>
  %small = arith.constant dense<3> : tensor<4xi8>
  return %s, %small : tensor<4xi8>, tensor<4xi8>
}
