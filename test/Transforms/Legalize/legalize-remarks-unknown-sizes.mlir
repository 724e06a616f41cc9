// Where nobody knows how many bytes move, legalization says so instead of totals,
// and does not fail for having been listened to.
//
// RUN: npu-opt %s --npu-legalize-distributions -o /dev/null \
// RUN:   --verify-diagnostics --remarks-filter=npu --remark-format=emitRemark

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// expected-remark@+1 {{[Analysis] total | Category:npu | Function=vectors | Reason="nobody knows the size of an element that moves"}}
func.func @vectors(%x: tensor<8x4xvector<4xf32>, #rows>) -> tensor<8x4xvector<4xf32>, #columns> {
  %0 = npu.redistribute %x : tensor<8x4xvector<4xf32>, #rows> to tensor<8x4xvector<4xf32>, #columns>
  return %0 : tensor<8x4xvector<4xf32>, #columns>
}
