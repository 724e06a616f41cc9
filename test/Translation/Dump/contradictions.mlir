// What contradicts itself, or is not said, has no verdict, and nothing of it is
// passed over.
//
// RUN: npu-translate --explain-npu-dump %s --all | %unfolded | FileCheck %s

// CHECK: bad edges: 0
// CHECK: distributed types: 4 of 6 read; skipped: 4
// CHECK: line [[#]]: !Undefined: its alias is not defined
// CHECK: line [[#]]: !My.Box: it is not known what it is
// CHECK: line [[#]]: !AlsoUndefined: its alias is not defined
// CHECK: line [[#]]: !My.Box: it is not known what it is
#NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!Rows = !VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
!Bytes = !VPU.DistributedTensor<1x16x32x32xui8, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
!Few = !VPU.DistributedTensor<1x16x16x32xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
!Twice = !VPU.DistributedTensor<1x16x64x32xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
func.func @main(%a: !Rows, %u: !Undefined, %box: !My.Box<!VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>>) {
  %0 = VPU.PermuteCast(%u) {dst_order = #NHWC, mem_perm = #NCHW} : !Undefined -> !AlsoUndefined
  %1 = VPU.DistributedCast(%a : !Rows) -> !Bytes
// CHECK-DAG: from %a to %1: cannot tell, 0 bytes (bound 0): the two sides have entries of different sizes
  %2 = VPU.PermuteCast(%a) {dst_order = #NCHW, mem_perm = #NCHW} : !Rows -> !Rows
// CHECK-DAG: from %a to %2: cannot tell, 0 bytes (bound 0): its dst_order is not the order of its result
  %3 = VPU.Slice %a [0, 0, 0, 0] [1, 16, 16, 32] : !Rows to !Rows
// CHECK-DAG: from %a to %3: cannot tell, 0 bytes (bound 0): the slice has sizes [1, 16, 16, 32], and the result is [1, 16, 32, 32]
  %4 = VPUIP.SubView %a [0, 0, 0, 0] [1, 16, 16, 32] [1, 1, 2, 1] : !Rows to !Few
// CHECK-DAG: from %a to %4: cannot tell{{.*}}it leaves out entries in between
  %5 = VPU.Concat(%a, %a) {per_axis = #IE.Concat<axis = 2 : i64, offset = 1 : i64, stride = 2 : i64>} : !Rows, !Rows -> !Twice
// CHECK-DAG: from %a to %5: cannot tell, 0 bytes (bound 0): it is not known where its parts lie
  %6 = VPU.Foo(%a) : !Rows -> !My.Box<!VPU.DistributedTensor<1x16x32x32xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>>
  return
}
