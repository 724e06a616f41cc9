// The tile program's own verifier: a tile uses what is its own and what has
// been written. Lowering refuses what the distribution verifier refuses.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-verify-tile-program
// RUN: not npu-opt %s --split-input-file --npu-verify-tile-program 2>/dev/null | FileCheck %s

// CHECK-LABEL: func.func @fine
func.func @fine(%x: tensor<8x4xf32>) -> tensor<8x4xf32> attributes {npu.tiles = 1 : i64} {
  %0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x4xf32>
  %1 = npu.transfer %x[0, 0] from ddr to tile 0 into %0[0, 0] box [0:8, 0:4] bytes = 128
      : tensor<8x4xf32> to tensor<8x4xf32>
  %2 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x4xf32>
  %3 = linalg.exp {npu.tile = 0 : i64} ins(%1 : tensor<8x4xf32>) outs(%2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = tensor.empty() : tensor<8x4xf32>
  %5 = npu.transfer %3[0, 0] from tile 0 to ddr into %4[0, 0] box [0:8, 0:4] bytes = 128
      : tensor<8x4xf32> to tensor<8x4xf32>
  return %5 : tensor<8x4xf32>
}

// -----

func.func @other_tile(%x: tensor<8x4xf32>) attributes {npu.tiles = 2 : i64} {
  %0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x4xf32>
  %1 = npu.transfer %x[0, 0] from ddr to tile 0 into %0[0, 0] box [0:8, 0:4] bytes = 128
      : tensor<8x4xf32> to tensor<8x4xf32>
  %2 = tensor.empty() {npu.tile = 1 : i64} : tensor<8x4xf32>
  // expected-error@+1 {{'linalg.exp' of tile 1 uses operand #0 of tile 0; only npu.transfer crosses tiles}}
  %3 = linalg.exp {npu.tile = 1 : i64} ins(%1 : tensor<8x4xf32>) outs(%2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @wrong_sender(%x: tensor<8x4xf32>) attributes {npu.tiles = 2 : i64} {
  %0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x4xf32>
  // expected-error@+1 {{'npu.transfer' of tile 1 uses operand #0 of DDR; only npu.transfer crosses tiles}}
  %1 = npu.transfer %x[0, 0] from tile 1 to tile 0 into %0[0, 0] box [0:8, 0:4] bytes = 128
      : tensor<8x4xf32> to tensor<8x4xf32>
  return
}

// -----

// A transfer that was taken away leaves rows that nobody wrote.
func.func @unwritten(%x: tensor<8x4xf32>) attributes {npu.tiles = 1 : i64} {
  %0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x4xf32>
  %1 = npu.transfer %x[0, 0] from ddr to tile 0 into %0[0, 0] box [0:6, 0:4] bytes = 96
      : tensor<8x4xf32> to tensor<8x4xf32>
  %2 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x4xf32>
  // expected-error@+1 {{'linalg.exp' reads [6:8, 0:4] of operand #0, which nobody has written (local coordinates, tile 0)}}
  %3 = linalg.exp {npu.tile = 0 : i64} ins(%1 : tensor<8x4xf32>) outs(%2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

// A box in DDR begins at its own indices.
func.func @other_rows(%x: tensor<8x4xf32>) attributes {npu.tiles = 1 : i64} {
  %0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x4xf32>
  // expected-error@+1 {{expected box [4:8, 0:4] at [4, 0] of its source in DDR, got [3, 0]}}
  %1 = npu.transfer %x[3, 0] from ddr to tile 0 into %0[0, 0] box [4:8, 0:4] bytes = 64
      : tensor<8x4xf32> to tensor<4x4xf32>
  return
}

// -----

// What tile 0 has of the rows begins at row 4, so that row 5 is its second.
func.func @other_row(%x: tensor<8x4xf32>) attributes {npu.tiles = 2 : i64} {
  %0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x4xf32>
  %1 = npu.transfer %x[4, 0] from ddr to tile 0 into %0[0, 0] box [4:8, 0:4] bytes = 64
      : tensor<8x4xf32> to tensor<4x4xf32>
  %2 = math.exp %1 {npu.tile = 0 : i64} : tensor<4x4xf32>
  %3 = tensor.empty() {npu.tile = 1 : i64} : tensor<1x4xf32>
  // expected-error@+1 {{expected box [5:6, 0:4] at [1, 0] of its source, got [2, 0]}}
  %4 = npu.transfer %2[2, 0] from tile 0 to tile 1 into %3[0, 0] box [5:6, 0:4] bytes = 16
      : tensor<4x4xf32> to tensor<1x4xf32>
  return
}

// -----

// The same row of a tensor of its own: the slice says where that begins in the
// other.
func.func @of_its_own(%x: tensor<8x4xf32>) attributes {npu.tiles = 2 : i64} {
  %0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x4xf32>
  %1 = npu.transfer %x[4, 0] from ddr to tile 0 into %0[0, 0] box [4:8, 0:4] bytes = 64
      : tensor<8x4xf32> to tensor<4x4xf32>
  %2 = tensor.extract_slice %1[2, 0] [2, 4] [1, 1] {npu.begin = array<i64: 0, 0>, npu.offset = array<i64: 6, 0>, npu.tile = 0 : i64}
      : tensor<4x4xf32> to tensor<2x4xf32>
  %3 = tensor.empty() {npu.tile = 1 : i64} : tensor<1x4xf32>
  %4 = npu.transfer %2[1, 0] from tile 0 to tile 1 into %3[0, 0] box [1:2, 0:4] bytes = 16
      : tensor<2x4xf32> to tensor<1x4xf32>
  return
}

// -----

// Rows 4 to 7 of the result are nobody's.
func.func @no_store(%x: tensor<8x4xf32>) -> tensor<8x4xf32> attributes {npu.tiles = 2 : i64} {
  %0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x4xf32>
  %1 = npu.transfer %x[0, 0] from ddr to tile 0 into %0[0, 0] box [0:4, 0:4] bytes = 64
      : tensor<8x4xf32> to tensor<4x4xf32>
  %2 = tensor.empty() : tensor<8x4xf32>
  %3 = npu.transfer %1[0, 0] from tile 0 to ddr into %2[0, 0] box [0:4, 0:4] bytes = 64
      : tensor<4x4xf32> to tensor<8x4xf32>
  // expected-error@+1 {{'func.return' reads [4:8, 0:4] of operand #0, which nobody has written (local coordinates, DDR)}}
  return %3 : tensor<8x4xf32>
}

// -----

// Two parts that one loop reads begin at one row.
func.func @unlike(%x: tensor<8x4xf32>) attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4x4xf32>
  %a = npu.transfer %x[0, 0] from ddr to tile 0 into %e[0, 0] box [0:4, 0:4] bytes = 64
      : tensor<8x4xf32> to tensor<4x4xf32>
  // expected-error@+1 {{expected box [4:8, 0:4] at [4, 0] of destination #0, got [0, 0]}}
  %b = npu.transfer %x[4, 0] from ddr to tile 0 into %e[0, 0] box [4:8, 0:4] bytes = 64
      : tensor<8x4xf32> to tensor<4x4xf32>
  %c = arith.addf %a, %b {npu.tile = 0 : i64} : tensor<4x4xf32>
  return
}

// -----

// Both halves come from one tensor, whose dimensions lie in one order.
func.func @other_order(%x: tensor<4x4x2xf32>) -> tensor<4x4x2xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x2x2xf32>
  %e1 = tensor.empty() {npu.order = array<i64: 0, 2, 1>, npu.tile = 1 : i64} : tensor<4x2x2xf32>
  %x0 = npu.transfer %x[0, 0, 0] from ddr to tile 0 into %e0[0, 0, 0] box [0:4, 0:2, 0:2] bytes = 64
      : tensor<4x4x2xf32> to tensor<4x2x2xf32>
  %x1 = npu.transfer %x[0, 2, 0] from ddr to tile 1 into %e1[0, 0, 0] box [0:4, 2:4, 0:2] bytes = 64
      {dest_order = array<i64: 0, 2, 1>} : tensor<4x4x2xf32> to tensor<4x2x2xf32>
  %e = tensor.empty() : tensor<4x4x2xf32>
  // expected-note@+1 {{the transfer before it into the same tensor has the expected one}}
  %0 = npu.transfer %x0[0, 0, 0] from tile 0 to ddr into %e[0, 0, 0] box [0:4, 0:2, 0:2] bytes = 64
      : tensor<4x2x2xf32> to tensor<4x4x2xf32>
  // expected-error@+1 {{expected source order [0, 1, 2], got [0, 2, 1]}}
  %1 = npu.transfer %x1[0, 0, 0] from tile 1 to ddr into %0[0, 2, 0] box [0:4, 2:4, 0:2] bytes = 64
      {source_order = array<i64: 0, 2, 1>} : tensor<4x2x2xf32> to tensor<4x4x2xf32>
  return %1 : tensor<4x4x2xf32>
}

// -----

// No tile is named that the program does not have.
func.func @tiles_it_has(%x: tensor<8xi32>) -> tensor<8xi32> attributes {npu.tiles = 1 : i64} {
  // expected-error@+1 {{'tensor.empty' of tile 3: expected one of the 1 tiles of 'tiles_it_has' (npu.tiles)}}
  %e = tensor.empty() {npu.tile = 3 : i64} : tensor<8xi32>
  %t = npu.transfer %x[0] from ddr to tile 3 into %e[0] box [0:8] bytes = 32 : tensor<8xi32> to tensor<8xi32>
  %d = tensor.empty() : tensor<8xi32>
  %r = npu.transfer %t[0] from tile 3 to ddr into %d[0] box [0:8] bytes = 32 : tensor<8xi32> to tensor<8xi32>
  return %r : tensor<8xi32>
}
