// What a tile program calls padding is padding of the model: nobody can do without a
// load by calling what it brings so.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-verify-tile-program

// Of eight rows, five are real; the part of rows 4 to 7 has one of them.
func.func @rows(%x: tensor<5x2xf32>) attributes {npu.paddings = [[[0, 5, 8]]], npu.tiles = 2 : i64} {
  %e1 = tensor.empty() {npu.begin = array<i64: 4, 0>, npu.padding = [[0, 1, 4]], npu.tile = 1 : i64} : tensor<4x2xf32>
  %x1 = npu.transfer %x[4, 0] from ddr to tile 1 into %e1[0, 0] box [4:5, 0:2] bytes = 8 : tensor<5x2xf32> to tensor<4x2xf32>
  %n1 = math.absf %x1 {npu.tile = 1 : i64} : tensor<4x2xf32>
  return
}

// -----

// The function has no padding.
// expected-note@+1 {{the function has 0 paddings}}
func.func @none(%x: tensor<5x2xf32>) attributes {npu.tiles = 1 : i64} {
  // expected-error@+1 {{'tensor.empty' of tile 0 marks padding: expected the part of one of the function's paddings ('npu.paddings') that is in [0:4, 0:2]}}
  %e0 = tensor.empty() {npu.begin = array<i64: 0, 0>, npu.padding = [[0, 0, 4]], npu.tile = 0 : i64} : tensor<4x2xf32>
  %n0 = math.absf %e0 {npu.tile = 0 : i64} : tensor<4x2xf32>
  return
}

// -----

// The function has padding elsewhere.
// expected-note@+1 {{the function has 1 paddings}}
func.func @elsewhere(%x: tensor<5x2xf32>) attributes {npu.paddings = [[[0, 5, 8]]], npu.tiles = 1 : i64} {
  // expected-error@+1 {{'tensor.empty' of tile 0 marks padding: expected the part of one of the function's paddings ('npu.paddings') that is in [0:4, 0:2]}}
  %e0 = tensor.empty() {npu.begin = array<i64: 0, 0>, npu.padding = [[0, 0, 4]], npu.tile = 0 : i64} : tensor<4x2xf32>
  %n0 = math.absf %e0 {npu.tile = 0 : i64} : tensor<4x2xf32>
  return
}

// -----

// A part that is nothing but padding says of which rows, and these are not the rows
// that are stored.
func.func @other_rows() attributes {npu.paddings = [[[0, 5, 8]]], npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.begin = array<i64: 6, 0>, npu.padding = [[0, 0, 2]], npu.tile = 0 : i64} : tensor<2x2xf32>
  %n0 = math.absf %e0 {npu.tile = 0 : i64} : tensor<2x2xf32>
  %e = tensor.empty() {npu.padding = [[0, 5, 8]]} : tensor<8x2xf32>
  // expected-error@+1 {{expected box [0:2, 0:2] at [-6, 0] of its source, got [0, 0]}}
  %0 = npu.transfer %n0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:2, 0:2] bytes = 16 : tensor<2x2xf32> to tensor<8x2xf32>
  return
}

// -----

// Where the part begins has to be said.
func.func @no_begin() attributes {npu.paddings = [[[0, 5, 8]]], npu.tiles = 1 : i64} {
  // expected-error@+1 {{'tensor.empty' of tile 0 marks padding: expected 'npu.begin', which says where the part begins in its tensor}}
  %e0 = tensor.empty() {npu.padding = [[0, 0, 2]], npu.tile = 0 : i64} : tensor<2x2xf32>
  return
}

// -----

// A tensor that is padding as a whole is handed on, and nobody computes with it.
func.func @whole() attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.padding, npu.tile = 0 : i64} : tensor<2x2xf32>
  // expected-error@+1 {{'math.absf' uses operand #0, which is padding as a whole and only to be handed on ('npu.padding')}}
  %n0 = math.absf %e0 {npu.tile = 0 : i64} : tensor<2x2xf32>
  return
}
