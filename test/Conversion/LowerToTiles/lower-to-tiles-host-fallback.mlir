// What cannot be cut falls back to the host, and a remark says what
// that costs.
//
// RUN: npu-opt %s --npu-lower-to-tiles --remarks-filter=npu --remark-format=emitRemark 2>&1 | FileCheck %s

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// CHECK: remark: [Missed] gather | Category:npu | Function=reshape_across_tiles | Reason="'tensor.expand_shape' cannot be cut into tiles' parts and falls back to the host", bytes=96
// CHECK: remark: [Missed] gather {{.*}}Function=call | Reason="'func.call' cannot be cut into tiles' parts and falls back to the host", bytes=256

// The tiles hold 3 of 6 rows each and all of it: a slice of the expanded tensor
// by its inner dimension is no run of the rows.
#everything = #npu.layout<DUPLICATED, tiles = 2>
#inner = #npu.layout<SEGMENTED, tiles = [1, 2]>
// CHECK-LABEL: func.func @reshape_across_tiles
// CHECK: %[[WHOLE:.*]] = tensor.expand_shape
// CHECK-SAME: tensor<12xf32> into tensor<3x4xf32>
// CHECK: npu.transfer %[[WHOLE]][0, 2] from ddr to tile 1
func.func @reshape_across_tiles(%x: tensor<12xf32, #everything>) -> tensor<3x4xf32, #inner> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [3, 4]
      : tensor<12xf32, #everything> into tensor<3x4xf32, #inner>
  return %0 : tensor<3x4xf32, #inner>
}

func.func private @elsewhere(tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>

// CHECK-LABEL: func.func @call
// CHECK: %[[STORED:.*]] = npu.transfer {{.*}} from tile 1 to ddr
// CHECK: %[[GIVEN:.*]] = call @elsewhere(%[[STORED]]) {npu.host = "what it calls takes and gives whole tensors"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK: npu.transfer %[[GIVEN]][0, 0] from ddr to tile 0
func.func @call(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = func.call @elsewhere(%x) : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  return %0 : tensor<8x4xf32, #rows>
}
