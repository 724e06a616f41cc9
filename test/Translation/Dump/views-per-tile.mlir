// A view with explicit_output_shapes has a part of each tile's own buffer: its
// offsets and sizes are sums over tiles, and no box of the whole tensor.
//
// RUN: not npu-translate --explain-npu-dump %s --all | %unfolded | FileCheck %s

// CHECK: bad edges: 2

#NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// 32, 32, 16, 16, 16 and 16 channels.
!Whole = !VPUIP.DistributedBuffer<1x128x16x1xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 6, 1, 1], num_clusters = 6, alignment = [1, 16, 1, 1], uniform_distributed_segments}>
!First = !VPUIP.DistributedBuffer<1x48x16x1xf16, {order = #NCHW, strides = [2048, 16, 1, 1]}, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 6, 1, 1], num_clusters = 6, alignment = [1, 8, 1, 1], uniform_distributed_segments}>
!Second = !VPUIP.DistributedBuffer<1x80x16x1xf16, {order = #NCHW, strides = [2048, 16, 1, 1]}, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 6, 1, 1], num_clusters = 6, uniform_distributed_segments,
    compute_shapes = [[1, 24, 16, 1], [1, 24, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1]],
    compute_offsets = [[0, 0, 0, 0], [0, 24, 0, 0], [0, 48, 0, 0], [0, 56, 0, 0], [0, 64, 0, 0], [0, 72, 0, 0]],
    memory_shapes = [[1, 24, 16, 1], [1, 24, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1]],
    memory_offsets = [[0, 0, 0, 0], [0, 24, 0, 0], [0, 48, 0, 0], [0, 56, 0, 0], [0, 64, 0, 0], [0, 72, 0, 0]]}>
// As many in all, and otherwise divided.
!Uneven = !VPUIP.DistributedBuffer<1x80x16x1xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 6, 1, 1], num_clusters = 6,
    compute_shapes = [[1, 40, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1]],
    compute_offsets = [[0, 0, 0, 0], [0, 40, 0, 0], [0, 48, 0, 0], [0, 56, 0, 0], [0, 64, 0, 0], [0, 72, 0, 0]],
    memory_shapes = [[1, 40, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1]],
    memory_offsets = [[0, 0, 0, 0], [0, 40, 0, 0], [0, 48, 0, 0], [0, 56, 0, 0], [0, 64, 0, 0], [0, 72, 0, 0]]}>

// CHECK: @halves
func.func @halves(%whole: !Whole, %another: !Whole) {
  // The first one says nothing of tiles; the second one, of the same buffer,
  // does, so that both are parts of each tile's own.
  %first = VPUIP.SubView %whole [0, 0, 0, 0] [1, 48, 16, 1] : !Whole to !First
  %second = VPUIP.SubView %whole [0, 48, 0, 0] [1, 80, 16, 1] {explicit_output_shapes = [[1, 24, 16, 1], [1, 24, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1]]} : !Whole to !Second
  %both = VPUIP.ConcatView inputs(%first, %second : !First, !Second) outputs(%whole : !Whole) -> !Whole
// CHECK: VPUIP.SubView from %whole to %first: a narrowing, 0 bytes (bound 0): every tile takes a part of its own buffer: tile 0 takes [1, 8, 16, 1] of its own [1, 32, 16, 1]
// CHECK: VPUIP.SubView from %whole to %second: a narrowing, 0 bytes (bound 0): every tile takes a part of its own buffer: tile 0 takes [1, 24, 16, 1] of its own [1, 32, 16, 1]
// CHECK: VPUIP.ConcatView from %first to %both: the same, 0 bytes (bound 0): every tile has a part of its own buffer
// CHECK: VPUIP.ConcatView from %second to %both: the same
  // More than the tile takes, which is 24 of 40 channels.
  %bad = VPUIP.SubView %whole [0, 48, 0, 0] [1, 80, 16, 1] {explicit_output_shapes = [[1, 24, 16, 1], [1, 24, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1], [1, 8, 16, 1]]} : !Whole to !Uneven
// CHECK: VPUIP.SubView from %whole to %bad: data moves, 512 bytes (bound 512): tile 0 takes [1, 24, 16, 1] of its own [1, 32, 16, 1], and the result declares [1, 40, 16, 1]
  // Of another buffer nothing says so, and the numbers are a box of the whole.
  %logical = VPUIP.SubView %another [0, 0, 0, 0] [1, 48, 16, 1] : !Whole to !First
// CHECK: VPUIP.SubView from %another to %logical: data moves, {{[0-9]+}} bytes
  return
}
