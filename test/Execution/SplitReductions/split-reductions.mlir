// A reduction that is added up in parts: exact where sums are exact, else the bits
// that the reference has when it adds up in the same parts, whatever operations
// follow. Nothing else passes: no NaN or infinity on one side, no sum that its type
// does not hold.
//
// RUN: npu-opt %s --npu-strip-layouts -o %t.plain.mlir
// RUN: npu-opt %s --npu-legalize-distributions -o %t.legal.mlir
// RUN: npu-opt %t.legal.mlir --npu-lower-to-tiles -o %t.tiles.mlir
// RUN: npu-run -O0 %t.legal.mlir --entry=own --reference=%t.plain.mlir --inputs=integers | FileCheck %s --check-prefix=EXACT
// RUN: npu-run -O0 %t.legal.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=BOUND
// RUN: npu-run -O0 %t.tiles.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=BOUND
// RUN: npu-run -O0 %t.legal.mlir --entry=own --compare | FileCheck %s --check-prefix=SAME --implicit-check-not='split reduction'
// RUN: npu-run -O0 %t.legal.mlir --entry=own --reference=%s | FileCheck %s --check-prefix=BOUND
// RUN: npu-run -O0 %t.legal.mlir --entry=used --reference=%t.plain.mlir | FileCheck %s --check-prefix=USED
// RUN: npu-run -O0 %t.legal.mlir --entry=called --reference=%t.plain.mlir | FileCheck %s --check-prefix=CALLED
// RUN: npu-run -O0 %t.legal.mlir --entry=product --reference=%t.plain.mlir | FileCheck %s --check-prefix=PRODUCT
// RUN: npu-run -O0 %t.legal.mlir --entry=indexed --reference=%t.plain.mlir | FileCheck %s --check-prefix=INDEXED
// RUN: npu-run -O0 %t.legal.mlir --entry=scalar --reference=%t.plain.mlir | FileCheck %s --check-prefix=SCALAR
// RUN: npu-run -O0 %t.legal.mlir --entry=used --reference=%t.plain.mlir --inputs=integers | FileCheck %s --check-prefix=EXACT
// RUN: npu-run -O0 %t.legal.mlir --entry=halves --reference=%t.plain.mlir | FileCheck %s --check-prefix=HALVES
//
// The accumulator instead of a part: that sum is not a matter of rounding.
// RUN: sed 's/arith.addf %%out, %%in/arith.addf %%out, %%out/' %t.legal.mlir > %t.broken.mlir
// RUN: not npu-run -O0 %t.broken.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=BROKEN

//
// Two parts, 60,000 - 60,000 and 60,000 + 60,000: the second overflows f16. The whole
// begins with -60,000 and is 60,000. 4,096 ones are 2,048 in f16 when they are added
// up one by one.
// RUN: %python %S/../../Inputs/npy.py write %t.overflow.npy '<f2' 1x4 60000 -60000 60000 60000
// RUN: %python %S/../../Inputs/npy.py write %t.zero.npy '<f2' 1 -60000
// RUN: not npu-run -O0 %t.legal.mlir --entry=overflows --reference=%t.plain.mlir --inputs=%t.overflow.npy,%t.zero.npy | FileCheck %s --check-prefix=OVERFLOWS
// RUN: not npu-run -O0 %t.legal.mlir --entry=ones --reference=%t.plain.mlir | FileCheck %s --check-prefix=ONES
//
// The note says where it was cut. One that says nothing, or too little, or cuts the
// terms in a way that is no sum of all of them, lets nothing pass.
// RUN: sed 's/ranges = array<i64: [0-9, ]*>, //' %t.legal.mlir > %t.silent.mlir
// RUN: not npu-run -O0 %t.silent.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=SILENT
// RUN: sed 's/array<i64: 0, 10, 10, 20, 20, 30, 30, 40>/array<i64: 0, 10, 10, 20, 20, 30, 20, 40>/' %t.legal.mlir > %t.common.mlir
// RUN: not npu-run -O0 %t.common.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=COMMON
// RUN: sed 's/array<i64: 0, 10, 10, 20, 20, 30, 30, 40>/array<i64: 0, 10, 10, 20, 20, 30, 30, 39>/' %t.legal.mlir > %t.few.mlir
// RUN: not npu-run -O0 %t.few.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=FEW
// RUN: sed 's/number = 1 : i64/number = 7 : i64/' %t.legal.mlir > %t.absent.mlir
// RUN: not npu-run -O0 %t.absent.mlir --entry=own --reference=%t.plain.mlir | FileCheck %s --check-prefix=ABSENT

// EXACT: split reduction: linalg.matmul #1 of '{{own|used}}' at {{.*}}: 40 terms added up in 4 parts, which rounds otherwise
// EXACT: 0 different
// EXACT: {{^}}equal{{$}}

// BOUND: split reduction: linalg.matmul #1 of 'own'
// BOUND: result #0 2x3xf32: 6 elements, [[N:[1-6]]] different
// BOUND-NEXT: [[N]] of [[N]] different elements have the bits that the reference gives when it adds up in the same parts
// BOUND: rounding: the parts of linalg.matmul #1 of 'own' and its whole are apart by at most {{.*}}e-08 of |init| + sum of |terms|
// BOUND: equal within what is allowed

// SAME: 0 different

// USED: result #0 3x2xf32: 6 elements, [[N:[1-6]]] different
// USED-NEXT: [[N]] of [[N]] different elements have the bits
// USED: equal within what is allowed

// In a function that is called; how far parts and whole are apart there is not said.
// CALLED: split reduction: linalg.reduce #0 of 'halves'
// CALLED: 4 of 4 different elements have the bits
// CALLED-NOT: rounding:
// CALLED: equal within what is allowed

// PRODUCT: split reduction: linalg.reduce #0 of 'product'
// PRODUCT: equal within what is allowed

// INDEXED: split reduction: linalg.generic #0 of 'indexed'
// INDEXED: equal within what is allowed

// SCALAR: split reduction: linalg.generic #0 of 'scalar'
// SCALAR: 1 of 1 different elements have the bits
// SCALAR: equal within what is allowed

// HALVES: 96 terms added up in 4 parts
// HALVES: 4 of 4 different elements have the bits
// HALVES: equal within what is allowed

// BROKEN: 0 of 6 different elements have the bits
// BROKEN-NEXT: first difference at [0, 0]: expected {{.*}} ({{.*}} in the same parts), got
// BROKEN: {{^}}different

// OVERFLOWS: 1 of 1 different elements have the bits
// OVERFLOWS-NEXT: 1 of these are NaN or infinite on one side only, which does not pass
// OVERFLOWS: rounding: linalg.reduce #0 of 'overflows' overflows in its parts, or its whole does, and the other does not
// OVERFLOWS: what can be compared: --inputs=integers{{.*}}split-reductions=false{{.*}}accumulated in f32
// OVERFLOWS: {{^}}different

// ONES: expected 2048, got 4096
// ONES: rounding: the parts of linalg.reduce #0 of 'ones' and its whole are apart by at most 0.5 of |init| + sum of |terms|
// ONES-NEXT: expected at most 0.125: the element type loses the terms of such a sum in any order
// ONES: what can be compared: --inputs=integers
// ONES: {{^}}different

// SILENT: so bits have to be equal: linalg.matmul #1 of 'own' says nothing of where it was cut
// SILENT: {{^}}different
// COMMON: so bits have to be equal: linalg.matmul #1 of 'own': parts 2 and 3 have iterations in common
// COMMON: {{^}}different
// FEW: so bits have to be equal: linalg.matmul #1 of 'own': expected parts of 40 iterations together, got 39
// FEW: {{^}}different
// ABSENT: so bits have to be equal: the reference does not have as many reductions as linalg.matmul #7 of 'own' needs
// ABSENT: {{^}}different

#k_columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#k_rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#all = #npu.layout<DUPLICATED, tiles = 4>
#two = #npu.layout<SEGMENTED, tiles = [1, 2]>
#first = #npu.layout<SEGMENTED, tiles = [4]>

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

func.func @called(%x: tensor<4x96xf16, #k_columns>, %e: tensor<4xf16>) -> tensor<4xf16> {
  %0 = call @halves(%x, %e) : (tensor<4x96xf16, #k_columns>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

func.func @product(%x: tensor<4x96xf32, #k_columns>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce { arith.mulf } ins(%x : tensor<4x96xf32, #k_columns>) outs(%e : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// Positions are those of the whole reduction.
func.func @indexed(%x: tensor<4x96xf32, #k_columns>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x96xf32, #k_columns>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %weighted = arith.mulf %in, %f : f32
    %sum = arith.addf %weighted, %out : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @scalar(%x: tensor<96xf16, #first>, %e: tensor<f16>) -> tensor<f16> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<96xf16, #first>) outs(%e : tensor<f16>) {
  ^bb0(%in: f16, %out: f16):
    %sum = arith.addf %out, %in : f16
    linalg.yield %sum : f16
  } -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @overflows(%x: tensor<1x4xf16, #two>, %e: tensor<1xf16>) -> tensor<1xf16> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<1x4xf16, #two>) outs(%e : tensor<1xf16>) dimensions = [1]
  return %0 : tensor<1xf16>
}

// The larger of 1 and of what is in [-1, 1).
func.func @ones(%x: tensor<1x4096xf16, #two>) -> tensor<1xf16> {
  %one = arith.constant dense<1.0> : tensor<1x4096xf16, #two>
  %zero = arith.constant dense<0.0> : tensor<1xf16>
  %ones = arith.maximumf %x, %one : tensor<1x4096xf16, #two>
  %0 = linalg.reduce { arith.addf } ins(%ones : tensor<1x4096xf16, #two>) outs(%zero : tensor<1xf16>) dimensions = [1]
  return %0 : tensor<1xf16>
}
