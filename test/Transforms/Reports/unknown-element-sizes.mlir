// Elements whose size nobody knows: what has to be counted in bytes is refused
// with a place, where nothing has to be, all is well.
//
// RUN: npu-opt %s --npu-print-transfers --split-input-file --verify-diagnostics -o /dev/null

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

func.func @vectors(%x: tensor<8x4xvector<4xf32>, #rows>) {
  // expected-error@+1 {{expected elements of a known size, got 'vector<4xf32>'}}
  %0 = npu.redistribute %x : tensor<8x4xvector<4xf32>, #rows> to tensor<8x4xvector<4xf32>, #columns>
  return
}

// -----

func.func @nothing_moves(%x: tensor<8x4xvector<4xf32>>) -> tensor<8x4xvector<4xf32>> {
  return %x : tensor<8x4xvector<4xf32>>
}
