// Other spellings of the same things: comments inside types, several definitions
// on a line, the generic form, attributes outside of braces, aliases of parts.
//
// RUN: not npu-translate --explain-npu-dump %s --all | %unfolded | FileCheck %s
// RUN: %python -c "import sys; sys.stdout.buffer.write(b'\xef\xbb\xbf' + open(r'%s', 'rb').read().replace(b'\n', b'\r\n'))" > %t.mlir
// RUN: not npu-translate --explain-npu-dump %t.mlir --all | %unfolded | FileCheck %s

// CHECK: bad edges: 3
// CHECK-NEXT: edges: 7 the same, 0 label only, 0 a narrowing, 5 move data, 0 cannot be told
// CHECK: distributed types: 11 of 11 read; skipped: 0
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)> #NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#pad = #VPU.Padding<left = 1, right = 1, top = 1, bottom = 1>
#strided = [2, 2]
!Rows = !VPU.DistributedTensor< // a comment
  1x16x32x32xf16, // and another one
  #NHWC, @CMX_NN, { // split over H
  mode = "SEGMENTED", // rows
  num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64}> !Columns = !VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = <SEGMENTED>, num_tiles = [1, 1, 1, 4], num_clusters = 4}>
!Both = !VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED | SEGMENTED", num_tiles = [1, 4, 1, 1], num_clusters = 4}>
!Window = !VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "OVERLAPPED", num_tiles = [1, 1, 4, 1], kernel = [3, 3], pads = #pad, strides = [1, 1], num_clusters = 4}>
!Weights = !VPUIP.DistributedBuffer<16x16x3x3xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 4 : i64},
  #VPUIP.SparsityCompressionAttr<axis = 0, numElems = dense<1> : tensor<16xi64>, alignment = 16>>
!Half = !VPU.DistributedTensor<1x16x16x16xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>

func.func @main(%a: !Rows, %b: !Both, %window: !Window, %w: !Weights) {
  // Two operations on a line.
  %0 = VPU.PermuteCast(%a) {dst_order = #NHWC, mem_perm = #NCHW} : !Rows -> !Columns %1 = VPU.PermuteCast(%0) {dst_order = #NHWC, mem_perm = #NCHW} : !Columns -> !Columns
// CHECK-DAG: VPU.PermuteCast from %a to %0: data moves, 24576 bytes
// CHECK-DAG: VPU.PermuteCast from %0 to %1: the same
// CHECK-DAG: %a = func.func: 1x16x32x32xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], split = ceil, order = NHWC>
// CHECK-DAG: %b = func.func: 1x16x32x32xf16, #npu.layout<SEGMENTED|DUPLICATED, tiles = [1, 4, 1, 1], split = ceil, order = NHWC>

  // The generic form has its types after its regions, and other names inside.
  %r = "VPU.NCE.ClusterTiling"(%a) ({
  ^bb0(%x: tensor<1x16x32x32xf16>):
    %i = "VPU.Copy"(%x) : (tensor<1x16x32x32xf16>) -> tensor<1x16x32x32xf16>
    "VPU.Yield"(%i) : (tensor<1x16x32x32xf16>) -> ()
  }) : (!Rows) -> !Columns
// CHECK-DAG: VPU.Copy from %a to %r: data moves, 24576 bytes
  %s = "VPU.Slice"(%r) <{static_offsets = [0, 0, 0, 0], static_sizes = array<i64: 1, 16, 32, 32>}> : (!Columns) -> !Rows
// CHECK-DAG: VPU.Slice from %r to %s: data moves, 24576 bytes

  // Newer dumps have the filter's shape outside of braces.
  %c = VPU.NCE.Convolution(%window, %w) rawFilterShape [16, 16, 3, 3] {pad = #pad, strides = #strided} : !Window, !Weights -> !Half
// CHECK-DAG: VPU.NCE.Convolution from %window to %c: the same
// CHECK-DAG: VPU.NCE.Convolution from %w to %c: the same

  // Of several results each has its edge, and so has one without a name.
  %m:2 = VPU.NCE.MaxPool(%a) {kernel_size = [1, 1], pad = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, strides = [1, 1], is_segmented = false} -> !Rows, !Columns
// CHECK-DAG: VPU.NCE.MaxPool from %a to %m#0: the same
// CHECK-DAG: VPU.NCE.MaxPool from %a to %m#1: data moves, 24576 bytes
  VPURT.Task {
    VPUIP.NCEClusterTask {kernel_padding = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, kernel_size = [1, 1], kernel_strides = [1, 1], task_type = #VPUIP.nce_task_type<MAXPOOL>} input(%0 : !Columns) outputs(%1 : !Columns) -> !Columns
// CHECK-DAG: VPUIP.NCEClusterTask from %0 to %1: the same
  }

  // A distributed buffer may lie in DDR.
  %ddr = VPUIP.Copy inputs(%a : !Rows) outputs(%a : !VPUIP.DistributedBuffer<1x16x32x32xf16, #NHWC, @DDR, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>) -> !VPUIP.DistributedBuffer<1x16x32x32xf16, #NHWC, @DDR, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
// CHECK-DAG: VPUIP.Copy from %a to %ddr: data moves, 32768 bytes (bound 32768): tiles store to DDR

  // Weights of a grouped operation begin with the group.
  %g = VPU.NCE.MatMul(%h, %k) : !VPU.DistributedTensor<4x1x32x64x1xf16, #GNHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [4, 1, 1, 1, 1], num_clusters = 4}>, !VPU.DistributedTensor<4x16x32x1x1xf16, #GNHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [4, 1, 1, 1, 1], num_clusters = 4}> -> !VPU.DistributedTensor<4x1x16x64x1xf16, #GNHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [4, 1, 1, 1, 1], num_clusters = 4}>
// CHECK-DAG: VPU.NCE.MatMul from %h to %g: the same
// CHECK-DAG: VPU.NCE.MatMul from %k to %g: the same
  return
}
