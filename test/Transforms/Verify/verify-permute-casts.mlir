// A permute_cast is right when every tile holds the same boxes on both sides:
// boxes are compared, labels are not, and who computed what may differ.
//
// RUN: npu-opt %s --npu-verify-distributions --split-input-file --verify-diagnostics

#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#rows_overlapped = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>

// The field failure: the label differs, the boxes do not.
func.func @label(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #rows_overlapped> {
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows_overlapped>
  return %0 : tensor<1x128x28x336xf16, #rows_overlapped>
}

// -----

#balanced = #npu.layout<SEGMENTED, tiles = [4, 1]>
#ceil = #npu.layout<SEGMENTED, tiles = [1, 4], split = ceil, order = [1, 0]>

// 11 rows on 4 tiles are 3, 3, 3, 2 under either rule.
func.func @splits_that_coincide(%x: tensor<11x8xf16, #balanced>) -> tensor<8x11xf16, #ceil> {
  %0 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<11x8xf16, #balanced> to tensor<8x11xf16, #ceil>
  return %0 : tensor<8x11xf16, #ceil>
}

// -----

#balanced = #npu.layout<SEGMENTED, tiles = [4, 1]>
#ceil = #npu.layout<SEGMENTED, tiles = [1, 4], split = ceil, order = [1, 0]>

// 10 rows on 4 tiles are 3, 3, 2, 2 or 3, 3, 3, 1: row 8 is on tile 3 and
// wanted on tile 2, and that is 8 elements of 2 bytes.
func.func @splits_that_differ(%x: tensor<10x8xf16, #balanced>) -> tensor<8x10xf16, #ceil> {
  // expected-error@+4 {{PermuteCast input and output distributions are incompatible: in = #npu.layout<SEGMENTED, tiles = [4, 1]>, out = #npu.layout<SEGMENTED, tiles = [1, 4], split = ceil, order = [1, 0]>, expected = #npu.layout<SEGMENTED, tiles = [1, 4], order = [1, 0]>}}
  // expected-note@+3 {{data differs: tile 2 holds [0:8, 6:8], and out declares [0:8, 6:9]}}
  // expected-note@+2 {{16 bytes would move between tiles, at most 16 to one tile}}
  // expected-note@+1 {{npu-opt --npu-legalize-distributions repairs it: a npu.redistribute after the cast}}
  %0 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<10x8xf16, #balanced> to tensor<8x10xf16, #ceil>
  return %0 : tensor<8x10xf16, #ceil>
}

// -----

#owners = #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1]>
#other_owners = #npu.layout<SEGMENTED|MULTICASTED, tiles = [2, 1], order = [1, 0]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2, order = [1, 0]>

// All of it is on both tiles, whoever computed it.
func.func @compute_may_differ(%x: tensor<4x8xf16, #owners>)
    -> (tensor<8x4xf16, #other_owners>, tensor<8x4xf16, #everywhere>) {
  %0 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<4x8xf16, #owners> to tensor<8x4xf16, #other_owners>
  %1 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<4x8xf16, #owners> to tensor<8x4xf16, #everywhere>
  return %0, %1 : tensor<8x4xf16, #other_owners>, tensor<8x4xf16, #everywhere>
}

// -----

#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2], order = [1, 0]>

// Every tile holds more than is declared: true, but a cast has to say so.
func.func @narrowing(%x: tensor<4x8xf16, #everywhere>) -> tensor<8x4xf16, #columns> {
  // expected-error@+4 {{PermuteCast input and output distributions are incompatible}}
  // expected-note@+3 {{a narrowing: tile 0 holds [0:8, 0:4], and out declares [0:8, 0:2]}}
  // expected-note@+2 {{0 bytes would move between tiles, at most 0 to one tile}}
  // expected-note@+1 {{a npu.distribution_cast after the cast}}
  %0 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<4x8xf16, #everywhere> to tensor<8x4xf16, #columns>
  return %0 : tensor<8x4xf16, #columns>
}

// -----

#two = #npu.layout<SEGMENTED, tiles = [2, 1]>
#four = #npu.layout<SEGMENTED, tiles = [1, 4], order = [1, 0]>

// Tile counts differ: the tiles that one side lacks hold nothing there. Tile 1
// wants rows 1:2 and tiles 2 and 3 a row each, three rows of 8 f16 numbers.
func.func @tile_counts(%x: tensor<4x8xf16, #two>) -> tensor<8x4xf16, #four> {
  // expected-error@+4 {{PermuteCast input and output distributions are incompatible}}
  // expected-note@+3 {{data differs: tile 1 holds [0:8, 2:4], and out declares [0:8, 1:2]}}
  // expected-note@+2 {{48 bytes would move between tiles, at most 16 to one tile}}
  // expected-note@+1 {{a npu.redistribute after the cast}}
  %0 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<4x8xf16, #two> to tensor<8x4xf16, #four>
  return %0 : tensor<8x4xf16, #four>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#transposed = #npu.layout<order = [1, 0]>

// From tiles to DDR is data that moves: 4x8 f16 numbers.
func.func @to_ddr(%x: tensor<4x8xf16, #rows>) -> tensor<8x4xf16, #transposed> {
  // expected-error@+4 {{PermuteCast input and output distributions are incompatible}}
  // expected-note@+3 {{data differs: one side is in DDR, the other on tiles}}
  // expected-note@+2 {{64 bytes would move to or from DDR}}
  // expected-note@+1 {{a npu.redistribute after the cast}}
  %0 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<4x8xf16, #rows> to tensor<8x4xf16, #transposed>
  return %0 : tensor<8x4xf16, #transposed>
}

// -----

#transposed = #npu.layout<order = [1, 0]>
#tall = #npu.layout<order = [0, 2, 1]>

// In DDR on both sides there is nothing to compare.
func.func @in_ddr(%x: tensor<4x8xf16>, %y: tensor<?x8x1xf16>) -> (tensor<8x4xf16, #transposed>, tensor<?x1x8xf16, #tall>) {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16> to tensor<8x4xf16, #transposed>
  %1 = npu.permute_cast %y mem_perm = [0, 1, 2] : tensor<?x8x1xf16> to tensor<?x1x8xf16, #tall>
  return %0, %1 : tensor<8x4xf16, #transposed>, tensor<?x1x8xf16, #tall>
}

// -----

#window = #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>
#window_permuted = #npu.layout<OVERLAPPED, tiles = [1, 2], window = [[1, 3, 1, 1, 1]], order = [1, 0]>
#window_elsewhere = #npu.layout<OVERLAPPED, tiles = [1, 2], window = [[0, 3, 1, 1, 1]], order = [1, 0]>

// A window goes through the cast with its dimension.
func.func @windows(%x: tensor<8x4xf16, #window>) -> tensor<4x8xf16, #window_permuted> {
  %0 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<8x4xf16, #window> to tensor<4x8xf16, #window_permuted>
  return %0 : tensor<4x8xf16, #window_permuted>
}

// Left where it was, it is another window: no halo along the split dimension.
func.func @window_left_after(%x: tensor<8x4xf16, #window>) -> tensor<4x8xf16, #window_elsewhere> {
  // expected-error@+4 {{expected = #npu.layout<OVERLAPPED, tiles = [1, 2], window = [[1, 3, 1, 1, 1]], order = [1, 0]>}}
  // expected-note@+3 {{a narrowing: tile 0 holds [0:4, 0:5], and out declares [0:4, 0:4]}}
  // expected-note@+2 {{0 bytes would move}}
  // expected-note@+1 {{a npu.distribution_cast after the cast}}
  %0 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<8x4xf16, #window> to tensor<4x8xf16, #window_elsewhere>
  return %0 : tensor<4x8xf16, #window_elsewhere>
}
