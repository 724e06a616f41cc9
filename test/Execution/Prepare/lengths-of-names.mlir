// Every name of dynamic dimensions has lengths of its own: one compiled function runs at
// each choice of them.
//
// RUN: split-file %s %t
// RUN: npu-run -O0 %t/cache.mlir --length=sequence=2 --length=past=3 | FileCheck %s --check-prefix=CACHE
// RUN: npu-run -O0 %t/cache.mlir --length=2 --length=past=3 | FileCheck %s --check-prefix=OTHERS
// RUN: npu-run -O0 %t/cache.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=5 poison" --length=sequence=1..5 --length=past=0,4 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t/cache.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=5 side=left poison" --length=past=0..4 --length=2,5 | FileCheck %s --check-prefix=EQUAL
//
// Extents that subtract the lengths of two prompts.
//
// RUN: npu-run -O0 %t/table.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=5 poison" --length=x=1..5 --length=past=1,4 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t/table.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=5 side=left poison" --length=x=1..5 --length=past=0,5 | FileCheck %s --check-prefix=EQUAL
//
// CACHE: 'main' ran: (2x4xf32, 3x4xf32, {{.*}}) -> (5x4xf32)
// OTHERS: 'main' ran: (2x4xf32, 3x4xf32, {{.*}}) -> (5x4xf32)
// EQUAL: 10 lengths, 0 different
// EQUAL-NEXT: equal
//
// Lengths that must be equal and are not are an error at the operation, or at the
// function where it asserts so.
//
// RUN: npu-run -O0 %t/sum.mlir --length=sequence=2 --length=mask=2 | FileCheck %s --check-prefix=SUM
// RUN: not npu-run -O0 %t/sum.mlir --length=sequence=2 --length=mask=3 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// RUN: not npu-run -O0 %t/window.mlir --length=signal=5 --length=windows=4 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: npu-run -O0 %t/window.mlir --length=signal=5 --length=windows=3 | FileCheck %s --check-prefix=FITS
// RUN: not npu-run %t/marked.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=5" --length=sequence=1..3 --length=mask=2 2>&1 | FileCheck %s --check-prefix=MARKED
//
// SUM: 'main' ran: (2x4xf32, 2x4xf32, {{.*}}) -> (2x4xf32)
// UNEQUAL: sum.mlir:5:8: error: assertion failed: expected as many entries in dimension 0 of operand #1 as in dimension 0 of operand #0
// WINDOW: window.mlir:4:8: error: assertion failed: expected windows inside the entries of dimension 0 of operand #0
// FITS: 'main' ran:
// MARKED: marked.mlir:1:{{[0-9]+}}: error: at lengths 'sequence' = 1, 'mask' = 2: 'main': expected argument #1 dimension 0 to have the prompt's length, that of argument #0 dimension 0
//
// RUN: not npu-run %t/cache.mlir --length=past=3 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not npu-run %t/cache.mlir --length=seq=3 --length=2 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not npu-run %t/cache.mlir --length==2 2>&1 | FileCheck %s --check-prefix=NONAME
// RUN: not npu-run %t/cache.mlir --length=past=2 --length=past=3 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not npu-run %t/cache.mlir --length=2 --length=3 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not npu-run %t/cache.mlir --length=past=x 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not npu-run %t/cache.mlir --length=past=1..1025 --length=1..1025 2>&1 | FileCheck %s --check-prefix=MANY
//
// MISSING: cache.mlir:1:17: error: expected a length for dimension 0 of argument #0: --length=sequence=N, or --length=N for all other names
// UNKNOWN: cache.mlir:1:1: error: expected the name of a dynamic dimension, got --length=seq=N; there are 'sequence', 'past'
// NONAME: error: --length: expected a name before '=', got '=2'
// TWICE: error: --length: expected lengths of 'past' once, got them twice
// BOTH: error: --length: expected lengths without a name once, got them twice
// NUMBER: error: --length: expected lengths of 0 to 1048576 as in 37, 1..64 or 1,5,9, got 'x'
// MANY: error: --length: expected at most 1048576 choices of lengths, got more

//--- cache.mlir
func.func @main(%x: tensor<?x4xf32> {npu.dim_names = ["sequence", ""]}, %y: tensor<?x4xf32> {npu.dim_names = ["past", ""]}) -> tensor<?x4xf32> {
  %r = tensor.concat dim(0) %y, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

//--- sum.mlir
func.func @main(%x: tensor<?x4xf32> {npu.dim_names = ["sequence", ""]}, %y: tensor<?x4xf32> {npu.dim_names = ["mask", ""]}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.add ins(%x, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

//--- window.mlir
// A window of three entries at every position that the result has.
func.func @main(%x: tensor<?xf32> {npu.dim_names = ["signal"]}, %y: tensor<?xf32> {npu.dim_names = ["windows"]}) -> tensor<?xf32> {
  %w = arith.constant dense<1.0> : tensor<3xf32>
  %r = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

//--- marked.mlir
func.func @main(%x: tensor<?x4xf32> {npu.dim_names = ["sequence", ""], npu.prompt_dim = 0}, %y: tensor<?x4xf32> {npu.dim_names = ["mask", ""], npu.prompt_dim = 0}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.add ins(%x, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

//--- table.mlir
func.func @main(%x: tensor<?xf32> {npu.dim_names = ["x"]}, %y: tensor<?xf32> {npu.dim_names = ["past"]}, %table: tensor<10xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %past = tensor.dim %y, %c0 : tensor<?xf32>
  %end = arith.addi %n, %past : index
  %size = arith.minsi %end, %c10 : index
  %used = tensor.extract_slice %table[0] [%size] [1] : tensor<10xf32> to tensor<?xf32>
  %left = arith.subi %c10, %end : index
  %rest = tensor.extract_slice %table[0] [%left] [1] : tensor<10xf32> to tensor<?xf32>
  return %used, %rest : tensor<?xf32>, tensor<?xf32>
}
