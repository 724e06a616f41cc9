// Indexing maps of a tile's part: the tile's loops begin at 0, and so do its
// parts of the operands, wherever they lie in the whole.
//
// RUN: npu-opt %s --split-input-file --npu-legalize-distributions --npu-lower-to-tiles | FileCheck %s
// RUN: npu-opt %s --split-input-file --npu-legalize-distributions --npu-lower-to-tiles --remarks-filter=npu --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Four key-value heads for 28 query heads on three tiles: tile 1 has heads 10
// to 18, and its first seven-fold is 1 head short of three.
#heads = #npu.layout<SEGMENTED, tiles = [3, 1]>
#everywhere = #npu.layout<DUPLICATED, tiles = 3>

// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1) -> (d0 floordiv 7, d1)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1) -> ((d0 + 10) floordiv 7 - 1, d1)>
// CHECK-LABEL: func.func @repeat_heads
// CHECK: linalg.generic {indexing_maps = [#[[FIRST]], {{.*}}ins(%{{.*}} : tensor<2x8xf32>)
// CHECK-SAME: npu.tile = 0
// CHECK: linalg.generic {indexing_maps = [#[[SECOND]], {{.*}}ins(%{{.*}} : tensor<2x8xf32>)
// CHECK-SAME: npu.tile = 1
func.func @repeat_heads(%k: tensor<4x8xf32, #everywhere>) -> tensor<28x8xf32, #heads> {
  %e = tensor.empty() : tensor<28x8xf32, #heads>
  %y = linalg.generic {indexing_maps = [affine_map<(h, d) -> (h floordiv 7, d)>, affine_map<(h, d) -> (h, d)>],
      iterator_types = ["parallel", "parallel"]} ins(%k : tensor<4x8xf32, #everywhere>) outs(%e : tensor<28x8xf32, #heads>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<28x8xf32, #heads>
  return %y : tensor<28x8xf32, #heads>
}

// -----

// Reversed, a constant, and an output of which every other row is written: the
// others stay what the tile had.
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// CHECK-DAG: #[[REVERSED:.*]] = affine_map<(d0, d1) -> (-d0 + 3, 0)>
// CHECK-DAG: #[[ODD:.*]] = affine_map<(d0, d1) -> (d0 * 2, d1)>
// CHECK-LABEL: func.func @reversed_into_odd_rows
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[INIT:.*]][1, 0] [7, 4] [1, 1] {npu.begin = array<i64: 0, 0>, npu.of = {{[0-9]+}} : i64, npu.offset = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<8x4xf32> to tensor<7x4xf32>
// CHECK: %[[PART:.*]] = linalg.generic {indexing_maps = [#[[REVERSED]], {{.*}}, #[[ODD]]]{{.*}} outs(%[[SLICE]] : tensor<7x4xf32>)
// CHECK: tensor.insert_slice %[[PART]] into %[[INIT]][1, 0] [7, 4] [1, 1] {npu.begin = array<i64: 0, 0>, npu.of = {{[0-9]+}} : i64, npu.offset = array<i64: 1, 0>, npu.tile = 0 : i64}
func.func @reversed_into_odd_rows(%x: tensor<8x4xf32, #rows>, %init: tensor<16x4xf32, #rows>) -> tensor<16x4xf32, #rows> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (7 - i, 2)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i * 2 + 1, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) outs(%init : tensor<16x4xf32, #rows>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<16x4xf32, #rows>
  return %y : tensor<16x4xf32, #rows>
}

// -----

// What writes the first 5 of 8 entries at i * 4 + j is no box of iterations:
// each row of four is cut at another place. It falls back to the host.
#uneven = #npu.layout<SEGMENTED, compute = [[0:5], [5:8]]>

// REMARK: remark: [Analysis] left-alone {{.*}}Function=no_box_writes_it | Reason="no box of iterations of 'linalg.generic' writes only what a tile holds of its results"
// REMARK: remark: [Missed] gather {{.*}}Function=no_box_writes_it
// CHECK-LABEL: func.func @no_box_writes_it
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}} : tensor<2x4xf32>) outs(%{{.*}} : tensor<8xf32>)
func.func @no_box_writes_it(%x: tensor<2x4xf32>, %init: tensor<8xf32, #uneven>) -> tensor<8xf32, #uneven> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i * 4 + j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x4xf32>) outs(%init : tensor<8xf32, #uneven>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32, #uneven>
  return %y : tensor<8xf32, #uneven>
}

// -----

// At a division or a remainder of loops no index follows from them: a part of
// such a dimension says where it begins, a slice as well as all that a tile has.
// CHECK-LABEL: func.func @part_at_a_division
// CHECK: tensor.extract_slice %{{.*}}[1] [1] [1] {npu.begin = array<i64: 1>, npu.tile = 0 : i64} : tensor<3xi32> to tensor<1xi32>
// CHECK: linalg.generic
func.func @part_at_a_division(%x: tensor<3xi32, #npu.layout<DUPLICATED, tiles = 1>>, %init: tensor<2xi32, #npu.layout<DUPLICATED, tiles = 1>>)
    -> tensor<2xi32, #npu.layout<DUPLICATED, tiles = 1>> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> ((i + 1) ceildiv 4)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xi32, #npu.layout<DUPLICATED, tiles = 1>>) outs(%init : tensor<2xi32, #npu.layout<DUPLICATED, tiles = 1>>) {
  ^bb0(%v: i32, %o: i32):
    linalg.yield %v : i32
  } -> tensor<2xi32, #npu.layout<DUPLICATED, tiles = 1>>
  return %y : tensor<2xi32, #npu.layout<DUPLICATED, tiles = 1>>
}

// -----

// Rows 2 and 3 of four, of which tile 1 has nothing else.
#rows = #npu.layout<SEGMENTED, tiles = [2]>

// CHECK-LABEL: func.func @all_at_a_division
// CHECK: npu.permute_cast %{{.*}} {npu.begin = array<i64: 2>, npu.tile = 1 : i64} : tensor<2xi32> to tensor<2xi32>
// CHECK: linalg.generic
func.func @all_at_a_division(%x: tensor<4xi32, #rows>, %init: tensor<8xi32, #rows>) -> tensor<8xi32, #rows> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi32, #rows>) outs(%init : tensor<8xi32, #rows>) {
  ^bb0(%v: i32, %o: i32):
    linalg.yield %v : i32
  } -> tensor<8xi32, #rows>
  return %y : tensor<8xi32, #rows>
}


// -----

// A tensor that nobody has written, of which every entry is written from the
// last to the first: the tile makes its part with the indices of the loops, and
// views nothing that is not there.
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// CHECK-LABEL: func.func @reversed_into_nothing
// CHECK: %[[PART:.*]] = tensor.empty() {npu.begin = array<i64: 2, -3>, npu.tile = 1 : i64} : tensor<2x4xf32>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[PART]] : tensor<2x4xf32>)
func.func @reversed_into_nothing(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows> {
  %e = tensor.empty() : tensor<4x4xf32, #rows>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 3 - j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4x4xf32, #rows>
  return %y : tensor<4x4xf32, #rows>
}
