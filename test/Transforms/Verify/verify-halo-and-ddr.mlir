// No halo and no broadcast copy comes for free: a tile computes all that its
// memory box of a result promises, or a redistribution follows. What lies in DDR
// is on no tile.
//
// RUN: npu-opt %s --npu-verify-distributions --split-input-file --verify-diagnostics

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#halo = #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>
#copy = #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1]>

// From rows without a halo, rows with one cannot be computed.
func.func @halo(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #halo>) -> tensor<8x4xf16, #halo> {
  // expected-error@+3 {{'linalg.exp' tile 0 reads [0:5, 0:4] of operand #0 (%arg0) to produce [0:5, 0:4], but holds [0:4, 0:4]}}
  // expected-note@+2 {{the result's layout promises a halo or a copy that the tile cannot compute: its compute box alone would be fine}}
  // expected-note@+1 {{repairs it}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #halo>) -> tensor<8x4xf16, #halo>
  return %0 : tensor<8x4xf16, #halo>
}

func.func @copy(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #copy>) -> tensor<8x4xf16, #copy> {
  // expected-error@+3 {{'linalg.exp' tile 0 reads [0:8, 0:4] of operand #0 (%arg0) to produce [0:8, 0:4], but holds [0:4, 0:4]}}
  // expected-note@+2 {{its compute box alone would be fine}}
  // expected-note@+1 {{repairs it}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #copy>) -> tensor<8x4xf16, #copy>
  return %0 : tensor<8x4xf16, #copy>
}

// From rows with a halo they can: both tiles compute rows 3 and 4.
func.func @computed_twice(%x: tensor<8x4xf16, #halo>, %e: tensor<8x4xf16, #halo>) -> tensor<8x4xf16, #halo> {
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #halo>) outs(%e : tensor<8x4xf16, #halo>) -> tensor<8x4xf16, #halo>
  return %0 : tensor<8x4xf16, #halo>
}

// What a fill promises it makes on every tile.
func.func @filled(%v: f16) -> tensor<8x4xf16, #copy> {
  %e = tensor.empty() : tensor<8x4xf16, #copy>
  %0 = linalg.fill ins(%v : f16) outs(%e : tensor<8x4xf16, #copy>) -> tensor<8x4xf16, #copy>
  return %0 : tensor<8x4xf16, #copy>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func @operand_in_ddr(%x: tensor<8x4xf16>, %e: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows> {
  // expected-error@+3 {{'linalg.exp' tile 0 reads [0:4, 0:4] of operand #0 (%arg0) to produce [0:4, 0:4], but holds nothing}}
  // expected-note@+2 {{the operand is in DDR; npu.redistribute loads it}}
  // expected-note@+1 {{repairs it}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16>) outs(%e : tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows>
  return %0 : tensor<8x4xf16, #rows>
}

func.func @result_in_ddr(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16>) -> tensor<8x4xf16> {
  // expected-error@+2 {{'linalg.exp' has distributed operands but a result in DDR: expected every result on tiles, or none}}
  // expected-note@+1 {{repairs it}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16>) -> tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}

// Nothing is on tiles: nothing to say.
func.func @all_in_ddr(%x: tensor<?x4xf16>, %e: tensor<?x4xf16>) -> tensor<?x4xf16> {
  %0 = linalg.exp ins(%x : tensor<?x4xf16>) outs(%e : tensor<?x4xf16>) -> tensor<?x4xf16>
  return %0 : tensor<?x4xf16>
}
