// A structured operation is right when every tile holds what its part of the
// result reads, as the indexing maps say; no operation has a rule of its own.
//
// RUN: npu-opt %s --npu-verify-distributions --split-input-file --verify-diagnostics

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>

// Rows of the result need the same rows of the left side and all of the right.
func.func @matmul(%a: tensor<4x8xf16, #rows>, %b: tensor<8x6xf16, #everywhere>, %c: tensor<4x6xf16, #rows>) -> tensor<4x6xf16, #rows> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16, #rows>, tensor<8x6xf16, #everywhere>)
      outs(%c : tensor<4x6xf16, #rows>) -> tensor<4x6xf16, #rows>
  return %0 : tensor<4x6xf16, #rows>
}

func.func @matmul_weights_cut(%a: tensor<4x8xf16, #rows>, %b: tensor<8x6xf16, #rows>, %c: tensor<4x6xf16, #rows>) -> tensor<4x6xf16, #rows> {
  // expected-error@+2 {{'linalg.matmul' tile 0 reads [0:8, 0:6] of operand #1 (%arg1) to produce [0:2, 0:6], but holds [0:4, 0:6]}}
  // expected-note@+1 {{npu-opt --npu-legalize-distributions repairs it}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16, #rows>, tensor<8x6xf16, #rows>)
      outs(%c : tensor<4x6xf16, #rows>) -> tensor<4x6xf16, #rows>
  return %0 : tensor<4x6xf16, #rows>
}

// Columns of the result need all of the left side.
func.func @matmul_columns(%a: tensor<4x8xf16, #rows>, %b: tensor<8x6xf16, #columns>, %c: tensor<4x6xf16, #columns>) -> tensor<4x6xf16, #columns> {
  // expected-error@+2 {{'linalg.matmul' tile 0 reads [0:4, 0:8] of operand #0 (%arg0) to produce [0:4, 0:3], but holds [0:2, 0:8]}}
  // expected-note@+1 {{npu-opt --npu-legalize-distributions repairs it}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16, #rows>, tensor<8x6xf16, #columns>)
      outs(%c : tensor<4x6xf16, #columns>) -> tensor<4x6xf16, #columns>
  return %0 : tensor<4x6xf16, #columns>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#half = #npu.layout<SEGMENTED, tiles = [2]>

// A reduction over the dimension that is split reads what the tile has not.
func.func @reduce(%x: tensor<4x8xf16, #rows>, %y: tensor<4x8xf16, #columns>, %e: tensor<4xf16, #half>) -> (tensor<4xf16, #half>, tensor<4xf16, #half>) {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf16, #rows>) outs(%e : tensor<4xf16, #half>) dimensions = [1]
  // expected-error@+2 {{'linalg.reduce' tile 0 reads [0:2, 0:8] of operand #0 (%arg1) to produce [0:2], but holds [0:4, 0:4]}}
  // expected-note@+1 {{repairs it}}
  %1 = linalg.reduce { arith.addf } ins(%y : tensor<4x8xf16, #columns>) outs(%e : tensor<4xf16, #half>) dimensions = [1]
  return %0, %1 : tensor<4xf16, #half>, tensor<4xf16, #half>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// Each output of a softmax reads all inputs along its dimension.
func.func @softmax(%x: tensor<4x8xf16, #rows>, %y: tensor<4x8xf16, #columns>) -> (tensor<4x8xf16, #rows>, tensor<4x8xf16, #columns>) {
  %e = tensor.empty() : tensor<4x8xf16, #rows>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf16, #rows>) outs(%e : tensor<4x8xf16, #rows>) -> tensor<4x8xf16, #rows>
  %f = tensor.empty() : tensor<4x8xf16, #columns>
  // expected-error@+2 {{'linalg.softmax' tile 0 reads [0:4, 0:8] of operand #0 (%arg1) to produce [0:4, 0:4], but holds [0:4, 0:4]}}
  // expected-note@+1 {{repairs it}}
  %1 = linalg.softmax dimension(1) ins(%y : tensor<4x8xf16, #columns>) outs(%f : tensor<4x8xf16, #columns>) -> tensor<4x8xf16, #columns>
  return %0, %1 : tensor<4x8xf16, #rows>, tensor<4x8xf16, #columns>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

func.func @transpose(%x: tensor<4x8xf16, #rows>, %e: tensor<8x4xf16, #columns>, %f: tensor<8x4xf16, #rows>) -> (tensor<8x4xf16, #columns>, tensor<8x4xf16, #rows>) {
  %0 = linalg.transpose ins(%x : tensor<4x8xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) permutation = [1, 0]
  // expected-error@+2 {{'linalg.transpose' tile 0 reads [0:4, 0:4] of operand #0 (%arg0) to produce [0:4, 0:4], but holds [0:2, 0:8]}}
  // expected-note@+1 {{repairs it}}
  %1 = linalg.transpose ins(%x : tensor<4x8xf16, #rows>) outs(%f : tensor<8x4xf16, #rows>) permutation = [1, 0]
  return %0, %1 : tensor<8x4xf16, #columns>, tensor<8x4xf16, #rows>
}

// -----

#half = #npu.layout<SEGMENTED, tiles = [2]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// A vector of 4 along rows: rows of the result need their part of it, columns
// need all.
func.func @broadcast(%x: tensor<4xf16, #half>, %e: tensor<4x8xf16, #rows>, %f: tensor<4x8xf16, #columns>) -> (tensor<4x8xf16, #rows>, tensor<4x8xf16, #columns>) {
  %0 = linalg.broadcast ins(%x : tensor<4xf16, #half>) outs(%e : tensor<4x8xf16, #rows>) dimensions = [1]
  // expected-error@+2 {{'linalg.broadcast' tile 0 reads [0:4] of operand #0 (%arg0) to produce [0:4, 0:4], but holds [0:2]}}
  // expected-note@+1 {{repairs it}}
  %1 = linalg.broadcast ins(%x : tensor<4xf16, #half>) outs(%f : tensor<4x8xf16, #columns>) dimensions = [1]
  return %0, %1 : tensor<4x8xf16, #rows>, tensor<4x8xf16, #columns>
}

// -----

#h = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>
#h_halo = #npu.layout<OVERLAPPED, tiles = [1, 2, 1, 1], window = [[1, 3, 1, 1, 1]]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>

// Six rows of outputs over eight rows of inputs, kernel 3: tile 0 produces rows
// 0:3 and reads 0:5, tile 1 produces 3:6 and reads 3:8. The halo of one row on
// each side is just what is needed.
func.func @convolution(%x: tensor<1x8x6x4xf16, #h_halo>, %k: tensor<3x3x4x2xf16, #everywhere>, %e: tensor<1x6x4x2xf16, #h>) -> tensor<1x6x4x2xf16, #h> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x8x6x4xf16, #h_halo>, tensor<3x3x4x2xf16, #everywhere>)
      outs(%e : tensor<1x6x4x2xf16, #h>) -> tensor<1x6x4x2xf16, #h>
  return %0 : tensor<1x6x4x2xf16, #h>
}

func.func @convolution_without_halo(%x: tensor<1x8x6x4xf16, #h>, %k: tensor<3x3x4x2xf16, #everywhere>, %e: tensor<1x6x4x2xf16, #h>) -> tensor<1x6x4x2xf16, #h> {
  // expected-error@+2 {{'linalg.conv_2d_nhwc_hwcf' tile 0 reads [0:1, 0:5, 0:6, 0:4] of operand #0 (%arg0) to produce [0:1, 0:3, 0:4, 0:2], but holds [0:1, 0:4, 0:6, 0:4]}}
  // expected-note@+1 {{repairs it}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x8x6x4xf16, #h>, tensor<3x3x4x2xf16, #everywhere>)
      outs(%e : tensor<1x6x4x2xf16, #h>) -> tensor<1x6x4x2xf16, #h>
  return %0 : tensor<1x6x4x2xf16, #h>
}

// -----

#h = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>
#h_halo = #npu.layout<OVERLAPPED, tiles = [1, 2, 1, 1], window = [[1, 3, 1, 1, 1]]>

// The window operand of a pooling tells only its shape; nobody reads it, and it
// may be anywhere.
func.func @pooling(%x: tensor<1x8x6x4xf16, #h_halo>, %e: tensor<1x6x4x4xf16, #h>) -> tensor<1x6x4x4xf16, #h> {
  %window = tensor.empty() : tensor<3x3xf16>
  %0 = linalg.pooling_nhwc_max ins(%x, %window : tensor<1x8x6x4xf16, #h_halo>, tensor<3x3xf16>)
      outs(%e : tensor<1x6x4x4xf16, #h>) -> tensor<1x6x4x4xf16, #h>
  return %0 : tensor<1x6x4x4xf16, #h>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#rows_ceil = #npu.layout<SEGMENTED, tiles = [2, 1], split = ceil>

// An output that is overwritten is not read; its layout is the result's anyway.
// Five rows on two tiles are 3 and 2 under both rules.
func.func @elementwise(%x: tensor<5x8xf16, #rows_ceil>, %e: tensor<5x8xf16, #rows>) -> tensor<5x8xf16, #rows> {
  %0 = linalg.exp ins(%x : tensor<5x8xf16, #rows_ceil>) outs(%e : tensor<5x8xf16, #rows>) -> tensor<5x8xf16, #rows>
  return %0 : tensor<5x8xf16, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#half = #npu.layout<SEGMENTED, tiles = [2]>
#map = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#reversed = affine_map<(i, j) -> (3 - i, j)>

// Whatever a generic's maps say: here the rows backwards. And two results, each
// with its layout.
func.func @generic(%x: tensor<4x8xf16, #rows>, %e: tensor<4x8xf16, #rows>, %s: tensor<4xf16, #half>)
    -> (tensor<4x8xf16, #rows>, tensor<4xf16, #half>) {
  // expected-error@+2 {{'linalg.generic' tile 0 reads [2:4, 0:8] of operand #0 (%arg0) to produce [0:2, 0:8], but holds [0:2, 0:8]}}
  // expected-note@+1 {{repairs it}}
  %0 = linalg.generic {indexing_maps = [#reversed, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf16, #rows>) outs(%e : tensor<4x8xf16, #rows>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
  } -> tensor<4x8xf16, #rows>
  %1:2 = linalg.generic {indexing_maps = [#map, #map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf16, #rows>) outs(%e, %s : tensor<4x8xf16, #rows>, tensor<4xf16, #half>) {
    ^bb0(%in: f16, %out: f16, %sum: f16):
      %2 = arith.addf %in, %sum : f16
      linalg.yield %in, %2 : f16, f16
  } -> (tensor<4x8xf16, #rows>, tensor<4xf16, #half>)
  return %0, %1#1 : tensor<4x8xf16, #rows>, tensor<4xf16, #half>
}
