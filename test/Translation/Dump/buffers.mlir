// Dumps after bufferization: buffers, tasks, views of buffers; spellings of
// older dumps; several dumps in one file.
//
// RUN: npu-translate --explain-npu-dump %s --all | %unfolded | FileCheck %s

// CHECK: 4 functions
// CHECK: bad edges: 0
// CHECK: distributed types: 11 of 11 read; skipped: 1
// CHECK: line [[#]]: !VPUIP.ITIBuffer: it is one tile's buffer, not a distributed tensor

// -----// IR Dump After ConvertVPUToVPUIP (convert-vpu-to-vpuip) //----- //
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!qElemType = !quant.uniform<u8:f16, 1.0000000000000000E-1>
!InputDistributed = type !VPUIP.DistributedBuffer<
    1x16x33x32x!qElemType, #NHWC, @CMX_NN, {
    mode = "MULTICASTED|SEGMENTED",
    num_tiles = [1, 1, 2, 1],
    num_clusters = 2
}>
!Input_DDR = memref<1x16x33x32x!qElemType, #NHWC, @DDR>

// CHECK-LABEL: @old at line
func @old(%x: !Input_DDR) -> !InputDistributed {
  %0 = VPURT.AllocDistributed -> !InputDistributed
// CHECK: %0 = VPURT.AllocDistributed: 1x16x33x32x!quant.uniform<u8:f16, 1.0000000000000000E-1>, #npu.layout<SEGMENTED|MULTICASTED,
// CHECK-NEXT: tile 0 holds [0:1, 0:16, 0:33, 0:32] (16896 bytes), computes [0:1, 0:16, 0:17, 0:32]
  %bar = VPURT.DeclareVirtualBarrier -> !VPURT.Barrier
  // The inner operation has no name, and its result is the outer one's.
  %2 = VPUIP.NCEClusterTiling inputs(%x as %arg0: !Input_DDR) outputs(%0 as %arg1: memref<1x16x33x32x!qElemType, #NHWC, @CMX_NN>) -> !InputDistributed {
      VPUIP.Copy inputs(%arg0: !Input_DDR) outputs(%arg1: memref<1x16x33x32x!qElemType, #NHWC, @CMX_NN>) -> memref<1x16x33x32x!qElemType, #NHWC, @CMX_NN>
  }
// CHECK: VPUIP.Copy from %x to %2: data moves, 16896 bytes
  VPURT.Task waits(%bar : !VPURT.Barrier) attributes {isTrailingSWLayer = false} {
    %609 = VPUIP.NNDMA {port = 0 : i64}
      inputs(%x : !Input_DDR)
      outputs(%0 : !InputDistributed)
      -> !InputDistributed
  }
// CHECK: VPUIP.NNDMA from %x to %609: data moves, 16896 bytes
  return %2 : !InputDistributed
}

// -----// IR Dump After Something (something) //----- //
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!InputDistributed = !VPUIP.DistributedBuffer<
    1x16x32x32xf16, {
        order = #NHWC,
        strides = [16384, 1, 512, 16]
    },
    @CMX_NN, {
    mode = "OVERLAPPED",
    num_tiles = [1, 1, 2, 1],
    kernel = [3, 3],
    pads = {bottom = 0, left = 0, right = 0, top = 0},
    strides = [1, 1],
    num_clusters = 2
}>
!OutputDistributed = !VPUIP.DistributedBuffer<1x16x30x30xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
!WeightsDistributed = !VPUIP.DistributedBuffer<16x16x3x3xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2}>

module @model attributes {VPU.arch = #VPU.arch_kind<NPU40XX>} {
  IE.TileResource 2 of @NCE at 1.300000e+03 MHz {
    IE.MemoryResource 1784217 bytes of @CMX_NN {VPU.bandwidth = 32 : i64}
  }
  IE.CNNNetwork
      entryPoint : @task
      inputsInfo : {
        DataInfo "input" : tensor<1x16x32x32xf16>
      } outputsInfo : {
        DataInfo "output" : tensor<1x16x30x30xf16>
      }
  module @VPU.SW {
    func.func private @builtin_Convert(memref<*xf16>, memref<*xf32>) attributes {VPU.kernel_code = "convert.cpp"}
  }
  // CHECK-LABEL: @task at line
  func.func @task(%in: !InputDistributed, %weights: !WeightsDistributed) -> !OutputDistributed {
    %0 = VPURT.DeclareBuffer <CMX_NN> <0> -> !OutputDistributed
    %1 = VPUIP.NCEClusterTask {
            kernel_padding = #VPU.Padding<left = 0 : i64, right = 0 : i64, top = 0 : i64, bottom = 0 : i64>,
            kernel_size = [3, 3],
            kernel_strides = [1, 1],
            task_type = #VPUIP.nce_task_type<CONV>
        }
        input(%in : !InputDistributed)
        weights(%weights : !WeightsDistributed)
        parent_input(%in : !InputDistributed)
        parent_output(%0 : !OutputDistributed)
        outputs(%0 : !OutputDistributed) -> !OutputDistributed
        variants : {
          DPUTask {outEnd = [29, 14, 15], mpe_mode = #VPU.mpe_mode<CUBOID_16x16>, pad = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, outStart = [0, 0, 0]}
          DPUTask {outEnd = [29, 29, 15], mpe_mode = #VPU.mpe_mode<CUBOID_16x16>, pad = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, outStart = [0, 15, 0]}
        } PPE : {
          PPETask {ppe = #VPU.PPEStub<>}
        }
// CHECK: VPUIP.NCEClusterTask from %in to %1: the same, 0 bytes (bound 0): every tile holds what it reads
// CHECK: VPUIP.NCEClusterTask from %weights to %1: the same
    // Two halves of the channels that lie in one buffer.
    %buffer = VPURT.AllocDistributed -> !VPUIP.DistributedBuffer<1x32x30x30xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
    %low = VPUIP.SubView %buffer [0, 0, 0, 0] [1, 16, 30, 30] : !VPUIP.DistributedBuffer<1x32x30x30xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}> to !OutputDistributed
    %high = VPUIP.SubView %buffer [0, 16, 0, 0] [1, 16, 30, 30] : !VPUIP.DistributedBuffer<1x32x30x30xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}> to !OutputDistributed
    %a = VPUIP.NNDMA {port = 0 : i64} inputs(%1 : !OutputDistributed) outputs(%low : !OutputDistributed) -> !OutputDistributed
    %b = VPUIP.NNDMA {port = 0 : i64} inputs(%1 : !OutputDistributed) outputs(%high : !OutputDistributed) -> !OutputDistributed
    %cat = VPUIP.ConcatView inputs(%a, %b : !OutputDistributed, !OutputDistributed) outputs(%buffer : !VPUIP.DistributedBuffer<1x32x30x30xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>) -> !VPUIP.DistributedBuffer<1x32x30x30xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
// CHECK: VPUIP.SubView from %buffer to %high: the same
// CHECK: VPUIP.NNDMA from %1 to %a: the same, 0 bytes (bound 0): every tile holds the same boxes; the copy could be left out
// CHECK: VPUIP.ConcatView from %a to %cat: the same
// CHECK: VPUIP.ConcatView from %b to %cat: the same
    %iti = VPURT.DeclareBuffer <CMX_NN> [0] <0> -> !VPUIP.ITIBuffer<1x16x15x30xf16, #NHWC, [@CMX_NN, 0], inwardHaloRegions = []>
    return %1 : !OutputDistributed
  }
}

// -----
// CHECK-LABEL: @sparse at line
// The data of a sparse tensor say where it is.
func.func @sparse(%arg0: !VPU.SparseTensor<data=!VPU.DistributedTensor<1x16x8x8xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>, sparsity_map=!VPU.DistributedTensor<1x16x8x8xi1, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>, #VPU.SparsityCompression<axis = 0>>) {
// CHECK: %arg0 = func.func: 1x16x8x8xf16
// CHECK-NEXT: tile 0 holds [0:1, 0:16, 0:4, 0:8]
  return
}
