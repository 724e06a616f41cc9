// Each tensor is put together from nothing and for itself: a transfer writes no
// entry that has been written, and nobody else has a use for what is not whole.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-verify-tile-program

// The second half is stored into an argument, which has a first half of its own.
func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %n0 = math.absf %x0 {npu.tile = 0 : i64} : tensor<4xf32>
  // expected-error@+1 {{expected destination #0 to be made of a tensor.empty by transfers, got one that has been written}}
  %0 = npu.transfer %n0[2] from tile 0 to ddr into %x[2] box [2:4] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Into another result, which is whole.
func.func @result(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %n0 = math.absf %x0 {npu.tile = 0 : i64} : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  // expected-note@+1 {{this writes there}}
  %0 = npu.transfer %x0[0] from tile 0 to ddr into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  // expected-error@+1 {{expected destination #0 to be unwritten in [2:4], got [2:4] written (local coordinates)}}
  %1 = npu.transfer %n0[2] from tile 0 to ddr into %0[2] box [2:4] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Into another result of which the other half is missing, too.
func.func @half(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %n0 = math.absf %x0 {npu.tile = 0 : i64} : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = npu.transfer %x0[0] from tile 0 to ddr into %e[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  // expected-error@+1 {{expected destination #0 to be used by this transfer alone: it is not whole before}}
  %1 = npu.transfer %x0[2] from tile 0 to ddr into %0[2] box [2:4] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  // expected-error@+1 {{expected destination #0 to be used by this transfer alone: it is not whole before}}
  %2 = npu.transfer %n0[2] from tile 0 to ddr into %0[2] box [2:4] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What a tile has kept of its own is written, too.
func.func @kept(%x: tensor<4xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<2xf32>
  %e1 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  // expected-note@+1 {{this writes there}}
  %i0 = tensor.insert_slice %x0 into %e1[0] [2] [1] {npu.tile = 0 : i64} : tensor<2xf32> into tensor<4xf32>
  // expected-error@+1 {{expected destination #0 to be unwritten in [1:4], got [1:2] written (local coordinates)}}
  %0 = npu.transfer %x[1] from ddr to tile 0 into %i0[1] box [1:4] bytes = 12 : tensor<4xf32> to tensor<4xf32>
  return
}
