// The device decides whether an operation may read what its tile does not hold:
// the one that was taken is said, and from where.
//
// RUN: not npu-translate --explain-npu-dump %s | %unfolded | FileCheck %s --check-prefix=ASSUMED
// RUN: npu-translate --explain-npu-dump --npu-dump-device=NPU37XX %s | %unfolded | FileCheck %s --check-prefix=ASKED
// RUN: (echo "// RE""QUIRES: arch-VPUX30XX || arch-NPU40XX"; cat %s) > %t.mlir
// RUN: npu-translate --explain-npu-dump %t.mlir | %unfolded | FileCheck %s --check-prefix=COMMENT
// RUN: sed 's/^module /module attributes {config.platform = #config.platform<NPU3720>} /' %s > %t.platform.mlir
// RUN: npu-translate --explain-npu-dump %t.platform.mlir | %unfolded | FileCheck %s --check-prefix=MODULE
// RUN: not npu-translate --explain-npu-dump --format=json %s | FileCheck %s --check-prefix=JSON
// RUN: not npu-translate --explain-npu-dump --npu-dump-device=banana %s 2>&1 | FileCheck %s --check-prefix=NONE

// ASSUMED: bad edges: 1
// ASSUMED: device: NPU40XX, assumed, because the dump names none; --npu-dump-device=NAME says another one
// ASSUMED-NEXT: 1 of the bad edges is none on a device whose engines read the scratchpads of other tiles
// ASKED: bad edges: 0
// ASKED: device: NPU37XX, as asked for
// COMMENT: bad edges: 0
// COMMENT: device: NPU30XX or NPU40XX, by a comment of the dump
// MODULE: bad edges: 0
// MODULE: device: NPU37XX, by the module
// JSON: "name": "NPU40XX",
// JSON-NEXT: "assumed": true
// NONE: error: --npu-dump-device: expected a device such as NPU37XX or NPU40XX, got 'banana'

#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!Rows = !VPU.DistributedTensor<1x16x62x62xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>
!Weights = !VPU.DistributedTensor<16x16x3x3xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 4}>
module {
func.func @main(%x: !Rows, %w: !Weights) -> !Rows {
  %0 = VPU.NCE.Convolution(%x, %w) {pad = #VPU.Padding<left = 1, right = 1, top = 1, bottom = 1>, rawFilterShape = [16, 16, 3, 3], strides = [1, 1]} -> !Rows
  return %0 : !Rows
}
}
