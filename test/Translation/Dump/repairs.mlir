// A repair is spelled where there is one: no DistributedCast where the field
// compiler refuses it, and no mode on dimensions that it does not have it for.
//
// RUN: not npu-translate --explain-npu-dump %s | FileCheck %s

#NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!All = !VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 4 : i64}>
!Rows = !VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64}>
!Dup = !VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED|DUPLICATED", num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64}>
!Multi = !VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED|MULTICASTED", num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64}>
!Window = !VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "OVERLAPPED", num_tiles = [1, 1, 4, 1], kernel = [3, 3], pads = #VPU.Padding<left = 1 : i64, right = 1 : i64, top = 1 : i64, bottom = 1 : i64>, strides = [1, 1], num_clusters = 4 : i64}>
!Channels = !VPU.DistributedTensor<1x32x32x16xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 4, 1, 1], num_clusters = 4 : i64}>

func.func @main(%all: !All, %dup: !Dup, %window: !Window, %rows: !Rows) {
// CHECK:      VPU.DistributedCast
// CHECK-NEXT: from %all to %0 in @main: a narrowing
// CHECK:      repair:
// CHECK-NEXT: change the attribute of %0: mode = "DUPLICATED", no num_tiles
// CHECK-NEXT: every tile has more than that declares, and a DistributedCast takes equal
// CHECK-NEXT: memory only
// CHECK-EMPTY:
  %0 = VPU.DistributedCast(%all : !All) -> !Rows
// CHECK:      VPU.PermuteCast
// CHECK-NEXT: from %dup to %1 in @main: label only
// CHECK:      repair:
// CHECK-NEXT: change the attribute of %1: mode = "SEGMENTED|DUPLICATED"
// CHECK-EMPTY:
  %1 = VPU.PermuteCast(%dup) {dst_order = #NHWC, mem_perm = #NCHW} : !Dup -> !Multi
// CHECK:      VPU.PermuteCast
// CHECK-NEXT: from %window to %2 in @main: a narrowing
// CHECK-NEXT: every tile holds what is wanted, and more
// CHECK:      from
// CHECK:      to
// CHECK-NOT:  repair:
// CHECK:      VPU.DistributedCast
// CHECK-NEXT: from %dup to %3 in @main: label only
  %2 = VPU.PermuteCast(%window) {dst_order = #NCHW, mem_perm = #NCHW} : !Window -> !Channels
  %3 = VPU.DistributedCast(%dup : !Dup) -> !Multi
  return
}
