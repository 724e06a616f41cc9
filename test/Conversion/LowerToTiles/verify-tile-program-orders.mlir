// A transfer states the memory orders of its sides, and both are known without it:
// one that loses or gains an order is refused, also where all extents are equal.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-verify-tile-program

// Columns are loaded as rows, and stored as what they were.
func.func @fine(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<4x4xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e[0, 0] box [0:4, 0:4] bytes = 64
      {dest_order = array<i64: 1, 0>} : tensor<4x4xf32> to tensor<4x4xf32>
  %0 = linalg.exp {npu.tile = 0 : i64} ins(%x0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = math.absf %0 {npu.tile = 0 : i64} : tensor<4x4xf32>
  %2 = npu.permute_cast %1 mem_perm = [0, 1] {npu.order = array<i64: 0, 1>, npu.tile = 0 : i64} : tensor<4x4xf32> to tensor<4x4xf32>
  %d = tensor.empty() : tensor<4x4xf32>
  %3 = npu.transfer %1[0, 0] from tile 0 to ddr into %d[0, 0] box [0:4, 0:4] bytes = 64
      {source_order = array<i64: 1, 0>} : tensor<4x4xf32> to tensor<4x4xf32>
  %4 = npu.transfer %2[0, 0] from tile 0 to ddr into %d[0, 0] box [0:4, 0:4] bytes = 64 : tensor<4x4xf32> to tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

func.func @gained(%x: tensor<4x4xf32>) attributes {npu.tiles = 1 : i64} {
  // expected-note@+1 {{the tensor lies in this order ('npu.order' where it is made, or the transfers that put it together)}}
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4x4xf32>
  // expected-error@+1 {{'npu.transfer' expected destination order [0, 1], got [1, 0]}}
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e[0, 0] box [0:4, 0:4] bytes = 64
      {dest_order = array<i64: 1, 0>} : tensor<4x4xf32> to tensor<4x4xf32>
  return
}

// -----

// The order of what is stored is that of what is computed, which is that of what
// is written over.
func.func @lost(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<4x4xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e[0, 0] box [0:4, 0:4] bytes = 64
      {dest_order = array<i64: 1, 0>} : tensor<4x4xf32> to tensor<4x4xf32>
  %0 = linalg.exp {npu.tile = 0 : i64} ins(%x0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-note@+1 {{the tensor lies in this order}}
  %1 = math.absf %0 {npu.tile = 0 : i64} : tensor<4x4xf32>
  %d = tensor.empty() : tensor<4x4xf32>
  // expected-error@+1 {{'npu.transfer' expected source order [1, 0], got [0, 1]}}
  %2 = npu.transfer %1[0, 0] from tile 0 to ddr into %d[0, 0] box [0:4, 0:4] bytes = 64 : tensor<4x4xf32> to tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Both branches give rows.
func.func @branches(%x: tensor<4x4xf32>, %c: i1) attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4x4xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e[0, 0] box [0:4, 0:4] bytes = 64 : tensor<4x4xf32> to tensor<4x4xf32>
  %t = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<4x4xf32>
  // expected-note@+1 {{the tensor lies in this order}}
  %x1 = npu.transfer %x[0, 0] from ddr to tile 0 into %t[0, 0] box [0:4, 0:4] bytes = 64
      {dest_order = array<i64: 1, 0>} : tensor<4x4xf32> to tensor<4x4xf32>
  // expected-error@+1 {{'scf.if' expected handed-on order [1, 0], got [0, 1]}}
  %0 = scf.if %c -> tensor<4x4xf32> {
    scf.yield %x0 : tensor<4x4xf32>
  } else {
    scf.yield %x1 : tensor<4x4xf32>
  }
  return
}

// -----

func.func @malformed() attributes {npu.tiles = 1 : i64} {
  // expected-error@+1 {{'tensor.empty' op expected 'npu.order' to be a permutation, got array<i64: 1, 1>}}
  %e = tensor.empty() {npu.order = array<i64: 1, 1>, npu.tile = 0 : i64} : tensor<4x4xf32>
  return
}
