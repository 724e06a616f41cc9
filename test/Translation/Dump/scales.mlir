// Elements with a scale for each channel: the description has the first of them, and
// the repair says them once, under a name, in lines of at most 80 columns.
//
// RUN: not npu-translate --explain-npu-dump %s > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: sed '1,/^$/d' %t.txt > %t.edges.txt
// RUN: not grep -E '^.{81}' %t.edges.txt
//
// CHECK:      from 1x32x16x16x!quant.uniform<u8:f16:1, {{[{]}}0.001:128, 0.002:128, ... 30
// CHECK-NEXT: more}>, #npu.layout<
// CHECK:      repair:
// CHECK-NEXT: with !element0 = !quant.uniform<u8:f16:1, {{[{]}}0.001:128, 0.002:128, 0.003:128,
// CHECK:      0.032:128}>
// CHECK:      or let VPU.PermuteCast give %0_made :
// CHECK-NEXT: !VPU.DistributedTensor<1x16x32x16x!element0, #NHWC,
// CHECK-NOT:  0.001:128
// CHECK:      -> !VPU.DistributedTensor<1x16x32x16x!element0,
// CHECK-NOT:  0.001:128

#NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!elem = !quant.uniform<u8:f16:1, {0.001:128, 0.002:128, 0.003:128, 0.004:128, 0.005:128, 0.006:128, 0.007:128, 0.008:128, 0.009:128, 0.010:128, 0.011:128, 0.012:128, 0.013:128, 0.014:128, 0.015:128, 0.016:128, 0.017:128, 0.018:128, 0.019:128, 0.020:128, 0.021:128, 0.022:128, 0.023:128, 0.024:128, 0.025:128, 0.026:128, 0.027:128, 0.028:128, 0.029:128, 0.030:128, 0.031:128, 0.032:128}>
!In = !VPU.DistributedTensor<1x32x16x16x!elem, #NCHW, @CMX_NN, {mode = "SEGMENTED|DUPLICATED", num_tiles = [1, 4, 1, 1], num_clusters = 4 : i64}>
!Out = !VPU.DistributedTensor<1x16x32x16x!elem, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 4 : i64}>
func.func @main(%x: !In) {
  %0 = VPU.PermuteCast(%x) {dst_order = #NHWC, mem_perm = #NCHW} : !In -> !Out
  return
}
