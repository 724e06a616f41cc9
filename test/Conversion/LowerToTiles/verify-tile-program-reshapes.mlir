// Where a part begins goes through a reshape: what is in front of one cannot be
// exchanged for another part, however the whole tensors' extents are divided.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-verify-tile-program

// Entries 2 and 3 of four become row 0, columns 2 and 3.
func.func @slice(%x: tensor<4xf32>) -> tensor<1x4xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %s0 = tensor.extract_slice %x0[0] [2] [1] {npu.tile = 0 : i64} : tensor<4xf32> to tensor<2xf32>
  %r0 = tensor.expand_shape %s0 [[0, 1]] output_shape [1, 2] {npu.begin = array<i64: 0, 0>, npu.extents = array<i64: 1, 4>, npu.tile = 0 : i64} : tensor<2xf32> into tensor<1x2xf32>
  %s1 = tensor.extract_slice %x0[2] [2] [1] {npu.tile = 0 : i64} : tensor<4xf32> to tensor<2xf32>
  %r1 = tensor.expand_shape %s1 [[0, 1]] output_shape [1, 2] {npu.begin = array<i64: 0, 2>, npu.extents = array<i64: 1, 4>, npu.tile = 0 : i64} : tensor<2xf32> into tensor<1x2xf32>
  %e = tensor.empty() : tensor<1x4xf32>
  %0 = npu.transfer %r0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:1, 0:2] bytes = 8 : tensor<1x2xf32> to tensor<1x4xf32>
  %1 = npu.transfer %r1[0, 0] from tile 0 to ddr into %0[0, 2] box [0:1, 2:4] bytes = 8 : tensor<1x2xf32> to tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// -----

// The second slice takes entries 1 and 2.
func.func @other_slice(%x: tensor<4xf32>) -> tensor<1x4xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %s0 = tensor.extract_slice %x0[0] [2] [1] {npu.tile = 0 : i64} : tensor<4xf32> to tensor<2xf32>
  %r0 = tensor.expand_shape %s0 [[0, 1]] output_shape [1, 2] {npu.begin = array<i64: 0, 0>, npu.tile = 0 : i64} : tensor<2xf32> into tensor<1x2xf32>
  %s1 = tensor.extract_slice %x0[1] [2] [1] {npu.tile = 0 : i64} : tensor<4xf32> to tensor<2xf32>
  // expected-error@+1 {{'tensor.expand_shape' uses parts that begin at different indices}}
  %r1 = tensor.expand_shape %s1 [[0, 1]] output_shape [1, 2] {npu.begin = array<i64: 0, 2>, npu.tile = 0 : i64} : tensor<2xf32> into tensor<1x2xf32>
  %e = tensor.empty() : tensor<1x4xf32>
  %0 = npu.transfer %r0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:1, 0:2] bytes = 8 : tensor<1x2xf32> to tensor<1x4xf32>
  %1 = npu.transfer %r1[0, 0] from tile 0 to ddr into %0[0, 2] box [0:1, 2:4] bytes = 8 : tensor<1x2xf32> to tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// -----

// A load of rows 1 and 2 in front of two reshapes that make rows 2 and 3 of it.
func.func @load(%x: tensor<4x6xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2x6xf32>
  %x0 = npu.transfer %x[1, 0] from ddr to tile 0 into %e0[0, 0] box [1:3, 0:6] bytes = 48 : tensor<4x6xf32> to tensor<2x6xf32>
  %c0 = tensor.collapse_shape %x0 [[0, 1]] {npu.tile = 0 : i64} : tensor<2x6xf32> into tensor<12xf32>
  // expected-error@+1 {{'tensor.expand_shape' uses parts that begin at different indices}}
  %r0 = tensor.expand_shape %c0 [[0, 1, 2]] output_shape [1, 2, 6] {npu.begin = array<i64: 0, 2, 0>, npu.extents = array<i64: 1, 4, 6>, npu.tile = 0 : i64} : tensor<12xf32> into tensor<1x2x6xf32>
  return
}

// -----

// Row 1, columns 2 and 3 of three rows of four are entries 6 and 7, which the part
// of one row and two columns by itself does not tell.
func.func @flat(%x: tensor<3x4xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<1x2xf32>
  %x0 = npu.transfer %x[1, 2] from ddr to tile 0 into %e0[0, 0] box [1:2, 2:4] bytes = 8 : tensor<3x4xf32> to tensor<1x2xf32>
  %right = tensor.collapse_shape %x0 [[0, 1]] {npu.begin = array<i64: 6>, npu.extents = array<i64: 3, 4>, npu.tile = 0 : i64} : tensor<1x2xf32> into tensor<2xf32>
  // expected-error@+1 {{'tensor.collapse_shape' uses parts that begin at different indices}}
  %wrong = tensor.collapse_shape %x0 [[0, 1]] {npu.begin = array<i64: 6>, npu.tile = 0 : i64} : tensor<1x2xf32> into tensor<2xf32>
  return
}

// -----

// The whole is no smaller than its part, and has as many dimensions.
func.func @small(%x: tensor<3x4xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<3x4xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:3, 0:4] bytes = 48 : tensor<3x4xf32> to tensor<3x4xf32>
  // expected-error@+1 {{'tensor.collapse_shape' of tile 0: expected at least the extents [3, 4] of the part in 'npu.extents', got [3, 3]}}
  %0 = tensor.collapse_shape %x0 [[0, 1]] {npu.extents = array<i64: 3, 3>, npu.tile = 0 : i64} : tensor<3x4xf32> into tensor<12xf32>
  return
}

// -----

// What an expand_shape lists beside its type is its type's; upstream's verifier does
// not compare them, and running the program fails after it.
func.func @listed(%x: tensor<6xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<6xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:6] bytes = 24 : tensor<6xf32> to tensor<6xf32>
  // expected-error@+1 {{'tensor.expand_shape' of tile 0: expected the extents [2, 3] of its result, got [2, 4]}}
  %0 = tensor.expand_shape %x0 [[0, 1]] output_shape [2, 4] {npu.tile = 0 : i64} : tensor<6xf32> into tensor<2x3xf32>
  return
}
