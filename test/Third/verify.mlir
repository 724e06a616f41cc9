// Operations that lib/ knows nothing of are verified by what they say of
// themselves: the rows that a tile reads and does not hold.
// RUN: npu-third-opt %s --npu-verify-distributions --split-input-file --verify-diagnostics

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#one = #npu.layout<SEGMENTED, tiles = [4]>

// Backwards: tile 0 makes the first rows of the last ones.
func.func @reverse(%x: tensor<10x6xf32, #rows>) -> tensor<10x6xf32, #rows> {
  // expected-error @below {{'third.reverse' tile 0 reads [7:10, 0:6] of operand #0 (%arg0) to produce [0:3, 0:6], but holds [0:3, 0:6]}}
  // expected-note @below {{npu-opt --npu-legalize-distributions repairs it}}
  %r = third.reverse %x along 0 : tensor<10x6xf32, #rows> -> tensor<10x6xf32, #rows>
  return %r : tensor<10x6xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#one = #npu.layout<SEGMENTED, tiles = [4]>

// A window of three rows, known from upstream's interfaces alone.
func.func @blur(%x: tensor<10x6xf32, #rows>, %y: tensor<8x6xf32, #rows>) -> tensor<8x6xf32, #rows> {
  // expected-error @below {{'third.blur' tile 0 reads [0:4, 0:6] of operand #0 (%arg0) to produce [0:2, 0:6], but holds [0:3, 0:6]}}
  // expected-note @below {{npu-opt --npu-legalize-distributions repairs it}}
  %b = third.blur %x into %y : tensor<10x6xf32, #rows>, tensor<8x6xf32, #rows> -> tensor<8x6xf32, #rows>
  return %b : tensor<8x6xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#one = #npu.layout<SEGMENTED, tiles = [4]>

// By position: any row of the table.
func.func @take(%table: tensor<10x6xf32, #rows>, %p: tensor<12xi32, #one>) -> tensor<12x6xf32, #rows> {
  // expected-error @below {{'third.take' tile 0 reads [0:10, 0:6] of operand #0 (%arg0) to produce [0:3, 0:6], but holds [0:3, 0:6]}}
  // expected-note @below {{npu-opt --npu-legalize-distributions repairs it}}
  %t = third.take %table[%p] : tensor<10x6xf32, #rows>, tensor<12xi32, #one> -> tensor<12x6xf32, #rows>
  return %t : tensor<12x6xf32, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#one = #npu.layout<SEGMENTED, tiles = [4]>

// Two results of rows that each tile holds: nothing is missing.
func.func @minmax(%x: tensor<10x6xf32, #rows>) -> (tensor<10xf32, #one>, tensor<10xf32, #one>) {
  %low, %high = third.minmax %x : tensor<10x6xf32, #rows> -> tensor<10xf32, #one>, tensor<10xf32, #one>
  return %low, %high : tensor<10xf32, #one>, tensor<10xf32, #one>
}

// -----

// Two results that need different rows.
#two = #npu.layout<SEGMENTED, tiles = [2, 1]>
#near = #npu.layout<SEGMENTED, tiles = [2]>
#far = #npu.layout<SEGMENTED, memory = [[2:4], [0:2]], compute = [[2:4], [0:2]]>
func.func @apart(%x: tensor<4x6xf32, #two>) -> (tensor<4xf32, #near>, tensor<4xf32, #far>) {
  // expected-error @below {{'third.minmax' tile 0 reads [0:4, 0:6] of operand #0 (%arg0) to produce [0:4], but holds [0:2, 0:6]}}
  // expected-note @below {{npu-opt --npu-legalize-distributions repairs it}}
  %low, %high = third.minmax %x : tensor<4x6xf32, #two> -> tensor<4xf32, #near>, tensor<4xf32, #far>
  return %low, %high : tensor<4xf32, #near>, tensor<4xf32, #far>
}
