// A reduction that is added up in parts: exact where sums are exact, within the
// bound on rounding at its own result, and said so; a missing part is beyond it.
//
// RUN: npu-opt %s --npu-strip-layouts -o %t.plain.mlir
// RUN: npu-opt %s --npu-legalize-distributions -o %t.legal.mlir
// RUN: npu-opt %t.legal.mlir --npu-lower-to-tiles -o %t.tiles.mlir
// RUN: npu-run %t.legal.mlir --entry=own --reference=%t.plain.mlir --inputs=integers | FileCheck %s --check-prefix=EXACT
// RUN: npu-run %t.legal.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=BOUND
// RUN: npu-run %t.tiles.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=BOUND
// RUN: npu-run %t.legal.mlir --entry=own --compare | FileCheck %s --check-prefix=SAME
// RUN: not npu-run %t.legal.mlir --entry=used --reference=%t.plain.mlir | FileCheck %s --check-prefix=USED
// RUN: npu-run %t.legal.mlir --entry=used --reference=%t.plain.mlir --tolerance=0.001 | FileCheck %s --check-prefix=TOLERATED
// RUN: npu-run %t.legal.mlir --entry=used --reference=%t.plain.mlir --inputs=integers | FileCheck %s --check-prefix=EXACT
// RUN: npu-run %t.legal.mlir --entry=halves --reference=%t.plain.mlir | FileCheck %s --check-prefix=HALVES
//
// The accumulator instead of a part: that sum is not a matter of rounding.
// RUN: sed 's/arith.addf %%out, %%in/arith.addf %%out, %%out/' %t.legal.mlir > %t.broken.mlir
// RUN: not npu-run %t.broken.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=BROKEN

// EXACT: split reduction: linalg.matmul #1 of '{{own|used}}' at {{.*}}: 40 terms added up in 4 parts, which rounds otherwise
// EXACT: 0 different
// EXACT: {{^}}equal{{$}}

// BOUND: split reduction: linalg.matmul #1 of 'own'
// BOUND: result #0 2x3xf32: 6 elements, [[N:[1-6]]] different
// BOUND-NEXT: its own split reduction's bound on rounding holds for [[N]] of [[N]] different elements
// BOUND: equal within what is allowed

// SAME-NOT: split reduction
// SAME: 0 different

// USED: no bound is known where other operations follow a split reduction: --inputs=integers
// USED: {{^}}different

// TOLERATED: equal within what is allowed

// HALVES: 96 terms added up in 4 parts
// HALVES: bound on rounding holds
// HALVES: equal within what is allowed

// BROKEN: bound on rounding holds for {{.*}} of 6 different elements
// BROKEN: {{^}}different

#k_columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#k_rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#all = #npu.layout<DUPLICATED, tiles = 4>

// The second matmul is split; what is returned is its result with its elements
// moved.
func.func @own(%w: tensor<3x40xf32, #all>, %a: tensor<3x40xf32, #k_columns>, %b: tensor<40x2xf32, #k_rows>, %c: tensor<3x2xf32, #all>) -> (tensor<2x3xf32>, tensor<3x2xf32, #all>) {
  %d = tensor.empty() : tensor<40x2xf32, #all>
  %one = arith.constant 1.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%d : tensor<40x2xf32, #all>) -> tensor<40x2xf32, #all>
  %first = linalg.matmul ins(%w, %ones : tensor<3x40xf32, #all>, tensor<40x2xf32, #all>) outs(%c : tensor<3x2xf32, #all>) -> tensor<3x2xf32, #all>
  %0 = linalg.matmul ins(%a, %b : tensor<3x40xf32, #k_columns>, tensor<40x2xf32, #k_rows>) outs(%c : tensor<3x2xf32, #all>) -> tensor<3x2xf32, #all>
  %e = tensor.empty() : tensor<2x3xf32, #all>
  %t = linalg.transpose ins(%0 : tensor<3x2xf32, #all>) outs(%e : tensor<2x3xf32, #all>) permutation = [1, 0]
  %r = npu.redistribute %t : tensor<2x3xf32, #all> to tensor<2x3xf32>
  return %r, %first : tensor<2x3xf32>, tensor<3x2xf32, #all>
}

func.func @used(%w: tensor<3x40xf32, #all>, %a: tensor<3x40xf32, #k_columns>, %b: tensor<40x2xf32, #k_rows>, %c: tensor<3x2xf32, #all>) -> tensor<3x2xf32, #all> {
  %d = tensor.empty() : tensor<40x2xf32, #all>
  %one = arith.constant 1.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%d : tensor<40x2xf32, #all>) -> tensor<40x2xf32, #all>
  %first = linalg.matmul ins(%w, %ones : tensor<3x40xf32, #all>, tensor<40x2xf32, #all>) outs(%c : tensor<3x2xf32, #all>) -> tensor<3x2xf32, #all>
  %0 = linalg.matmul ins(%a, %b : tensor<3x40xf32, #k_columns>, tensor<40x2xf32, #k_rows>) outs(%c : tensor<3x2xf32, #all>) -> tensor<3x2xf32, #all>
  %1 = linalg.negf ins(%0 : tensor<3x2xf32, #all>) outs(%first : tensor<3x2xf32, #all>) -> tensor<3x2xf32, #all>
  return %1 : tensor<3x2xf32, #all>
}

func.func @halves(%x: tensor<4x96xf16, #k_columns>, %e: tensor<4xf16>) -> tensor<4xf16> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x96xf16, #k_columns>) outs(%e : tensor<4xf16>) dimensions = [1]
  return %0 : tensor<4xf16>
}
