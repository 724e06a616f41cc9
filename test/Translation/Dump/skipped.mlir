// What cannot be read is skipped with its line and the reason, and everything
// else is read.
//
// RUN: npu-translate --explain-npu-dump %s | %unfolded | FileCheck %s
// RUN: npu-translate --explain-npu-dump %s --format=json | FileCheck %s --check-prefix=JSON

// CHECK: distributed types: 1 of 8 read; skipped: 10
!Fine = !VPU.DistributedTensor<1x16x8x8xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2}>
// CHECK:      line [[#@LINE+1]]: !VPU.DistributedTensor: expected a mode of SEGMENTED, OVERLAPPED, DUPLICATED or MULTICASTED, got 'NONE'
!None = !VPU.DistributedTensor<1x16x8x8xf16, #NHWC, @CMX_NN, {mode = "NONE"}>
// CHECK-NEXT: line [[#@LINE+1]]: !VPU.DistributedTensor: the field compiler cannot split 2 over 4 tiles: no tile may be empty
!Few = !VPU.DistributedTensor<1x16x2x8xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
// CHECK-NEXT: line [[#@LINE+1]]: !VPU.DistributedTensor: expected 4 boxes in 'compute_shapes', one for each tile, got 1
!Boxes = !VPU.DistributedTensor<1x16x8x8xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4, compute_shapes = [[1, 16, 2, 8]], compute_offsets = [[0, 0, 0, 0]]}>
// CHECK-NEXT: line [[#@LINE+1]]: !VPU.DistributedTensor: expected a static shape of rank at most 8, got 1x?x8x8xf16
!Dynamic = !VPU.DistributedTensor<1x?x8x8xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2}>
// CHECK-NEXT: line [[#@LINE+1]]: !VPU.DistributedTensor: expected an order of 4 dimensions, got #undefined
!Order = !VPU.DistributedTensor<1x16x8x8xf16, #undefined, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2}>
// CHECK-NEXT: line [[#@LINE+1]]: !VPU.DistributedTensor: expected a distribution {mode = ...}, got none
!Nothing = !VPU.DistributedTensor<1x16x8x8xf16, #NHWC, @CMX_NN>
func.func @main(%arg0: !Fine) {
// CHECK-NEXT: line [[#@LINE+1]]: '%x': no operation defines these values
  %x this is no statement
  %0 = VPU.Copy(%arg0) : !Fine -> tensor<1x16x8x8xf16>
// CHECK-NEXT: line [[#@LINE+1]]: the end of 'VPU.Copy': nothing closes its '('
  %1 = VPU.Copy(%arg0
  %2 = VPU.Copy(%arg0) : !Fine -> tensor<1x16x8x8xf16>
// CHECK-NEXT: line [[#@LINE+1]]: !VPU.DistributedTensor: nothing closes the type
  %3 = VPU.Copy(%2) : tensor<1x16x8x8xf16> -> !VPU.DistributedTensor<1x16x8x8xf16, #NHWC
  %4 = VPU.Copy(%arg0) : !Fine -> tensor<1x16x8x8xf16>
}
// CHECK: line [[#]]: '}': nothing is open here
}
// JSON: "name": "%4",
// JSON: "skipped": [
// JSON: "line": 10,
// JSON-NEXT: "what": "!VPU.DistributedTensor",
// JSON-NEXT: "why": "expected a mode of SEGMENTED, OVERLAPPED, DUPLICATED or MULTICASTED, got 'NONE'"
