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
