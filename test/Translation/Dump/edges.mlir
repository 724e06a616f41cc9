// Every kind of edge, with its verdict.
//
// RUN: not npu-translate --explain-npu-dump %s --all | %unfolded | FileCheck %s

#NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>

// CHECK: bad edges: 7

!Plain = tensor<1x16x62x62xf16, {order = #NHWC}>
!Stub = tensor<1x16x62x62xf16, {mem_space = @CMX_NN, order = #NHWC}>
!OutStub = tensor<1x48x62x62xf16, {mem_space = @CMX_NN, order = #NHWC}>
!Window = !VPU.DistributedTensor<
    1x16x62x62xf16, #NHWC, @CMX_NN, {
    mode = "OVERLAPPED",
    num_tiles = [1, 1, 4, 1],
    kernel = [3, 3],
    pads = #VPU.Padding<left = 1 , right = 1, top = 1, bottom = 1>,
    strides = [1, 1],
    num_clusters = 4
}>
!Rows = !VPU.DistributedTensor<1x16x62x62xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64}>
!RowsSpelled = !VPU.DistributedTensor<1x16x62x62xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64,
    compute_shapes = [[1, 16, 16, 62], [1, 16, 16, 62], [1, 16, 16, 62], [1, 16, 14, 62]], compute_offsets = [[0, 0, 0, 0], [0, 0, 16, 0], [0, 0, 32, 0], [0, 0, 48, 0]],
    memory_shapes = [[1, 16, 16, 62], [1, 16, 16, 62], [1, 16, 16, 62], [1, 16, 14, 62]], memory_offsets = [[0, 0, 0, 0], [0, 0, 16, 0], [0, 0, 32, 0], [0, 0, 48, 0]]}>
!Columns = !VPU.DistributedTensor<1x16x62x62xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 1, 4], num_clusters = 4 : i64}>
!Out = !VPU.DistributedTensor<1x48x62x62xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
!OutColumns = !VPU.DistributedTensor<1x48x62x62xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 1, 4], num_clusters = 4}>
!Weights = !VPU.DistributedTensor<48x16x3x3xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 4}>
!Table = !VPU.DistributedTensor<48x1x1x4xsi32, #NCHW, @CMX_NN, {mode = "DUPLICATED", num_clusters = 4}>
!Wide = !VPU.DistributedTensor<1x32x62x62xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64}>
!Flat = !VPU.DistributedTensor<1x32x31x124xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64}>
!FlatColumns = !VPU.DistributedTensor<1x32x31x124xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 1, 4], num_clusters = 4 : i64}>
!Everywhere = !VPU.DistributedTensor<1x48x62x62xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 4}>
!Channels = !VPU.DistributedTensor<1x48x62x62xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED|DUPLICATED", num_tiles = [1, 4, 1, 1], num_clusters = 4, alignment = [1, 4, 1, 1]}>

func.func @edges(%arg0: !Plain, %w: !Weights, %wt: !Table) -> !Out {
    // Inside a cluster tiling the names are others, and the types have no
    // distribution: the outer ones count.
    %0 = VPU.NCE.ClusterTiling (%arg0 as %arg3: !Plain) -> !Window {
        %0 = VPU.Copy(%arg3) { out_mem_space = @CMX_NN } : !Plain -> !Stub
        VPU.Yield %0
    }
// CHECK-DAG: VPU.Copy from %arg0 to %0: data moves, 134912 bytes (bound 123008): tiles load from DDR, which reads 134912 bytes; they receive 134912 bytes in all, at most 35712 bytes each
    %1 = VPU.NCE.ClusterTiling (
              %0 as %arg4: !Stub,
              %w as %arg5: !Weights,
              %wt as %arg6: !Table)
              -> !Out {
      %0 = VPU.NCE.Convolution(%arg4, %arg5, %arg6) {
              pad = #VPU.Padding<left = 1 : i64, right = 1 : i64, top = 1 : i64, bottom = 1 : i64>,
              rawFilterShape = [48, 16, 3, 3],
              strides = [1, 1]
          } -> !OutStub {
              VPU.DPU.Workload outOffsets [0, 0, 0, 0] outSizes [1, 48, 11,  62] <left = 1 : i64, right = 1 : i64, top = 1 : i64, bottom = 0 : i64> #VPU.mpe_mode<CUBOID_4x16> attributes {cluster_id = 0 : i64}
          }
      VPU.Yield %0
    }
// CHECK-DAG: VPU.NCE.Convolution from %0 to %1: the same, 0 bytes (bound 0): every tile holds what it reads
// CHECK-DAG: VPU.NCE.Convolution from %w to %1: the same
// CHECK-DAG: VPU.NCE.Convolution from %wt to %1: the same

    // Without the rows that the window reads beside a tile's own.
    %s = VPU.DistributedCast(%0 : !Window) -> !Rows
// CHECK-DAG: VPU.DistributedCast from %0 to %s: a narrowing, 0 bytes
    %2 = VPU.NCE.Convolution(%s, %w, %wt) {pad = #VPU.Padding<left = 1 : i64, right = 1 : i64, top = 1 : i64, bottom = 1 : i64>, rawFilterShape = [48, 16, 3, 3], strides = [1, 1]} -> !Out
// CHECK-DAG: VPU.NCE.Convolution from %s to %2: data moves, 11904 bytes (bound 11904): tile 0 holds [0:1, 0:16, 0:16, 0:62], and reads [0:1, 0:16, 0:17, 0:62]
    // A depthwise operation reads the channels that it makes.
    %dw = VPU.NCE.MaxPool(%1, %wt) {kernel_size = [1, 1], pad = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, strides = [1, 1]} -> !OutColumns
// CHECK-DAG: VPU.NCE.MaxPool from %1 to %dw: data moves, 276480 bytes
    %ew = VPU.NCE.Eltwise(%1, %2) {op_type = #VPU.eltwise_type<ADD>} -> !Out
// CHECK-DAG: VPU.NCE.Eltwise from %1 to %ew: the same
// CHECK-DAG: VPU.NCE.Eltwise from %2 to %ew: the same

    // A part along a dimension that is not split, and another one.
    %3 = VPU.Slice %2 [0, 0, 0, 0] [1, 16, 62, 62] : !Out to !Rows
    %4 = VPU.Slice %2 [0, 16, 0, 0] [1, 16, 62, 62] : !Out to !Rows
// CHECK-DAG: VPU.Slice from %2 to %4: the same
    %5 = VPU.Concat(%3, %4) {static_offsets = [[0, 0, 0, 0], [0, 16, 0, 0]]} : !Rows, !Rows -> !Wide
// CHECK-DAG: VPU.Concat from %4 to %5: the same
    %per = VPU.Concat(%3, %4) {per_axis = #IE.Concat<axis = 1 : i64>} : !Rows, !Rows -> !Wide
// CHECK-DAG: VPU.Concat from %4 to %per: the same
    %half = VPU.Slice %2 [0, 0, 31, 0] [1, 48, 31, 62] : !Out to !VPU.DistributedTensor<1x48x31x62xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
// CHECK-DAG: VPU.Slice from %2 to %half: data moves, 136896 bytes{{.*}}tile 0 holds nothing, and the slice declares [0:1, 0:48, 0:8, 0:62]

    // The same memory under another shape.
    %6 = VPU.ShapeCast {shape = [1, 32, 31, 124]} inputs(%5 : !Wide) -> !Flat
// CHECK-DAG: VPU.ShapeCast from %5 to %6: the same, 0 bytes (bound 0): every tile holds the same memory under both shapes
    %7 = VPU.ShapeCast {shape = [1, 32, 31, 124]} inputs(%5 : !Wide) -> !FlatColumns
// CHECK-DAG: VPU.ShapeCast from %5 to %7: data moves, {{[0-9]+}} bytes

    // One distribution, once as a rule and once as boxes.
    %8 = VPU.QuantizeCast(%3) {dstElemType = f16} : !Rows -> !RowsSpelled
// CHECK-DAG: VPU.QuantizeCast from %3 to %8: the same, 0 bytes (bound 0): every tile holds the same boxes, which are spelled in two ways
    %9 = VPU.QuantizeCast(%3) {dstElemType = f16} : !Rows -> !Columns
// CHECK-DAG: VPU.QuantizeCast from %3 to %9: data moves, 92160 bytes

    // Through DDR and back.
    %10 = VPU.Copy(%2) : !Out -> tensor<1x48x62x62xf16, {order = #NHWC}>
    %11 = VPU.Copy(%10) {out_mem_space = @CMX_NN} : tensor<1x48x62x62xf16, {order = #NHWC}> -> !OutColumns
// CHECK-DAG: through DDR and back: 1 tensor, 1107072 bytes, which direct transfers would save; 552960 bytes would move between tiles instead
    // Every tile has it already, under another label.
    %12 = VPU.DistributedCast(%ch) : !Channels -> !Everywhere
// CHECK-DAG: VPU.DistributedCast from %ch to %12: label only, 0 bytes
// CHECK-DAG: %ch = undefined
    // Devices with another way to say a copy.
    %u = VPU.UnrolledType(%10 : tensor<1x48x62x62xf16, {order = #NHWC}>) -> !OutColumns
// CHECK-DAG: VPU.UnrolledType from %10 to %u: data moves, 369024 bytes
    // Nobody knows what it reads.
    %13 = VPU.SoftMax(%12) {axisInd = 1} : !Everywhere -> !Everywhere
// CHECK-DAG: VPU.SoftMax from %12 to %13: cannot tell, 0 bytes (bound 0): it is not known which part of its operands 'VPU.SoftMax' reads
    %14 = VPU.Gelu(%12) : !Everywhere -> !Out
// CHECK-DAG: VPU.Gelu from %12 to %14: the same
    // A mem_perm that would move bytes.
    %15 = VPU.PermuteCast(%3) {dst_order = #NCHW, mem_perm = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>} : !Rows -> !VPU.DistributedTensor<1x62x62x16xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
// CHECK-DAG: VPU.PermuteCast from %3 to %15: cannot tell{{.*}}mem_perm changes the order of entries in memory
    // Another tile than the cast gives it to.
    %16 = VPU.PermuteCast(%3) {dst_order = #NCHW, mem_perm = #NCHW} : !Rows -> !VPU.DistributedTensor<1x62x62x16xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
// CHECK-DAG: VPU.PermuteCast from %3 to %16: data moves, 92160 bytes
    return %1 : !Out
}
