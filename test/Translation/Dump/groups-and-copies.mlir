// Sparse groups pass their parts through; a permuting DMA is a permute cast
// that moves; a load counts what tiles receive besides what DDR reads; and an
// operand without a distribution is whole.
//
// RUN: not npu-translate --explain-npu-dump %s --all | %unfolded | FileCheck %s
// RUN: not npu-translate --explain-npu-dump %s --format=json | FileCheck %s --check-prefix=JSON

// CHECK: bad edges: 1
// CHECK: edges: {{.*}} 0 cannot be told
// CHECK: device: NPU40XX, assumed, because the dump names none; --npu-dump-device=NAME says another one

#NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!Data = !VPU.DistributedTensor<1x16x8x8xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
!Map = !VPU.DistributedTensor<1x16x8x8xi1, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
!MapColumns = !VPU.DistributedTensor<1x16x8x8xi1, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 1, 2], num_clusters = 2}>
!Sparse = !VPU.SparseTensor<data=!Data, sparsity_map=!Map>

// CHECK: @groups
func.func @groups(%data: !Data, %map: !Map, %columns: !MapColumns) {
  %0 = VPU.GroupSparseTensor(%data, %map) -> !Sparse
// CHECK: VPU.GroupSparseTensor from %data to %0: the same, 0 bytes (bound 0): every tile holds the same boxes
// CHECK: VPU.GroupSparseTensor from %map to %0: the same
  %1, %2 = VPU.UngroupSparseTensor(%0) {resultSegmentSizes = array<i32: 1, 1, 0>} -> !Data, !Map
// CHECK: VPU.UngroupSparseTensor from %0 to %1: the same
// CHECK: VPU.UngroupSparseTensor from %0 to %2: the same
  %3 = VPU.GroupSparseTensor(%data, %columns) -> !Sparse
// CHECK: VPU.GroupSparseTensor from %data to %3: the same
// CHECK: VPU.GroupSparseTensor from %columns to %3: data moves, 64 bytes (bound 64): tile 0 holds
  return
}

// With 3 rows of halo the four tiles hold 11, 14, 14 and 11 of 32 rows.
!Rows = !VPUIP.DistributedBuffer<1x32x16x8xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
!Window = !VPUIP.DistributedBuffer<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "OVERLAPPED", num_tiles = [1, 1, 4, 1], kernel = [7, 7], pads = #VPU.Padding<left = 3, right = 3, top = 3, bottom = 3>, strides = [1, 1], num_clusters = 4}>
!Everywhere = !VPUIP.DistributedBuffer<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 4}>
!Point = memref<16x16x1x1xf16, #NHWC, [@CMX_NN, 0]>
!Plain = memref<1x16x32x32xf16, #NHWC, @DDR>
!Slab = memref<1x16x8x32xf16, #NCHW, @DDR>
// CHECK: @copies
func.func @copies(%plain: !Plain, %slab: !Slab, %planes: memref<1x32x16x8xf16, #NCHW, @DDR>, %w: !Point) {
  %0 = VPURT.AllocDistributed -> !Window
  %1 = VPUIP.NNDMA {port = 0} inputs(%plain : !Plain) outputs(%0 : !Window) -> !Window
// CHECK: VPUIP.NNDMA from %plain to %1: data moves, 51200 bytes (bound 32768): tiles load from DDR, which reads 51200 bytes; they receive 51200 bytes in all, at most 14336 bytes each
// JSON: "bytes": 51200,
// JSON-NEXT: "bytes_bound": 32768,
// JSON-NEXT: "bytes_received": 51200,
// JSON-NEXT: "max_tile_received": 14336,
  %2 = VPURT.AllocDistributed -> !Everywhere
  %3 = VPUIP.Copy inputs(%plain : !Plain) outputs(%2 : !Everywhere) -> !Everywhere
// CHECK: VPUIP.Copy from %plain to %3: data moves, 32768 bytes (bound 32768): tiles load from DDR, which reads 32768 bytes; they receive 131072 bytes in all, at most 32768 bytes each
  // In memory, 16x8x32 becomes 8x32x16.
  %4 = VPURT.AllocDistributed -> !Rows
  %5 = VPUIP.PermuteDMA {mem_perm = #NHWC, port = 0} inputs(%planes : memref<1x32x16x8xf16, #NCHW, @DDR>) outputs(%4 : !Rows) -> !Rows
// CHECK: VPUIP.PermuteDMA from %planes to %5: data moves, 8192 bytes (bound 8192): tiles load from DDR, {{.*}}; it permutes the data on their way
  // 16 rows of 32x8 become 16 channels.
  %6 = VPURT.AllocDistributed -> !VPUIP.DistributedBuffer<1x16x8x32xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 4, 1, 1], num_clusters = 4}>
  %7 = VPUIP.PermuteDMA <{mem_perm = #NCHW}> inputs(%5 : !Rows) outputs(%6 : !VPUIP.DistributedBuffer<1x16x8x32xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 4, 1, 1], num_clusters = 4}>) -> !VPUIP.DistributedBuffer<1x16x8x32xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 4, 1, 1], num_clusters = 4}>
// CHECK: VPUIP.PermuteDMA from %5 to %7: the same, 0 bytes (bound 0): every tile holds the same boxes; it permutes the data on their way
  // The weights are whole; and of a whole result no tile holds a part.
  %8 = VPUIP.NCEClusterTask {kernel_padding = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, kernel_size = [1, 1], kernel_strides = [1, 1], task_type = #VPUIP.nce_task_type<CONV>}
      input(%1 : !Window) weights(%w : !Point) outputs(%2 : !Everywhere) -> !Window
// CHECK: VPUIP.NCEClusterTask from %1 to %8: the same
// CHECK: VPUIP.NCEClusterTask from %w to %8: the same, 0 bytes (bound 0): the operand has no distribution: whatever a tile reads of it is in CMX_NN
  %9 = VPUIP.NonDistributedCastOp inputs(%3 : !Everywhere) -> !Plain
  %10 = VPUIP.SW.Kernel @VPU.SW::@builtin inputs(%3 : !Everywhere) outputs(%plain : !Plain) on tile 0 -> !Plain
// CHECK-NOT: to %9
// CHECK-NOT: to %10
// CHECK: VPUIP.Copy from %3 to %11
  %11 = VPUIP.Copy inputs(%3 : !Everywhere) outputs(%plain : !Plain) -> !Plain
  return
}
