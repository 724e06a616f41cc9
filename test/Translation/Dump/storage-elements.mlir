// An operation of the matrix engine that reads through a storage element table
// has its window in the table's coordinates, and the table decides which part
// of the data each tile reads.
//
// RUN: not npu-translate --explain-npu-dump %s --all | %unfolded | FileCheck %s

#NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>

// CHECK: bad edges: 2
// CHECK: device: NPU40XX, by the module

!Wide = !VPU.DistributedTensor<1x16x10x10xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
!Filter = !VPU.DistributedTensor<16x16x4x4xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2}>

// Of 22 rows over 5, 0:12 point to the rows 0:3 and 10:22 to 2:5.
!Data = !VPU.DistributedTensor<1x16x5x5xf16, #NHWC, @CMX_NN, {mode = "OVERLAPPED", num_tiles = [1, 1, 2, 1], num_clusters = 2,
    compute_shapes = [[1, 16, 3, 5], [1, 16, 2, 5]], compute_offsets = [[0, 0, 0, 0], [0, 0, 3, 0]],
    memory_shapes = [[1, 16, 3, 5], [1, 16, 3, 5]], memory_offsets = [[0, 0, 0, 0], [0, 0, 2, 0]]}>
!Map = !VPU.DistributedTensor<1x16x22x22xi1, #NHWC, @CMX_NN, {mode = "OVERLAPPED", num_tiles = [1, 1, 2, 1], num_clusters = 2,
    compute_shapes = [[1, 16, 11, 22], [1, 16, 11, 22]], compute_offsets = [[0, 0, 0, 0], [0, 0, 11, 0]],
    memory_shapes = [[1, 16, 12, 22], [1, 16, 12, 22]], memory_offsets = [[0, 0, 0, 0], [0, 0, 10, 0]]}>
!Table = !VPU.DistributedTensor<1x1x22x22xi32, #NHWC, @CMX_NN, {mode = "OVERLAPPED", num_tiles = [1, 1, 2, 1], num_clusters = 2,
    compute_shapes = [[1, 1, 11, 22], [1, 1, 11, 22]], compute_offsets = [[0, 0, 0, 0], [0, 0, 11, 0]],
    memory_shapes = [[1, 1, 12, 22], [1, 1, 12, 22]], memory_offsets = [[0, 0, 0, 0], [0, 0, 10, 0]]}>
// Half of the rows each: tile 1 lacks row 2.
!Halves = !VPU.DistributedTensor<1x16x5x5xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>

!Twice = !VPU.SparseTensor<data=!Data, sparsity_map=!Map, storage_element_table=!Table,
    #VPU.SEInterpolate<mode = <BILINEAR>, coordinate_transformation_mode = <PYTORCH_HALF_PIXEL>,
                       scale = [1.0, 1.0, 2.000000e+00, 2.0], offsets = [0, 0, 0, 0], sizes = [1, 16, 22, 22]>>
!TwiceHalves = !VPU.SparseTensor<data=!Halves, sparsity_map=!Map, storage_element_table=!Table,
    #VPU.SEInterpolate<mode = "BILINEAR", coordinate_transformation_mode = "HALF_PIXEL", scale = [1.0, 1.0, 2.0, 2.0]>>
!Other = !VPU.SparseTensor<data=!Halves, sparsity_map=!Map, storage_element_table=!Table, #VPU.SEDilatedConv<dilation = [2, 2]>>

module @tensors attributes {VPU.arch = #VPU.arch_kind<NPU40XX>} {
func.func @interpolate(%twice: !Twice, %halves: !TwiceHalves, %other: !Other, %w: !Filter) {
  %0 = VPU.NCE.Interpolate(%twice, %w) {rawFilterShape = [16, 16, 4, 4], strides = [2, 2], mode = #VPU.nce_interpolate_mode<BILINEAR>} -> !Wide
// CHECK: VPU.NCE.Interpolate from %twice to %0: the same, 0 bytes (bound 0): every tile holds what it reads through its storage element table, which is an interpolation by 2, 2, to compute its part of the result
  %1 = VPU.NCE.Convolution(%halves, %w) {rawFilterShape = [16, 16, 4, 4], strides = [2, 2], pad = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>} -> !Wide
// CHECK: VPU.NCE.Convolution from %halves to %1: data moves, 160 bytes (bound 160): tile 1 holds [0:1, 0:16, 3:5, 0:5], and reads [0:1, 0:16, 2:5, 0:5] through its storage element table
  %2 = VPU.NCE.Convolution(%other, %w) {rawFilterShape = [16, 16, 4, 4], strides = [2, 2], pad = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>} -> !Wide
// CHECK: VPU.NCE.Convolution from %other to %2: cannot tell, 0 bytes (bound 0): it is not known what its storage element table, #VPU.SEDilatedConv, points to
  return
}

// Zeros between two entries, a mirror at the edges, and rows that roll around.
!Rows = !VPU.DistributedTensor<1x16x8x8xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
!Everywhere = !VPU.DistributedTensor<1x16x8x8xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2}>
!Spread = !VPU.SparseTensor<data=!Rows, sparsity_map=tensor<1x16x16x16xi1>, #VPU.SEUpsampling<factors = [1, 1], padding = [1, 1, 0, 0]>>
!Mirrored = !VPU.SparseTensor<data=!Rows, sparsity_map=tensor<1x16x12x12xi1>, #VPU.SEPadding<mode = <REFLECT>, padding = [2, 2, 2, 2]>>
!Rolled = !VPU.SparseTensor<data=!Everywhere, sparsity_map=tensor<1x16x8x8xi1>, #VPU.SERoll<shift = [6, 5], axes = [2, 3]>>
!Point = !VPU.DistributedTensor<16x16x1x1xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2}>
!R16 = !VPU.DistributedTensor<1x16x16x16xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
!R12 = !VPU.DistributedTensor<1x16x12x12xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
// CHECK: @others
func.func @others(%spread: !Spread, %mirrored: !Mirrored, %rolled: !Rolled, %w: !Point) {
  %0 = VPU.NCE.Convolution(%spread, %w) {rawFilterShape = [16, 16, 1, 1], strides = [1, 1], pad = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>} -> !R16
// Rows 8:16 of 16, with a row before them, point to the rows 3:8.
// CHECK: VPU.NCE.Convolution from %spread to %0: data moves, 256 bytes (bound 256): tile 1 holds [0:1, 0:16, 4:8, 0:8], and reads [0:1, 0:16, 3:8, 0:8] through its storage element table, which is an upsampling with 1, 1 zeros between
  %1 = VPU.NCE.Convolution(%mirrored, %w) {rawFilterShape = [16, 16, 1, 1], strides = [1, 1], pad = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>} -> !R12
// CHECK: VPU.NCE.Convolution from %mirrored to %1: the same
  %2 = VPU.NCE.Convolution(%rolled, %w) {rawFilterShape = [16, 16, 1, 1], strides = [1, 1], pad = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>} -> !Rows
// CHECK: VPU.NCE.Convolution from %rolled to %2: the same
  return
}
}

// -----
// Among buffers the table is an operand, and what is in it stands in memory:
// its extents are those of an interpolation. A guess finds no fault.
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!Data = !VPUIP.DistributedBuffer<1x16x5x5xf16, #NHWC, @CMX_NN, {mode = "OVERLAPPED", num_tiles = [1, 1, 2, 1], num_clusters = 2,
    compute_shapes = [[1, 16, 3, 5], [1, 16, 2, 5]], compute_offsets = [[0, 0, 0, 0], [0, 0, 3, 0]],
    memory_shapes = [[1, 16, 3, 5], [1, 16, 3, 5]], memory_offsets = [[0, 0, 0, 0], [0, 0, 2, 0]]}>
!Halves = !VPUIP.DistributedBuffer<1x16x5x5xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
!Map = !VPUIP.DistributedBuffer<1x16x22x22xi1, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2}>
!Table = !VPUIP.DistributedBuffer<1x1x22x22xi32, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2}>
!Filter = !VPUIP.DistributedBuffer<16x16x4x4xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2}>
!Wide = !VPUIP.DistributedBuffer<1x16x10x10xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
!TableDdr = memref<1x1x22x22xi32, #NHWC, @DDR>
// CHECK: @buffers
func.func @buffers(%data: !Data, %halves: !Halves, %map: !Map, %table: !Table, %w: !Filter, %out: !Wide) {
  %0 = VPUIP.NCEClusterTask {kernel_padding = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, kernel_size = [4, 4], kernel_strides = [2, 2], task_type = #VPUIP.nce_task_type<CONV>}
      input(%data : !Data) input_sparsity_map(%map : !Map) input_storage_element_table(%table : !Table) weights(%w : !Filter)
      parent_input(%data : !Data) parent_output(%out : !Wide) outputs(%out : !Wide) -> !Wide
// CHECK: VPUIP.NCEClusterTask from %data to %0: the same, 0 bytes (bound 0): every tile holds what it reads through its storage element table, which has the extents of an interpolation by 2, 2
// CHECK: VPUIP.NCEClusterTask from %map to %0: the same
// CHECK: VPUIP.NCEClusterTask from %table to %0: the same
  %1 = VPUIP.NCEClusterTask {kernel_padding = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, kernel_size = [4, 4], kernel_strides = [2, 2], task_type = #VPUIP.nce_task_type<CONV>}
      input(%halves : !Halves) input_sparsity_map(%map : !Map) input_storage_element_table(%table : !Table) weights(%w : !Filter)
      parent_input(%halves : !Halves) parent_output(%out : !Wide) outputs(%out : !Wide) -> !Wide
// CHECK: VPUIP.NCEClusterTask from %halves to %1: cannot tell, 0 bytes (bound 0): its storage element table of [1, 1, 22, 22] decides what is read of [1, 16, 5, 5], and the dump does not say what the table points to
  // The attribute of a table goes where the table is copied.
  %se = VPUIP.StorageElementTable {dataElemType = f16, dataShape = [1, 16, 5, 5], seAttr = #VPU.SEInterpolate<mode = <BILINEAR>, coordinate_transformation_mode = <HALF_PIXEL>, scale = [1.0, 1.0, 2.0, 2.0]>, seDepth = 1, seSize = [16]} -> !TableDdr
  %buffer = VPURT.DeclareBuffer <CMX_NN> <0> -> !Table
  %there = VPUIP.NNDMA inputs(%se : !TableDdr) outputs(%buffer : !Table) -> !Table
  %2 = VPUIP.NCEClusterTask {kernel_padding = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, kernel_size = [4, 4], kernel_strides = [2, 2], task_type = #VPUIP.nce_task_type<CONV>}
      input(%data : !Data) input_sparsity_map(%map : !Map) input_storage_element_table(%buffer : !Table) weights(%w : !Filter)
      parent_input(%data : !Data) parent_output(%out : !Wide) outputs(%out : !Wide) -> !Wide
// CHECK: VPUIP.NCEClusterTask from %data to %2: the same, 0 bytes (bound 0): every tile holds what it reads through its storage element table, which is an interpolation by 2, 2
  return
}
