// Under strict the two labels of a permute_cast must be what the field compiler
// expects, in canonical form: how a distribution is spelled does not matter,
// what it is called does.
//
// RUN: npu-opt %s --npu-verify-distributions=strict --split-input-file --verify-diagnostics
// The option is understood in its long form as well.
// RUN: npu-opt %s --pass-pipeline='builtin.module(npu-verify-distributions{strict=true})' --split-input-file --verify-diagnostics

#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#rows_overlapped = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>

// The sentence that people search for, to the letter.
func.func @label(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #rows_overlapped> {
  // expected-error-re@+3 {{{{^}}PermuteCast input and output distributions are incompatible: in = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>, out = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>, expected = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>{{$}}}}
  // expected-note@+2 {{label only: every tile holds the same box on both sides (tile 0 [0:1, 0:128, 0:7, 0:336]); 0 bytes would move}}
  // expected-note@+1 {{npu-opt --npu-legalize-distributions repairs it: a npu.distribution_cast after the cast}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows_overlapped>
  return %0 : tensor<1x128x28x336xf16, #rows_overlapped>
}

// -----

#short = #npu.layout<SEGMENTED, tiles = [2, 1]>
#boxes = #npu.layout<SEGMENTED, compute = [[0:8, 0:2], [0:8, 2:4]], order = [1, 0]>
#both = #npu.layout<SEGMENTED, compute = [[0:8, 0:2], [0:8, 2:4]], memory = [[0:8, 0:2], [0:8, 2:4]], order = [1, 0]>

// The implicit and the explicit spelling of one distribution are equal.
func.func @spellings(%x: tensor<4x8xf16, #short>) -> (tensor<8x4xf16, #boxes>, tensor<8x4xf16, #both>) {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16, #short> to tensor<8x4xf16, #boxes>
  %1 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16, #short> to tensor<8x4xf16, #both>
  return %0, %1 : tensor<8x4xf16, #boxes>, tensor<8x4xf16, #both>
}

// -----

#boxes = #npu.layout<OVERLAPPED, compute = [[0:2, 0:8], [2:4, 0:8]]>
#short = #npu.layout<OVERLAPPED, tiles = [1, 2], order = [1, 0]>

// The same the other way round, and under another label.
func.func @spellings_back(%x: tensor<4x8xf16, #boxes>) -> tensor<8x4xf16, #short> {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16, #boxes> to tensor<8x4xf16, #short>
  return %0 : tensor<8x4xf16, #short>
}

// -----

#count = #npu.layout<DUPLICATED, tiles = 4>
#list = #npu.layout<DUPLICATED, tiles = [1, 4], order = [1, 0]>

// A single count and a count per dimension.
func.func @duplicated(%x: tensor<4x8xf16, #count>) -> tensor<8x4xf16, #list> {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16, #count> to tensor<8x4xf16, #list>
  return %0 : tensor<8x4xf16, #list>
}

// -----

#aligned = #npu.layout<SEGMENTED, tiles = [1, 2], align = [16, 1]>
#plain = #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>

// An alignment of a dimension that is not split says nothing.
func.func @alignment_without_effect(%x: tensor<4x8xf16, #aligned>) -> tensor<8x4xf16, #plain> {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16, #aligned> to tensor<8x4xf16, #plain>
  return %0 : tensor<8x4xf16, #plain>
}

// -----

#dealt = #npu.layout<SEGMENTED, tiles = [4, 1]>
#ceil = #npu.layout<SEGMENTED, tiles = [1, 4], split = ceil, order = [1, 0]>

// 11 rows are 3, 3, 3, 2 under either rule, but it is another rule.
func.func @rules(%x: tensor<11x8xf16, #dealt>) -> tensor<8x11xf16, #ceil> {
  // expected-error@+3 {{PermuteCast input and output distributions are incompatible}}
  // expected-note@+2 {{label only: every tile holds the same box on both sides (tile 0 [0:8, 0:3]); 0 bytes would move}}
  // expected-note@+1 {{a npu.distribution_cast after the cast}}
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<11x8xf16, #dealt> to tensor<8x11xf16, #ceil>
  return %0 : tensor<8x11xf16, #ceil>
}

// -----

#owners = #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1]>
#owners_permuted = #npu.layout<SEGMENTED|DUPLICATED, tiles = [1, 2], order = [1, 0]>
#other_owners = #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1], order = [1, 0]>

// Who computed what is part of the label.
func.func @owners(%x: tensor<4x8xf16, #owners>) -> (tensor<8x4xf16, #owners_permuted>, tensor<8x4xf16, #other_owners>) {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16, #owners> to tensor<8x4xf16, #owners_permuted>
  // expected-error@+3 {{PermuteCast input and output distributions are incompatible}}
  // expected-note@+2 {{label only: every tile holds the same box on both sides (tile 0 [0:8, 0:4]); 0 bytes would move}}
  // expected-note@+1 {{a npu.distribution_cast after the cast}}
  %1 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16, #owners> to tensor<8x4xf16, #other_owners>
  return %0, %1 : tensor<8x4xf16, #owners_permuted>, tensor<8x4xf16, #other_owners>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#overlapped = #npu.layout<OVERLAPPED, tiles = [2, 1]>

// Strictness is about permute_casts; a distribution_cast is there to relabel.
func.func @relabel(%x: tensor<4x8xf16, #rows>) -> tensor<4x8xf16, #overlapped> {
  %0 = npu.distribution_cast %x : tensor<4x8xf16, #rows> to tensor<4x8xf16, #overlapped>
  return %0 : tensor<4x8xf16, #overlapped>
}

// -----

#ceil = #npu.layout<SEGMENTED, tiles = [4, 1], split = ceil>
#boxes = #npu.layout<SEGMENTED, order = [1, 0],
    compute = [[0:8, 0:3], [0:8, 3:6], [0:8, 6:9], [0:8, 9:11]]>

// Boxes that are written out do not tell which rule they come from: these are
// ceil's as well as balanced's.
func.func @ceil_spelled_out(%x: tensor<11x8xf16, #ceil>) -> tensor<8x11xf16, #boxes> {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<11x8xf16, #ceil> to tensor<8x11xf16, #boxes>
  return %0 : tensor<8x11xf16, #boxes>
}

// -----

#window = #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>
#boxes = #npu.layout<OVERLAPPED, order = [1, 0],
    compute = [[0:4, 0:4], [0:4, 4:8]], memory = [[0:4, 0:5], [0:4, 3:8]]>

// Nor which window.
func.func @window_spelled_out(%x: tensor<8x4xf16, #window>) -> tensor<4x8xf16, #boxes> {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<8x4xf16, #window> to tensor<4x8xf16, #boxes>
  return %0 : tensor<4x8xf16, #boxes>
}

// -----

#one_tile = #npu.layout<SEGMENTED, compute = [[0:1, 0:8]]>
#two_tiles = #npu.layout<SEGMENTED, tiles = [1, 2], order = [1, 0]>

// A tile that has nothing is a tile all the same: by boxes these are equal, by
// label they are not.
func.func @tile_without_anything(%x: tensor<1x8xf16, #one_tile>) -> tensor<8x1xf16, #two_tiles> {
  // expected-error@+3 {{PermuteCast input and output distributions are incompatible}}
  // expected-note@+2 {{label only: every tile holds the same box on both sides (tile 0 [0:8, 0:1]); 0 bytes would move}}
  // expected-note@+1 {{a npu.distribution_cast after the cast}}
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<1x8xf16, #one_tile> to tensor<8x1xf16, #two_tiles>
  return %0 : tensor<8x1xf16, #two_tiles>
}
