// Layouts that follow from shapes: of arguments, results, constants, and what
// regions hand on. The result has to verify, legalize and run.
//
// RUN: npu-opt %s --npu-assign-distributions=tiles=4 | FileCheck %s --check-prefix=ROWS
// RUN: npu-opt %s --npu-assign-distributions="strategy=duplicate tiles=3" | FileCheck %s --check-prefix=SAME --implicit-check-not='tiles = [1, 3' --implicit-check-not='tiles = [3'
// RUN: npu-opt %s --npu-assign-distributions=target=npu4000 | FileCheck %s --check-prefix=ROWS
// RUN: npu-opt %s --npu-assign-distributions=tiles=4 --npu-legalize-distributions -o %t.mlir
// RUN: npu-run %t.mlir --entry=block --reference=%s | FileCheck %s --check-prefix=EQUAL
//
// Taken off again, nothing else has changed.
//
// RUN: npu-opt %s --npu-strip-layouts -o %t.plain
// RUN: npu-opt %s --npu-assign-distributions=tiles=4 --npu-strip-layouts -o %t.stripped
// RUN: diff %t.plain %t.stripped
//
// EQUAL-COUNT-2: 0 different
// EQUAL: {{^}}equal

// ROWS-DAG: #[[$ROWS:.*]] = #npu.layout<SEGMENTED, tiles = [1, 4, 1]>
// ROWS-DAG: #[[$FLAT:.*]] = #npu.layout<SEGMENTED, tiles = [4, 1]>
// ROWS-DAG: #[[$ALL:.*]] = #npu.layout<DUPLICATED, tiles = 4>
// ROWS-DAG: #[[$THIRD:.*]] = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1]>
// ROWS-DAG: #[[$WRITTEN:.*]] = #npu.layout<SEGMENTED, tiles = [1, 2]>
// SAME: #npu.layout<DUPLICATED, tiles = 3>

// The outermost dimension with an entry for each tile: not the leading 1.
// ROWS-LABEL: func.func @block(
// ROWS-SAME: %[[X:.*]]: tensor<1x10x8xf32, #[[$ROWS]]>
// ROWS-SAME: %{{.*}}: tensor<8x8xf32, #[[$FLAT]]>
// ROWS-SAME: %{{.*}}: tensor<3xf32, #[[$ALL]]>
// ROWS-SAME: -> (tensor<10x8xf32, #[[$FLAT]]>, tensor<3xf32, #[[$ALL]]>)
func.func @block(%x: tensor<1x10x8xf32>, %w: tensor<8x8xf32>, %s: tensor<3xf32>)
    -> (tensor<10x8xf32>, tensor<3xf32>) {
  // ROWS: arith.constant dense<1.000000e+00> : tensor<10x8xf32, #[[$FLAT]]>
  %init = arith.constant dense<1.0> : tensor<10x8xf32>
  // A constant whose values are not one.
  // ROWS: arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32, #[[$ALL]]>
  %three = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // ROWS: tensor.collapse_shape %[[X]] {{.*}} : tensor<1x10x8xf32, #[[$ROWS]]> into tensor<10x8xf32, #[[$FLAT]]>
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x10x8xf32> into tensor<10x8xf32>
  %y = linalg.matmul ins(%flat, %w : tensor<10x8xf32>, tensor<8x8xf32>)
      outs(%init : tensor<10x8xf32>) -> tensor<10x8xf32>
  // ROWS: scf.for {{.*}} -> (tensor<10x8xf32, #[[$FLAT]]>)
  %z = scf.for %i = %c0 to %c2 step %c1 iter_args(%it = %y) -> tensor<10x8xf32> {
    %sum = linalg.add ins(%it, %y : tensor<10x8xf32>, tensor<10x8xf32>)
        outs(%init : tensor<10x8xf32>) -> tensor<10x8xf32>
    scf.yield %sum : tensor<10x8xf32>
  }
  %t = linalg.mul ins(%s, %three : tensor<3xf32>, tensor<3xf32>)
      outs(%three : tensor<3xf32>) -> tensor<3xf32>
  return %z, %t : tensor<10x8xf32>, tensor<3xf32>
}

// Layouts that are there stay, and so do tensors that no layout fits: shapes,
// tensors without elements, and those of nine dimensions.
// ROWS-LABEL: func.func @stays(
// ROWS-SAME: tensor<8x4xf32, #[[$WRITTEN]]>
// ROWS-SAME: tensor<3xindex>
// ROWS-SAME: tensor<0x4xf32>
// ROWS-SAME: tensor<1x1x1x1x1x1x1x1x8xf32>
// ROWS-SAME: tensor<f32, #[[$ALL]]>
func.func @stays(%a: tensor<8x4xf32, #npu.layout<SEGMENTED, tiles = [1, 2]>>,
                 %b: tensor<3xindex>, %c: tensor<0x4xf32>,
                 %d: tensor<1x1x1x1x1x1x1x1x8xf32>, %e: tensor<f32>) {
  return
}

// As many entries as tiles are enough, one less is not.
// ROWS-LABEL: func.func @boundary(
// ROWS-SAME: tensor<4x9xf32, #[[$FLAT]]>
// ROWS-SAME: tensor<1x3x9x1xf32, #[[$THIRD]]>
func.func @boundary(%a: tensor<4x9xf32>, %b: tensor<1x3x9x1xf32>) {
  return
}

// A tensor whose size in bits has more than 63 bits has no layout.
// ROWS-LABEL: func.func @huge(
// ROWS-SAME: tensor<9223372036854775807xf32>)
func.func @huge(%x: tensor<9223372036854775807xf32>) {
  return
}

// ROWS-LABEL: func.func @no_tensors(
// ROWS-SAME: %{{.*}}: vector<4xf32>, %{{.*}}: memref<4x4xf32>)
func.func @no_tensors(%f: vector<4xf32>, %g: memref<4x4xf32>) {
  return
}

// Attributes that are no values of tensors keep their types.
// ROWS-LABEL: func.func @attributes(
// ROWS: strides = dense<1> : tensor<2xi64>
func.func @attributes(%x: tensor<1x8x8x4xf32>, %w: tensor<1x1x4x4xf32>,
                      %to: tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x8x4xf32>, tensor<1x1x4x4xf32>)
      outs(%to : tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  return %y : tensor<1x8x8x4xf32>
}
