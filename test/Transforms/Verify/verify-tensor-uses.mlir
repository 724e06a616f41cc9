// Slices, pads, concatenations, reshapes and elementwise operations follow the
// same rule as structured ones: what a tile reads, it must hold.
//
// RUN: npu-opt %s --npu-verify-distributions --split-input-file --verify-diagnostics

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#lower = #npu.layout<SEGMENTED, compute = [[0:2, 0:4], [2:4, 0:4]]>
#last = #npu.layout<SEGMENTED, compute = [[0:1, 0:4], [1:4, 0:4]]>

// Rows 3:7 of 8, of which tile 0 holds 0:4 and tile 1 holds 4:8.
func.func @extract_slice(%x: tensor<8x4xf16, #rows>) -> (tensor<4x4xf16, #last>, tensor<4x4xf16, #lower>) {
  %0 = tensor.extract_slice %x[3, 0] [4, 4] [1, 1] : tensor<8x4xf16, #rows> to tensor<4x4xf16, #last>
  // expected-error@+2 {{'tensor.extract_slice' tile 0 reads [3:5, 0:4] of operand #0 (%arg0) to produce [0:2, 0:4], but holds [0:4, 0:4]}}
  // expected-note@+1 {{repairs it}}
  %1 = tensor.extract_slice %x[3, 0] [4, 4] [1, 1] : tensor<8x4xf16, #rows> to tensor<4x4xf16, #lower>
  return %0, %1 : tensor<4x4xf16, #last>, tensor<4x4xf16, #lower>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#three = #npu.layout<SEGMENTED, tiles = [3]>
#odd = #npu.layout<SEGMENTED, compute = [[0:2], [2:4], [0:0]]>

// Every other row of column 2; the dimension of the column is dropped. Rows 0,
// 2 are on tile 0, rows 4, 6 on tile 1.
func.func @rank_reducing_with_stride(%x: tensor<8x4xf16, #rows>) -> (tensor<4xf16, #odd>, tensor<4xf16, #three>) {
  %0 = tensor.extract_slice %x[0, 2] [4, 1] [2, 1] : tensor<8x4xf16, #rows> to tensor<4xf16, #odd>
  // Three tiles produce 0:2, 2:3 and 3:4; the third one holds nothing.
  // expected-error@+2 {{'tensor.extract_slice' tile 2 reads [6:7, 2:3] of operand #0 (%arg0) to produce [3:4], but holds nothing}}
  // expected-note@+1 {{repairs it}}
  %1 = tensor.extract_slice %x[0, 2] [4, 1] [2, 1] : tensor<8x4xf16, #rows> to tensor<4xf16, #three>
  return %0, %1 : tensor<4xf16, #odd>, tensor<4xf16, #three>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// Rows 0:4 are replaced: by what tile 0 holds of the slice, which should be all.
func.func @insert_slice(%s: tensor<4x4xf16, #rows>, %x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows> {
  // expected-error@+2 {{'tensor.insert_slice' tile 0 reads [0:4, 0:4] of operand #0 (%arg0) to produce [0:4, 0:4], but holds [0:2, 0:4]}}
  // expected-note@+1 {{repairs it}}
  %0 = tensor.insert_slice %s into %x[0, 0] [4, 4] [1, 1] : tensor<4x4xf16, #rows> into tensor<8x4xf16, #rows>
  return %0 : tensor<8x4xf16, #rows>
}

// Of columns, each tile replaces its rows.
func.func @insert_columns(%s: tensor<8x2xf16, #rows>, %x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows> {
  %0 = tensor.insert_slice %s into %x[0, 1] [8, 2] [1, 1] : tensor<8x2xf16, #rows> into tensor<8x4xf16, #rows>
  return %0 : tensor<8x4xf16, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#padded = #npu.layout<SEGMENTED, compute = [[0:6, 0:4], [6:10, 0:4]]>

// Two rows in front: the border is made where it is wanted, rows are read.
func.func @pad(%x: tensor<8x4xf16, #rows>, %zero: f16) -> (tensor<10x4xf16, #padded>, tensor<10x4xf16, #rows>) {
  %0 = tensor.pad %x low[2, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<8x4xf16, #rows> to tensor<10x4xf16, #padded>
  // Rows 5:10 of the result are rows 3:8 of the operand.
  // expected-error@+2 {{'tensor.pad' tile 1 reads [3:8, 0:4] of operand #0 (%arg0) to produce [5:10, 0:4], but holds [4:8, 0:4]}}
  // expected-note@+1 {{repairs it}}
  %1 = tensor.pad %x low[2, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<8x4xf16, #rows> to tensor<10x4xf16, #rows>
  return %0, %1 : tensor<10x4xf16, #padded>, tensor<10x4xf16, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// Along columns each tile has its rows of all parts; along rows tile 0 wants all
// of the first part.
func.func @concat(%x: tensor<4x4xf16, #rows>, %y: tensor<4x4xf16, #rows>) -> (tensor<4x8xf16, #rows>, tensor<8x4xf16, #rows>) {
  %0 = tensor.concat dim(1) %x, %y : (tensor<4x4xf16, #rows>, tensor<4x4xf16, #rows>) -> tensor<4x8xf16, #rows>
  // expected-error@+2 {{'tensor.concat' tile 0 reads [0:4, 0:4] of operand #0 (%arg0) to produce [0:4, 0:4], but holds [0:2, 0:4]}}
  // expected-note@+1 {{repairs it}}
  %1 = tensor.concat dim(0) %x, %y : (tensor<4x4xf16, #rows>, tensor<4x4xf16, #rows>) -> tensor<8x4xf16, #rows>
  return %0, %1 : tensor<4x8xf16, #rows>, tensor<8x4xf16, #rows>
}

// -----

#outer = #npu.layout<SEGMENTED, tiles = [2, 1, 1]>
#inner = #npu.layout<SEGMENTED, tiles = [1, 2, 1]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// 4x6 folded into 24: halves of the outer dimension are halves of the whole,
// halves of the inner one are not.
func.func @collapse(%x: tensor<4x6x3xf16, #outer>, %y: tensor<4x6x3xf16, #inner>) -> (tensor<24x3xf16, #rows>, tensor<24x3xf16, #rows>) {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x6x3xf16, #outer> into tensor<24x3xf16, #rows>
  // expected-error@+2 {{'tensor.collapse_shape' tile 0 reads [0:2, 0:6, 0:3] of operand #0 (%arg1) to produce [0:12, 0:3], but holds [0:4, 0:3, 0:3]}}
  // expected-note@+1 {{repairs it}}
  %1 = tensor.collapse_shape %y [[0, 1], [2]] : tensor<4x6x3xf16, #inner> into tensor<24x3xf16, #rows>
  return %0, %1 : tensor<24x3xf16, #rows>, tensor<24x3xf16, #rows>
}

func.func @expand(%x: tensor<24x3xf16, #rows>) -> (tensor<4x6x3xf16, #outer>, tensor<4x6x3xf16, #inner>) {
  %0 = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 6, 3] : tensor<24x3xf16, #rows> into tensor<4x6x3xf16, #outer>
  // The box around (0:4, 0:3) reaches from 0 to 3*6+2.
  // expected-error@+2 {{'tensor.expand_shape' tile 0 reads [0:21, 0:3] of operand #0 (%arg0) to produce [0:4, 0:3, 0:3], but holds [0:12, 0:3]}}
  // expected-note@+1 {{repairs it}}
  %1 = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 6, 3] : tensor<24x3xf16, #rows> into tensor<4x6x3xf16, #inner>
  return %0, %1 : tensor<4x6x3xf16, #outer>, tensor<4x6x3xf16, #inner>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

#everywhere = #npu.layout<DUPLICATED, tiles = 2>

// Most elementwise operations take one encoding throughout and are right by
// construction.
func.func @elementwise(%x: tensor<4x8xf16, #rows>, %c: i1) -> tensor<4x8xf16, #rows> {
  %0 = arith.addf %x, %x : tensor<4x8xf16, #rows>
  %1 = math.exp %0 : tensor<4x8xf16, #rows>
  %2 = arith.extf %1 : tensor<4x8xf16, #rows> to tensor<4x8xf32, #rows>
  %3 = arith.truncf %2 : tensor<4x8xf32, #rows> to tensor<4x8xf16, #rows>
  %4 = arith.select %c, %x, %3 : tensor<4x8xf16, #rows>
  return %4 : tensor<4x8xf16, #rows>
}

// Where two are taken, the boxes decide.
func.func @two_encodings(%x: tensor<4x8xf16, #rows>, %y: tensor<4x8xi32, #everywhere>, %z: tensor<4x8xi32, #columns>)
    -> (tensor<4x8xf16, #rows>, tensor<4x8xf16, #rows>) {
  %0 = math.fpowi %x, %y : tensor<4x8xf16, #rows>, tensor<4x8xi32, #everywhere>
  // expected-error@+2 {{'math.fpowi' tile 0 reads [0:2, 0:8] of operand #1 (%arg2) to produce [0:2, 0:8], but holds [0:4, 0:4]}}
  // expected-note@+1 {{repairs it}}
  %1 = math.fpowi %x, %z : tensor<4x8xf16, #rows>, tensor<4x8xi32, #columns>
  return %0, %1 : tensor<4x8xf16, #rows>, tensor<4x8xf16, #rows>
}

// -----

// An insertion of nothing writes nothing, whatever its strides.
#halves = #npu.layout<SEGMENTED, tiles = [2, 1]>
func.func @insert_of_nothing(%a: tensor<0x4xi32>, %b: tensor<6x8xi32, #halves>) -> tensor<6x8xi32, #halves> {
  // expected-warning@+2 {{'tensor.insert_slice' falls back to the host: it writes with a stride other than 1; it moves 384 bytes through DDR}}
  // expected-note@+1 {{npu-print-transfers lists each of them}}
  %r = tensor.insert_slice %a into %b[1, 0] [0, 4] [1, 2] : tensor<0x4xi32> into tensor<6x8xi32, #halves>
  return %r : tensor<6x8xi32, #halves>
}
