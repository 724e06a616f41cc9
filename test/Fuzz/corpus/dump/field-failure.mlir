// -----// IR Dump Before FinalizePermute (finalize-permute) //----- //
#NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!Heads = !VPU.DistributedTensor<1x28x336x128xf16, #NCHW, @CMX_NN, {
    mode = "SEGMENTED", num_tiles = [1, 4, 1, 1], num_clusters = 4 : i64, uniform_distributed_segments,
    compute_shapes = [[1, 7, 336, 128], [1, 7, 336, 128], [1, 7, 336, 128], [1, 7, 336, 128]],
    compute_offsets = [[0, 0, 0, 0], [0, 7, 0, 0], [0, 14, 0, 0], [0, 21, 0, 0]],
    memory_shapes = [[1, 7, 336, 128], [1, 7, 336, 128], [1, 7, 336, 128], [1, 7, 336, 128]],
    memory_offsets = [[0, 0, 0, 0], [0, 7, 0, 0], [0, 14, 0, 0], [0, 21, 0, 0]]
}>
!Rows = !VPU.DistributedTensor<1x128x28x336xf16, #NHWC, @CMX_NN, {
    mode = "OVERLAPPED", num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64, uniform_distributed_segments,
    compute_shapes = [[1, 128, 7, 336], [1, 128, 7, 336], [1, 128, 7, 336], [1, 128, 7, 336]],
    compute_offsets = [[0, 0, 0, 0], [0, 0, 7, 0], [0, 0, 14, 0], [0, 0, 21, 0]],
    memory_shapes = [[1, 128, 7, 336], [1, 128, 7, 336], [1, 128, 7, 336], [1, 128, 7, 336]],
    memory_offsets = [[0, 0, 0, 0], [0, 0, 7, 0], [0, 0, 14, 0], [0, 0, 21, 0]]
}>
module @prefill attributes {VPU.arch = #VPU.arch_kind<NPU40XX>} {
  IE.TileResource 4 of @NCE at 1.700000e+03 MHz {
    IE.MemoryResource 1327104 bytes of @CMX_NN {VPU.bandwidth = 64 : i64}
  }
  func.func @main(%arg0: tensor<1x28x336x128xf16>) -> tensor<1x128x28x336xf16, {order = #NHWC}> {
    %0 = VPU.Copy(%arg0) {out_mem_space = @CMX_NN} : tensor<1x28x336x128xf16> -> !Heads loc(fused["Add_1106", "copy"])
    %1 = VPU.PermuteCast(%0) {dst_order = #NHWC, mem_perm = #NCHW} : !Heads -> !Rows
    %2 = VPU.Copy(%1) : !Rows -> tensor<1x128x28x336xf16, {order = #NHWC}>
    return %2 : tensor<1x128x28x336xf16, {order = #NHWC}>
  }
}
