// A tile program has every tile's own tensors in memory order, its part of
// every operation, and every movement as a transfer.
//
// RUN: npu-opt %s --split-input-file --npu-legalize-distributions --npu-lower-to-tiles | FileCheck %s

// The field case with an operation before and after the cast: NHWC memory of
// 7 rows is 1x7x336x128, the very tensor that the tile had before, so that of
// the cast nothing is left but a view that states the order, and of the
// relabelling nothing.
#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#rows = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>

// The loops of the generalized operation run along that memory, too.
// CHECK: #[[ID:map[0-9]*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @field
// CHECK-SAME: (%[[X:.*]]: tensor<1x28x336x128xf16>) -> tensor<1x128x28x336xf16> attributes {npu.tiles = 4 : i64}
// CHECK: npu.transfer %[[X]][0, 7, 0, 0] from ddr to tile 1 into %{{.*}}[0, 0, 0, 0] box [0:1, 7:14, 0:336, 0:128] bytes = 602112
// CHECK: %[[DOUBLE:.*]] = linalg.add {npu.tile = 1 : i64}
// CHECK-NOT: npu.transfer
// CHECK-NOT: transpose
// CHECK-NOT: tensor.{{.*}}_s
// CHECK: %[[VIEW:.*]] = npu.permute_cast %[[DOUBLE]] mem_perm = [0, 1, 2, 3] {npu.order = array<i64: 0, 2, 3, 1>, npu.tile = 1 : i64}
// CHECK-NOT: npu.transfer
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]]]{{.*}} ins(%[[VIEW]] : tensor<1x7x336x128xf16>)
// CHECK-SAME: npu.tile = 1
// CHECK: npu.transfer %{{.*}}[0, 0, 0, 0] from tile 1 to ddr into %{{.*}}[0, 0, 7, 0] box [0:1, 0:128, 7:14, 0:336] bytes = 602112 {source_order = array<i64: 0, 2, 3, 1>}
func.func @field(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #rows> {
  %e = tensor.empty() : tensor<1x28x336x128xf16, #heads>
  %a = linalg.add ins(%x, %x : tensor<1x28x336x128xf16, #heads>, tensor<1x28x336x128xf16, #heads>)
      outs(%e : tensor<1x28x336x128xf16, #heads>) -> tensor<1x28x336x128xf16, #heads>
  %c = npu.permute_cast %a mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows>
  %f = tensor.empty() : tensor<1x128x28x336xf16, #rows>
  %b = linalg.negf ins(%c : tensor<1x128x28x336xf16, #rows>)
      outs(%f : tensor<1x128x28x336xf16, #rows>) -> tensor<1x128x28x336xf16, #rows>
  return %b : tensor<1x128x28x336xf16, #rows>
}

// -----

// A permute_cast that only moves a dimension of extent 1 is a reshape.
#a = #npu.layout<SEGMENTED, tiles = [1, 2, 1]>
#b = #npu.layout<SEGMENTED, tiles = [2, 1, 1]>

// CHECK-LABEL: func.func @reshape_and_nothing_else
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %t0 {{\[\[}}0, 1, 2]] {npu.extents = array<i64: 1, 4, 3>, npu.tile = 0 : i64} : tensor<1x2x3xf32> into tensor<6xf32>
// CHECK: tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1, 2]] output_shape [2, 1, 3] {npu.begin = array<i64: 0, 0, 0>, npu.tile = 0 : i64} : tensor<6xf32> into tensor<2x1x3xf32>
func.func @reshape_and_nothing_else(%x: tensor<1x4x3xf32, #a>) -> tensor<4x1x3xf32, #b> {
  %0 = npu.permute_cast %x mem_perm = [1, 0, 2] : tensor<1x4x3xf32, #a> to tensor<4x1x3xf32, #b>
  return %0 : tensor<4x1x3xf32, #b>
}

// -----

// A halo: the tile keeps what it has and receives one row from each neighbour.
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#halo = #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>

// CHECK-LABEL: func.func @halo
// CHECK: %[[NEW:.*]] = tensor.empty() {npu.tile = 0 : i64} : tensor<5x4xf32>
// CHECK: %[[OWN:.*]] = tensor.insert_slice %t0 into %[[NEW]][0, 0] [4, 4] [1, 1] {npu.tile = 0 : i64}
// CHECK: npu.transfer %t0[3, 0] from tile 0 to tile 1 into %{{.*}}[0, 0] box [3:4, 0:4] bytes = 16
// CHECK: npu.transfer %t1[0, 0] from tile 1 to tile 0 into %[[OWN]][4, 0] box [4:5, 0:4] bytes = 16
func.func @halo(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #halo> {
  %0 = npu.redistribute %x : tensor<8x4xf32, #rows> to tensor<8x4xf32, #halo>
  return %0 : tensor<8x4xf32, #halo>
}

// -----

// A padding at the tensor's edge belongs to the tile at the edge.
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#padded = #npu.layout<SEGMENTED, compute = [[0:5, 0:4], [5:10, 0:4]]>

// CHECK-LABEL: func.func @pad
// CHECK: linalg.fill {npu.tile = 0 : i64}
// CHECK: tensor.insert_slice %t0 into %{{.*}}[1, 0] [4, 4] [1, 1] {npu.begin = array<i64: 0, 0>, npu.of = [[OF:[0-9]+]] : i64, npu.offset = array<i64: 1, 0>, npu.tile = 0 : i64}
// CHECK: linalg.fill {npu.tile = 1 : i64}
// CHECK: tensor.insert_slice %t1 into %{{.*}}[0, 0] [4, 4] [1, 1] {npu.begin = array<i64: 5, 0>, npu.of = [[OF]] : i64, npu.offset = array<i64: 1, 0>, npu.tile = 1 : i64}
func.func @pad(%x: tensor<8x4xf32, #rows>) -> tensor<10x4xf32, #padded> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x4xf32, #rows> to tensor<10x4xf32, #padded>
  return %0 : tensor<10x4xf32, #padded>
}

// -----

// Indices count from the beginning of the whole, on every tile.
#rows = #npu.layout<SEGMENTED, tiles = [2]>

// CHECK-LABEL: func.func @iota
// CHECK: npu.tile = 0
// CHECK-NOT: arith.addi
// CHECK: npu.tile = 1
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: arith.addi %[[I]], %[[FOUR]] : index
func.func @iota() -> tensor<8xi64, #rows> {
  %e = tensor.empty() : tensor<8xi64, #rows>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<8xi64, #rows>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<8xi64, #rows>
  return %0 : tensor<8xi64, #rows>
}

// -----

// A loop carries every tile's part.
#rows = #npu.layout<SEGMENTED, tiles = [2]>

// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} iter_args(%[[P0:.*]] = %t0, %[[P1:.*]] = %t1) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: linalg.add {npu.tile = 0 : i64} ins(%[[P0]], %[[P0]]
// CHECK: linalg.add {npu.tile = 1 : i64} ins(%[[P1]], %[[P1]]
// CHECK: scf.yield
func.func @loop(%x: tensor<8xf32, #rows>, %n: index) -> tensor<8xf32, #rows> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32, #rows>
  %0 = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> tensor<8xf32, #rows> {
    %1 = linalg.add ins(%v, %v : tensor<8xf32, #rows>, tensor<8xf32, #rows>)
        outs(%e : tensor<8xf32, #rows>) -> tensor<8xf32, #rows>
    scf.yield %1 : tensor<8xf32, #rows>
  }
  return %0 : tensor<8xf32, #rows>
}

// -----

// Fewer rows than tiles: the last tile has an empty tensor and nothing to do.
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>

// CHECK-LABEL: func.func @empty_tile
// CHECK: tensor.empty() {npu.tile = 3 : i64} : tensor<0x4xf32>
// CHECK-NOT: linalg.exp {npu.tile = 3
// CHECK: return
func.func @empty_tile(%x: tensor<3x4xf32, #rows>) -> tensor<3x4xf32, #rows> {
  %e = tensor.empty() : tensor<3x4xf32, #rows>
  %0 = linalg.exp ins(%x : tensor<3x4xf32, #rows>) outs(%e : tensor<3x4xf32, #rows>) -> tensor<3x4xf32, #rows>
  return %0 : tensor<3x4xf32, #rows>
}

// -----

// A transpose by the identity is no reason to forget that the sides' layouts
// differ.
#halo = #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// CHECK-LABEL: func.func @identity_transpose
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x4xf32>) outs(%{{.*}} : tensor<4x4xf32>)
func.func @identity_transpose(%x: tensor<8x4xf32, #halo>) -> tensor<8x4xf32, #rows> {
  %e = tensor.empty() : tensor<8x4xf32, #rows>
  %0 = linalg.transpose ins(%x : tensor<8x4xf32, #halo>) outs(%e : tensor<8x4xf32, #rows>)
      permutation = [0, 1]
  return %0 : tensor<8x4xf32, #rows>
}

// -----

// What the model slices says so also at offset 0, with the sizes and strides of
// the model: only such a slice may be shorter than what a reduction takes it from.
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// CHECK-LABEL: func.func @first_columns
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, 5] [1, 1] {npu.of = [[OF:[0-9]+]] : i64, npu.offset = array<i64: 0, 0, 8, 5, 1, 1>, npu.tile = 0 : i64}
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, 5] [1, 1] {npu.of = [[OF]] : i64, npu.offset = array<i64: 0, 0, 8, 5, 1, 1>, npu.tile = 1 : i64}
func.func @first_columns(%x: tensor<8x6xf32, #rows>) -> tensor<8x5xf32, #rows> {
  %s = tensor.extract_slice %x[0, 0] [8, 5] [1, 1] : tensor<8x6xf32, #rows> to tensor<8x5xf32, #rows>
  return %s : tensor<8x5xf32, #rows>
}
