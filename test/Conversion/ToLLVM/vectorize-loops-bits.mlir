// Loops over vectors compute every element as loops over scalars do: each
// function is lowered both ways, and the bits of the results are the same. The
// extents leave remainders of every kind.
//
// RUN: npu-opt %s --npu-to-buffers -o %t.buffers.mlir
// RUN: npu-opt %t.buffers.mlir --npu-vectorize-loops=fewest-steps=0 -o %t.vectors.mlir
// RUN: npu-opt %t.buffers.mlir --convert-linalg-to-loops -o %t.scalars.mlir
// RUN: FileCheck %s --input-file=%t.vectors.mlir
// RUN: for entry in matmul transposed half small narrow vector rows columns masks positions largest pooled images channels strided reversed halves extents scalar nothing stored summed wide; do npu-run %t.vectors.mlir --reference=%t.scalars.mlir --entry=$entry --inputs=special || exit 1; npu-run %t.vectors.mlir --reference=%t.scalars.mlir --entry=$entry -O0 || exit 1; done

// Nothing is left but what divides integers, stores a step of a reduction, or
// has no elements.
// CHECK-NOT: linalg.
// CHECK: func.func @stored
// CHECK: linalg.generic
// CHECK: func.func @summed
// CHECK: linalg.generic
// CHECK: func.func @wide
// CHECK: linalg.generic
// CHECK: func.func @nothing
// CHECK: func.func @divided
// CHECK: linalg.generic

#id2 = affine_map<(i, j) -> (i, j)>
#t2 = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @matmul(%a: tensor<13x37xf32>, %b: tensor<37x45xf32>, %c: tensor<13x45xf32>) -> tensor<13x45xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<13x37xf32>, tensor<37x45xf32>) outs(%c : tensor<13x45xf32>) -> tensor<13x45xf32>
  return %r : tensor<13x45xf32>
}

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @transposed(%a: tensor<9x21xf32>, %b: tensor<19x21xf32>, %c: tensor<9x19xf32>) -> tensor<9x19xf32> {
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %b : tensor<9x21xf32>, tensor<19x21xf32>) outs(%c : tensor<9x19xf32>) -> tensor<9x19xf32>
  return %r : tensor<9x19xf32>
}

func.func @half(%a: tensor<2x11x30xf16>, %b: tensor<2x30x35xf16>, %c: tensor<2x11x35xf16>) -> tensor<2x11x35xf16> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<2x11x30xf16>, tensor<2x30x35xf16>) outs(%c : tensor<2x11x35xf16>) -> tensor<2x11x35xf16>
  return %r : tensor<2x11x35xf16>
}

func.func @small(%a: tensor<1x3xf64>, %b: tensor<3x2xf64>, %c: tensor<1x2xf64>) -> tensor<1x2xf64> {
  %r = linalg.matmul ins(%a, %b : tensor<1x3xf64>, tensor<3x2xf64>) outs(%c : tensor<1x2xf64>) -> tensor<1x2xf64>
  return %r : tensor<1x2xf64>
}

func.func @narrow(%a: tensor<10x33xi8>, %b: tensor<33x70xi8>, %c: tensor<10x70xi32>) -> tensor<10x70xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<10x33xi8>, tensor<33x70xi8>) outs(%c : tensor<10x70xi32>) -> tensor<10x70xi32>
  return %r : tensor<10x70xi32>
}

func.func @vector(%a: tensor<50xf32>, %b: tensor<50x150xf32>, %c: tensor<150xf32>) -> tensor<150xf32> {
  %r = linalg.vecmat ins(%a, %b : tensor<50xf32>, tensor<50x150xf32>) outs(%c : tensor<150xf32>) -> tensor<150xf32>
  return %r : tensor<150xf32>
}

func.func @rows(%a: tensor<21x40xf32>, %c: tensor<21xf32>) -> tensor<21xf32> {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<21x40xf32>) outs(%c : tensor<21xf32>) dimensions = [1]
  return %r : tensor<21xf32>
}

func.func @columns(%a: tensor<21x40xf32>, %c: tensor<40xf32>) -> tensor<40xf32> {
  %r = linalg.reduce {arith.maximumf} ins(%a : tensor<21x40xf32>) outs(%c : tensor<40xf32>) dimensions = [0]
  return %r : tensor<40xf32>
}

// Elements of one bit take a byte of a buffer each.
func.func @masks(%a: tensor<7x41xf32>, %b: tensor<41xf32>) -> (tensor<7x41xi1>, tensor<7x41xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x41xi1>
  %m = linalg.generic {indexing_maps = [#id2, #column, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<7x41xf32>, tensor<41xf32>) outs(%e : tensor<7x41xi1>) {
  ^bb0(%x: f32, %y: f32, %o: i1):
    %l = arith.cmpf olt, %x, %y : f32
    linalg.yield %l : i1
  } -> tensor<7x41xi1>
  %e1 = tensor.empty() : tensor<7x41xf32>
  %s = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%m, %a : tensor<7x41xi1>, tensor<7x41xf32>) outs(%e1 : tensor<7x41xf32>) {
  ^bb0(%l: i1, %x: f32, %o: f32):
    %r = arith.select %l, %x, %zero : f32
    linalg.yield %r : f32
  } -> tensor<7x41xf32>
  return %m, %s : tensor<7x41xi1>, tensor<7x41xf32>
}

func.func @positions(%a: tensor<6x29xf32>) -> tensor<6x29xf32> {
  %e = tensor.empty() : tensor<6x29xf32>
  %r = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<6x29xf32>) outs(%e : tensor<6x29xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.constant 7 : index
    %p = arith.muli %i, %c : index
    %s = arith.addi %p, %j : index
    %n = arith.index_cast %s : index to i32
    %f = arith.sitofp %n : i32 to f32
    %y = arith.addf %x, %f : f32
    %t = math.tanh %y : f32
    linalg.yield %t : f32
  } -> tensor<6x29xf32>
  return %r : tensor<6x29xf32>
}

// Two results of one reduction.
func.func @largest(%a: tensor<12x34xf32>, %v: tensor<12xf32>, %w: tensor<12xi64>) -> (tensor<12xf32>, tensor<12xi64>) {
  %r:2 = linalg.generic {indexing_maps = [#id2, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<12x34xf32>) outs(%v, %w : tensor<12xf32>, tensor<12xi64>) {
  ^bb0(%x: f32, %m: f32, %at: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %g = arith.cmpf ogt, %x, %m : f32
    %a0 = arith.select %g, %x, %m : f32
    %a1 = arith.select %g, %n, %at : i64
    linalg.yield %a0, %a1 : f32, i64
  } -> (tensor<12xf32>, tensor<12xi64>)
  return %r#0, %r#1 : tensor<12xf32>, tensor<12xi64>
}

func.func @pooled(%a: tensor<2x9x9x20xf32>, %c: tensor<2x4x4x20xf32>) -> tensor<2x4x4x20xf32> {
  %w = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%a, %w : tensor<2x9x9x20xf32>, tensor<3x3xf32>) outs(%c : tensor<2x4x4x20xf32>) -> tensor<2x4x4x20xf32>
  return %r : tensor<2x4x4x20xf32>
}

func.func @images(%a: tensor<1x10x13x5xf32>, %b: tensor<3x3x5x18xf32>, %c: tensor<1x6x9x18xf32>) -> tensor<1x6x9x18xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>} ins(%a, %b : tensor<1x10x13x5xf32>, tensor<3x3x5x18xf32>) outs(%c : tensor<1x6x9x18xf32>) -> tensor<1x6x9x18xf32>
  return %r : tensor<1x6x9x18xf32>
}

func.func @channels(%a: tensor<1x3x19x41xf32>, %b: tensor<6x3x3x3xf32>, %c: tensor<1x6x9x20xf32>) -> tensor<1x6x9x20xf32> {
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%a, %b : tensor<1x3x19x41xf32>, tensor<6x3x3x3xf32>) outs(%c : tensor<1x6x9x20xf32>) -> tensor<1x6x9x20xf32>
  return %r : tensor<1x6x9x20xf32>
}

// Every second column is what is read, and every third row is written.
func.func @strided(%a: tensor<8x62xf32>, %b: tensor<24x31xf32>) -> tensor<24x31xf32> {
  %s = tensor.extract_slice %a[0, 0] [8, 31] [1, 2] : tensor<8x62xf32> to tensor<8x31xf32>
  %e = tensor.empty() : tensor<8x31xf32>
  %r = linalg.exp ins(%s : tensor<8x31xf32>) outs(%e : tensor<8x31xf32>) -> tensor<8x31xf32>
  %t = tensor.insert_slice %r into %b[0, 0] [8, 31] [3, 1] : tensor<8x31xf32> into tensor<24x31xf32>
  return %t : tensor<24x31xf32>
}

func.func @reversed(%a: tensor<33x50xf32>) -> tensor<50x33xf32> {
  %e = tensor.empty() : tensor<50x33xf32>
  %r = linalg.transpose ins(%a : tensor<33x50xf32>) outs(%e : tensor<50x33xf32>) permutation = [1, 0]
  return %r : tensor<50x33xf32>
}

func.func @halves(%a: tensor<3x40xf32>) -> tensor<3x40xbf16> {
  %e = tensor.empty() : tensor<3x40xbf16>
  %r = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x40xf32>) outs(%e : tensor<3x40xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    %d = arith.addf %t, %t : bf16
    linalg.yield %d : bf16
  } -> tensor<3x40xbf16>
  return %r : tensor<3x40xbf16>
}

// Extents that are known at run time only.
func.func @extents(%a: tensor<27x23xf32>, %b: tensor<23x38xf32>) -> tensor<27x38xf32> {
  %c23 = arith.constant 23 : index
  %c27 = arith.constant 27 : index
  %z = arith.constant 0.0 : f32
  %m = arith.constant 27 : index
  %x = tensor.cast %a : tensor<27x23xf32> to tensor<?x?xf32>
  %y = tensor.cast %b : tensor<23x38xf32> to tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %y, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = tensor.cast %r : tensor<?x?xf32> to tensor<27x38xf32>
  return %t : tensor<27x38xf32>
}

// A number from outside of the body, and one operand that is no buffer.
func.func @scalar(%a: tensor<17xf32>, %s: tensor<f32>) -> tensor<17xf32> {
  %n = tensor.extract %s[] : tensor<f32>
  %e = tensor.empty() : tensor<17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %s : tensor<17xf32>, tensor<f32>) outs(%e : tensor<17xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %n : f32
    %q = arith.addf %p, %y : f32
    linalg.yield %q : f32
  } -> tensor<17xf32>
  return %r : tensor<17xf32>
}

// One result has an element for each step of the reduction.
func.func @stored(%a: tensor<4x18xf32>, %b: tensor<4x18xf32>, %c: tensor<4xf32>) -> (tensor<4x18xf32>, tensor<4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#id2, #id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x18xf32>) outs(%b, %c : tensor<4x18xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32, %s: f32):
    %t = arith.addf %x, %s : f32
    linalg.yield %t, %t : f32, f32
  } -> (tensor<4x18xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4x18xf32>, tensor<4xf32>
}

// A result that several steps of a parallel loop add to, and one with bits
// beyond those of a register.
func.func @summed(%a: tensor<17x9xi32>, %o: tensor<17xi32>) -> tensor<17xi32> {
  %r = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<17x9xi32>) outs(%o : tensor<17xi32>) {
  ^bb0(%x: i32, %s: i32):
    %t = arith.addi %x, %s : i32
    linalg.yield %t : i32
  } -> tensor<17xi32>
  return %r : tensor<17xi32>
}

func.func @wide(%a: tensor<17xi32>, %o: tensor<17xi32>) -> tensor<17xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<17xi32>) outs(%o : tensor<17xi32>) {
  ^bb0(%x: i32, %m: i32):
    %y = arith.extsi %x : i32 to i513
    %c = arith.constant 3 : i513
    %z = arith.muli %y, %c : i513
    %t = arith.trunci %z : i513 to i32
    linalg.yield %t : i32
  } -> tensor<17xi32>
  return %r : tensor<17xi32>
}

func.func @nothing(%a: tensor<4x0xf32>, %b: tensor<0x5xf32>, %c: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x0xf32>) {
  %r = linalg.matmul ins(%a, %b : tensor<4x0xf32>, tensor<0x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %e = tensor.empty() : tensor<4x0xf32>
  %x = linalg.exp ins(%a : tensor<4x0xf32>) outs(%e : tensor<4x0xf32>) -> tensor<4x0xf32>
  return %r, %x : tensor<4x5xf32>, tensor<4x0xf32>
}

func.func @divided(%a: tensor<17xi32>, %b: tensor<17xi32>) -> tensor<17xi32> {
  %e = tensor.empty() : tensor<17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<17xi32>, tensor<17xi32>) outs(%e : tensor<17xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %q = arith.divsi %x, %y : i32
    linalg.yield %q : i32
  } -> tensor<17xi32>
  return %r : tensor<17xi32>
}
