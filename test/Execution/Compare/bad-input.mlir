// What npu-run refuses, and the words that it does it with.
//
// RUN: split-file %s %t
// RUN: %python %S/../../Inputs/npy.py write %t/f4.npy '<f4' 2x2 1 2 3 4
// RUN: %python %S/../../Inputs/npy.py write %t/f2.npy '<f2' 2x2 1 2 3 4
// RUN: %python %S/../../Inputs/npy.py write %t/wide.npy '<f4' 1x4 1 2 3 4
// RUN: head -c 130 %t/f4.npy > %t/short.npy
// RUN: echo words > %t/words.npy
//
// RUN: not npu-run %t/a.mlir --reference= 2>&1 | FileCheck %s --check-prefix=UNNAMED
// RUN: not npu-run %t/a.mlir --entry=foo 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not npu-run %t/a.mlir --entry=declared 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: not npu-run %t/a.mlir --entry=dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not npu-run %t/a.mlir --entry=odd 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not npu-run %t/a.mlir --entry=unresolved 2>&1 | FileCheck %s --check-prefix=UNRESOLVED
// RUN: not npu-run %t/none.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not npu-run %t/broken.mlir 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: not npu-run %t/a.mlir --reference=%t/none.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not npu-run %t/a.mlir --reference=%t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not npu-run %t/a.mlir --inputs=%t/f4.npy 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not npu-run %t/a.mlir --inputs=%t/f4.npy,%t/none.npy 2>&1 | FileCheck %s --check-prefix=NO-NPY
// RUN: not npu-run %t/a.mlir --inputs=%t/f4.npy,%t/f2.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not npu-run %t/a.mlir --inputs=%t/wide.npy,%t/f4.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not npu-run %t/a.mlir --inputs=%t/short.npy,%t/f4.npy 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not npu-run %t/a.mlir --inputs=%t/words.npy,%t/f4.npy 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: not npu-run %t/a.mlir --inputs=zeros 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not npu-run %t/a.mlir --output=%t/no/r.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not npu-run %t/a.mlir --compare --tolerance=-1 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: not npu-run %t/a.mlir --repeat=0 2>&1 | FileCheck %s --check-prefix=REPEAT
// RUN: not npu-run %t/a.mlir --entry=dynamic --reference=%t/a.mlir --length=1,2 --repeat=3 2>&1 | FileCheck %s --check-prefix=REPEAT-LENGTHS
// RUN: not npu-run %t/a.mlir -O4 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not npu-run %t/a.mlir -O22 2>&1 | FileCheck %s --check-prefix=LEVELS
// RUN: not npu-run %t/a.mlir --compare --reference=%t/a.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not npu-run %t/a.mlir --entry=dynamic --length=0 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: not npu-run %t/a.mlir --entry=dynamic --length=1,0..3 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: not npu-run %t/a.mlir --tiles=some 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: not npu-run %t/big.mlir 2>&1 | FileCheck %s --check-prefix=BIG
// RUN: not npu-run %t/big.mlir --entry=bigger 2>&1 | FileCheck %s --check-prefix=BIGGER
// RUN: not npu-run %t/big.mlir --entry=inside 2>&1 | FileCheck %s --check-prefix=BIG
// RUN: not npu-run %t/mismatch.mlir 2>&1 | FileCheck %s --check-prefix=MISMATCH

// ENTRY: error: expected a function 'foo' (--entry), got 'main', 'declared', 'dynamic', 'odd', 'unresolved'
// DECLARED: a.mlir:4:{{.*}}: error: expected a function with a body, got a declaration of 'declared'
// DYNAMIC: a.mlir:5:{{.*}}: error: expected a length for the dynamic dimensions of 'dynamic' (--length=N or --length=N..M)
// ODD: got 'tensor<2xi5>' as argument #0 of 'odd'
// UNRESOLVED: a.mlir:{{[0-9]+}}:{{.*}}: error: expected what functions without a body return to be used for timing and printing alone, got a use by 'func.return'
// MISSING: npu-run: error: cannot open input file '{{.*}}none.mlir': No such file or directory
// BROKEN: broken.mlir:2:3: error:
// OTHER: npu-run: error: expected one signature on both sides, got (2x2xf32, 2x2xf32) -> (2x2xf32) and, in the reference, (2x2xf32) -> (2x2xf32)
// COUNT: --inputs: expected 2 files, one for each argument of (2x2xf32, 2x2xf32), got 1
// NO-NPY: argument #1: {{.*}}none.npy: cannot be opened
// TYPE: argument #1: {{.*}}f2.npy: expected elements of f32 (<f4), got <f2
// SHAPE: argument #0: {{.*}}wide.npy: expected shape [2, 2], got [1, 4]
// SHORT: short.npy: expected 16 bytes of data, got 2
// WORDS: words.npy: expected a .npy file
// KIND: --inputs: expected random, normal, positive, iota, small-integers, special or .npy files, got 'zeros'
// OUTPUT: r.npy: No such file or directory
// TOLERANCE: --tolerance: expected a number that is not negative, a share of what is expected as in 0.01rel, steps as in 4ulp, or top1, got '-1'
// REPEAT: npu-run: error: --repeat: expected at least 1, got 0
// REPEAT-LENGTHS: npu-run: error: --repeat needs exactly one --length, got 2
// LEVEL: expected -O0, -O1, -O2 or -O3, got -O4
// LEVELS: expected -O0, -O1, -O2 or -O3, got -O22
// TWICE: --compare: expected no --reference beside it, which does not read it
// LENGTH: --length: expected lengths of 1 to 1048576 as in 37, 1..64 or 1,5,9, got '{{0|1,0..3}}'
// UNNAMED: --reference: expected a file, got no name
// TILES: --tiles: expected sequential or parallel, got 'some'
// BIG: big.mlir:{{[0-9]+}}:1: error: expected a program that needs at most the {{[0-9]+}} bytes of memory that are available, got {{8000000000000|1[0-9]+}}
// BIGGER: are available, got more than can be counted
// MISMATCH: mismatch.mlir:{{.*}}: error: PermuteCast input and output distributions are incompatible

//--- a.mlir
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  return %a : tensor<2x2xf32>
}
func.func private @declared(%a: tensor<2xf32>) -> tensor<2xf32>
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}
func.func @odd(%a: tensor<2xi5>) -> tensor<2xi5> {
  return %a : tensor<2xi5>
}
func.func @unresolved(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @declared(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- broken.mlir
func.func @main() {
  retour
}

//--- other.mlir
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  return %a : tensor<2x2xf32>
}

//--- big.mlir
!huge = tensor<500000000x500000000xf32>
func.func @main(%a: tensor<1000000x1000000xf32>) -> tensor<1000000x1000000xf32> {
  return %a : tensor<1000000x1000000xf32>
}
// Each has 10^18 bytes: together they have more than can be counted.
func.func @bigger(%a: !huge, %b: !huge, %c: !huge, %d: !huge, %e: !huge,
                  %f: !huge, %g: !huge, %h: !huge, %i: !huge, %j: !huge) {
  return
}
// 10^13 bytes between the argument and the result.
func.func @inside(%a: tensor<1xf32>) -> tensor<1xf32> {
  %e = tensor.empty() : tensor<2500000000000xf32>
  %0 = tensor.insert_slice %a into %e[0] [1] [1] : tensor<1xf32> into tensor<2500000000000xf32>
  %1 = tensor.extract_slice %0[7] [1] [1] : tensor<2500000000000xf32> to tensor<1xf32>
  return %1 : tensor<1xf32>
}

//--- mismatch.mlir
#rows = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>
#cols = #npu.layout<SEGMENTED, tiles = [1, 1, 1, 2]>
func.func @main(%x: tensor<1x2x2x2xf32, #rows>) -> tensor<1x2x2x2xf32, #cols> {
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x2x2x2xf32, #rows> to tensor<1x2x2x2xf32, #cols>
  return %0 : tensor<1x2x2x2xf32, #cols>
}
