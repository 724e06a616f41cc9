// Sums along contiguous dimensions are loaded in blocks that are transposed, and
// have the bits of loops over scalars. Extents leave something of a block in
// steps, in lanes, in both, or are less than one block.
//
// RUN: npu-opt %s --npu-to-buffers -o %t.buffers.mlir
// RUN: npu-opt %t.buffers.mlir --npu-vectorize-loops=fewest-steps=0 -o %t.vectors.mlir
// RUN: npu-opt %t.buffers.mlir --convert-linalg-to-loops -o %t.scalars.mlir
// RUN: FileCheck %s --input-file=%t.vectors.mlir
// RUN: for entry in rest squares doubles bytes single few matvec images i48 i24; do npu-run %t.vectors.mlir --reference=%t.scalars.mlir --entry=$entry --inputs=special || exit 1; npu-run %t.vectors.mlir --reference=%t.scalars.mlir --entry=$entry -O0 || exit 1; done

// CHECK-NOT: linalg.

#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @rest(%a: tensor<16x43xf32>, %c: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<16x43xf32>) outs(%c : tensor<16xf32>) dimensions = [1]
  return %r : tensor<16xf32>
}

func.func @squares(%a: tensor<11x29xf16>, %m: tensor<11xf16>, %c: tensor<11xf16>) -> tensor<11xf16> {
  %r = linalg.generic {indexing_maps = [#id2, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %m : tensor<11x29xf16>, tensor<11xf16>) outs(%c : tensor<11xf16>) {
  ^bb0(%x: f16, %mean: f16, %o: f16):
    %d = arith.subf %x, %mean : f16
    %q = arith.mulf %d, %d : f16
    %s = arith.addf %o, %q : f16
    linalg.yield %s : f16
  } -> tensor<11xf16>
  return %r : tensor<11xf16>
}

func.func @doubles(%a: tensor<2x9x13xf64>, %c: tensor<2x9xf64>) -> tensor<2x9xf64> {
  %r = linalg.reduce {arith.minimumf} ins(%a : tensor<2x9x13xf64>) outs(%c : tensor<2x9xf64>) dimensions = [2]
  return %r : tensor<2x9xf64>
}

func.func @bytes(%a: tensor<37x70xi8>, %c: tensor<37xi8>) -> tensor<37xi8> {
  %r = linalg.reduce {arith.addi} ins(%a : tensor<37x70xi8>) outs(%c : tensor<37xi8>) dimensions = [1]
  return %r : tensor<37xi8>
}

func.func @single(%a: tensor<17x9xf32>, %c: tensor<17xf32>) -> tensor<17xf32> {
  %r = linalg.reduce {arith.mulf} ins(%a : tensor<17x9xf32>) outs(%c : tensor<17xf32>) dimensions = [1]
  return %r : tensor<17xf32>
}

func.func @few(%a: tensor<20x7xf32>, %c: tensor<20xf32>) -> tensor<20xf32> {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<20x7xf32>) outs(%c : tensor<20xf32>) dimensions = [1]
  return %r : tensor<20xf32>
}

func.func @matvec(%a: tensor<23x50xf32>, %b: tensor<50xf32>, %c: tensor<23xf32>) -> tensor<23xf32> {
  %r = linalg.matvec ins(%a, %b : tensor<23x50xf32>, tensor<50xf32>) outs(%c : tensor<23xf32>) -> tensor<23xf32>
  return %r : tensor<23xf32>
}

// The innermost of two reductions is contiguous.
func.func @images(%a: tensor<3x10x5x11xf32>, %c: tensor<3x10xf32>) -> tensor<3x10xf32> {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<3x10x5x11xf32>) outs(%c : tensor<3x10xf32>) dimensions = [2, 3]
  return %r : tensor<3x10xf32>
}

// As many of these in a register as are no power of two.
func.func @i48(%a: tensor<7x5xi16>, %c: tensor<7xi16>) -> tensor<7xi16> {
  %y = arith.extsi %c : tensor<7xi16> to tensor<7xi48>
  %r = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<7x5xi16>) outs(%y : tensor<7xi48>) {
  ^bb0(%x: i16, %o: i48):
    %w = arith.extsi %x : i16 to i48
    %s = arith.addi %o, %w : i48
    linalg.yield %s : i48
  } -> tensor<7xi48>
  %t = arith.trunci %r : tensor<7xi48> to tensor<7xi16>
  return %t : tensor<7xi16>
}

func.func @i24(%a: tensor<19x21xi16>, %c: tensor<19xi16>) -> tensor<19xi16> {
  %y = arith.extsi %c : tensor<19xi16> to tensor<19xi24>
  %r = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<19x21xi16>) outs(%y : tensor<19xi24>) {
  ^bb0(%x: i16, %o: i24):
    %w = arith.extsi %x : i16 to i24
    %s = arith.addi %o, %w : i24
    linalg.yield %s : i24
  } -> tensor<19xi24>
  %t = arith.trunci %r : tensor<19xi24> to tensor<19xi16>
  return %t : tensor<19xi16>
}
