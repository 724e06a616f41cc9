// Where a slice of the model, or what a window slides over, begins follows from
// where it is taken: nobody can exchange parts and boxes after it.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-verify-tile-program

// Columns 4 to 7, of rows 0 and 1 on tile 0 and 2 and 3 on tile 1.
func.func @columns(%x: tensor<4x8xf32>) -> tensor<4x4xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2x8xf32>
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2x8xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:8] bytes = 64 : tensor<4x8xf32> to tensor<2x8xf32>
  %x1 = npu.transfer %x[2, 0] from ddr to tile 1 into %e1[0, 0] box [2:4, 0:8] bytes = 64 : tensor<4x8xf32> to tensor<2x8xf32>
  %s0 = tensor.extract_slice %x0[0, 4] [2, 4] [1, 1] {npu.begin = array<i64: 0, 0>, npu.offset = array<i64: 0, 4>, npu.tile = 0 : i64} : tensor<2x8xf32> to tensor<2x4xf32>
  %s1 = tensor.extract_slice %x1[0, 4] [2, 4] [1, 1] {npu.begin = array<i64: 2, 0>, npu.offset = array<i64: 0, 4>, npu.tile = 1 : i64} : tensor<2x8xf32> to tensor<2x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = npu.transfer %s0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:2, 0:4] bytes = 32 : tensor<2x4xf32> to tensor<4x4xf32>
  %1 = npu.transfer %s1[0, 0] from tile 1 to ddr into %0[2, 0] box [2:4, 0:4] bytes = 32 : tensor<2x4xf32> to tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// The loads are exchanged.
func.func @loads(%x: tensor<4x8xf32>) -> tensor<4x4xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2x8xf32>
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2x8xf32>
  // expected-error@+1 {{expected box [2:4, 0:8] at [2, 0] of destination #0, got [0, 0]}}
  %x0 = npu.transfer %x[2, 0] from ddr to tile 0 into %e0[0, 0] box [2:4, 0:8] bytes = 64 : tensor<4x8xf32> to tensor<2x8xf32>
  %x1 = npu.transfer %x[0, 0] from ddr to tile 1 into %e1[0, 0] box [0:2, 0:8] bytes = 64 : tensor<4x8xf32> to tensor<2x8xf32>
  %s0 = tensor.extract_slice %x0[0, 4] [2, 4] [1, 1] {npu.begin = array<i64: 0, 0>, npu.offset = array<i64: 0, 4>, npu.tile = 0 : i64} : tensor<2x8xf32> to tensor<2x4xf32>
  %s1 = tensor.extract_slice %x1[0, 4] [2, 4] [1, 1] {npu.begin = array<i64: 2, 0>, npu.offset = array<i64: 0, 4>, npu.tile = 1 : i64} : tensor<2x8xf32> to tensor<2x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = npu.transfer %s0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:2, 0:4] bytes = 32 : tensor<2x4xf32> to tensor<4x4xf32>
  %1 = npu.transfer %s1[0, 0] from tile 1 to ddr into %0[2, 0] box [2:4, 0:4] bytes = 32 : tensor<2x4xf32> to tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// What the slices say of themselves is exchanged, and where they are stored.
func.func @begins(%x: tensor<4x8xf32>) -> tensor<4x4xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2x8xf32>
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2x8xf32>
  // expected-error@+1 {{expected box [0:2, 0:8] at [-2, 0] of destination #0, got [0, 0]}}
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:8] bytes = 64 : tensor<4x8xf32> to tensor<2x8xf32>
  %x1 = npu.transfer %x[2, 0] from ddr to tile 1 into %e1[0, 0] box [2:4, 0:8] bytes = 64 : tensor<4x8xf32> to tensor<2x8xf32>
  %s0 = tensor.extract_slice %x0[0, 4] [2, 4] [1, 1] {npu.begin = array<i64: 2, 0>, npu.offset = array<i64: 0, 4>, npu.tile = 0 : i64} : tensor<2x8xf32> to tensor<2x4xf32>
  %s1 = tensor.extract_slice %x1[0, 4] [2, 4] [1, 1] {npu.begin = array<i64: 0, 0>, npu.offset = array<i64: 0, 4>, npu.tile = 1 : i64} : tensor<2x8xf32> to tensor<2x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = npu.transfer %s0[0, 0] from tile 0 to ddr into %e[2, 0] box [2:4, 0:4] bytes = 32 : tensor<2x4xf32> to tensor<4x4xf32>
  %1 = npu.transfer %s1[0, 0] from tile 1 to ddr into %0[0, 0] box [0:2, 0:4] bytes = 32 : tensor<2x4xf32> to tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Every other entry from the second on is taken; the slice begins at the third.
func.func @strided(%x: tensor<9xf32>) -> tensor<3xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<9xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:9] bytes = 36 : tensor<9xf32> to tensor<9xf32>
  // expected-error@+1 {{'tensor.extract_slice' uses parts that begin at different indices}}
  %s0 = tensor.extract_slice %x0[2] [3] [2] {npu.begin = array<i64: 0>, npu.offset = array<i64: 1, 3, 2>, npu.tile = 0 : i64} : tensor<9xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

#window = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#weights = affine_map<(d0, d1) -> (d1)>
#output = affine_map<(d0, d1) -> (d0)>

// Outputs 2 and 3 are made of entries 4 to 8, which begin at the loaded part's
// second.
func.func @window(%x: tensor<10xf32>, %w: tensor<3xf32>, %o: tensor<4xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<7xf32>
  %x0 = npu.transfer %x[3] from ddr to tile 0 into %e0[0] box [3:10] bytes = 28 : tensor<10xf32> to tensor<7xf32>
  %e1 = tensor.empty() {npu.tile = 0 : i64} : tensor<3xf32>
  %w0 = npu.transfer %w[0] from ddr to tile 0 into %e1[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  %e2 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xf32>
  %o0 = npu.transfer %o[2] from ddr to tile 0 into %e2[0] box [2:4] bytes = 8 : tensor<4xf32> to tensor<2xf32>
  %right = tensor.extract_slice %x0[1] [5] [1] {npu.tile = 0 : i64} : tensor<7xf32> to tensor<5xf32>
  %fine = linalg.generic {indexing_maps = [#window, #weights, #output], iterator_types = ["parallel", "reduction"]}
      ins(%right, %w0 : tensor<5xf32>, tensor<3xf32>) outs(%o0 : tensor<2xf32>) attrs = {npu.tile = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %c, %p : f32
    linalg.yield %q : f32
  } -> tensor<2xf32>
  %wrong = tensor.extract_slice %x0[2] [5] [1] {npu.tile = 0 : i64} : tensor<7xf32> to tensor<5xf32>
  // expected-error@+1 {{'linalg.generic' uses parts that begin at different indices}}
  %shifted = linalg.generic {indexing_maps = [#window, #weights, #output], iterator_types = ["parallel", "reduction"]}
      ins(%wrong, %w0 : tensor<5xf32>, tensor<3xf32>) outs(%o0 : tensor<2xf32>) attrs = {npu.tile = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %c, %p : f32
    linalg.yield %q : f32
  } -> tensor<2xf32>
  return
}

// -----

// An offset has one number for every dimension.
func.func @malformed(%x: tensor<4x4xf32>) attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4x4xf32>
  %0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e[0, 0] box [0:4, 0:4] bytes = 64 : tensor<4x4xf32> to tensor<4x4xf32>
  // expected-error@+1 {{'tensor.extract_slice' uses parts that begin at different indices}}
  %1 = tensor.extract_slice %0[0, 0] [2, 4] [1, 1] {npu.offset = array<i64: 1>, npu.tile = 0 : i64} : tensor<4x4xf32> to tensor<2x4xf32>
  return
}

// -----

// A one beside a zero is no part of any tensor, though each of them is: what tile
// 0 has is entries 0 and 1, or 2 and 3.
func.func @beside(%x: tensor<4xf32>) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %zero = arith.constant {npu.tile = 0 : i64} dense<0.0> : tensor<2xf32>
  %one = arith.constant {npu.tile = 0 : i64} dense<1.0> : tensor<1xf32>
  %s0 = tensor.insert_slice %one into %zero[0] [1] [1] {npu.tile = 0 : i64} : tensor<1xf32> into tensor<2xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:2] bytes = 8 : tensor<2xf32> to tensor<4xf32>
  // expected-error@+1 {{expected box [2:4] at [2] of its source, got [0]}}
  %1 = npu.transfer %s0[0] from tile 0 to ddr into %0[2] box [2:4] bytes = 8 : tensor<2xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Every other entry from the second on, of which the model says so.
func.func @steps(%x: tensor<9xf32>) -> tensor<3xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<9xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:9] bytes = 36 : tensor<9xf32> to tensor<9xf32>
  %s0 = tensor.extract_slice %x0[1] [3] [2] {npu.begin = array<i64: 0>, npu.offset = array<i64: 1, 3, 2>, npu.tile = 0 : i64} : tensor<9xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// The model takes every other entry, and the tile every third.
func.func @other_steps(%x: tensor<9xf32>) -> tensor<3xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<9xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:9] bytes = 36 : tensor<9xf32> to tensor<9xf32>
  // expected-error@+2 {{'tensor.extract_slice' of tile 0: expected strides [2], got [3]}}
  // expected-note@+1 {{a slice of the model has its strides in 'npu.offset', after offsets and sizes}}
  %s0 = tensor.extract_slice %x0[1] [3] [3] {npu.begin = array<i64: 0>, npu.offset = array<i64: 1, 3, 2>, npu.tile = 0 : i64} : tensor<9xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Another part of the tile is taken one entry after the other. Nobody can take one entry
// several times, ...
func.func @no_steps(%x: tensor<9xf32>) -> tensor<3xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<9xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:9] bytes = 36 : tensor<9xf32> to tensor<9xf32>
  // expected-error@+2 {{expected strides [1], got [0]}}
  // expected-note@+1 {{a slice of the model has its strides in 'npu.offset', after offsets and sizes}}
  %s0 = tensor.extract_slice %x0[0] [3] [0] {npu.tile = 0 : i64} : tensor<9xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// ... nor backwards, ...
func.func @backwards(%x: tensor<9xf32>) -> tensor<3xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<9xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:9] bytes = 36 : tensor<9xf32> to tensor<9xf32>
  // expected-error@+2 {{expected strides [1], got [-1]}}
  // expected-note@+1 {{a slice of the model has its strides in 'npu.offset', after offsets and sizes}}
  %s0 = tensor.extract_slice %x0[2] [3] [-1] {npu.tile = 0 : i64} : tensor<9xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// ... nor from in front of the tensor, ...
func.func @outside(%x: tensor<9xf32>) -> tensor<3xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<9xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:9] bytes = 36 : tensor<9xf32> to tensor<9xf32>
  // expected-error@+2 {{expected strides [1], got [-1000000000]}}
  // expected-note@+1 {{a slice of the model has its strides in 'npu.offset', after offsets and sizes}}
  %s0 = tensor.extract_slice %x0[0] [3] [-1000000000] {npu.tile = 0 : i64} : tensor<9xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// ... nor say that the model does.
func.func @agreed_backwards(%x: tensor<9xf32>) -> tensor<3xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<9xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:9] bytes = 36 : tensor<9xf32> to tensor<9xf32>
  // expected-error@+1 {{expected strides of at least 1 in 'npu.offset', got [-1]}}
  %s0 = tensor.extract_slice %x0[2] [3] [-1] {npu.begin = array<i64: 0>, npu.offset = array<i64: 2, 3, -1>, npu.tile = 0 : i64} : tensor<9xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// The offset of a run is not known to be the part's.
func.func @of_run(%x: tensor<9xf32>, %i: index) -> tensor<3xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<9xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:9] bytes = 36 : tensor<9xf32> to tensor<9xf32>
  // expected-error@+1 {{'tensor.extract_slice' of tile 0: expected constant offsets and strides}}
  %s0 = tensor.extract_slice %x0[%i] [3] [1] {npu.tile = 0 : i64} : tensor<9xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// An insertion that writes one entry twice.
func.func @inserted(%x: tensor<2xf32>) -> tensor<3xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:2] bytes = 8 : tensor<2xf32> to tensor<2xf32>
  %zero = arith.constant {npu.tile = 0 : i64} dense<0.0> : tensor<3xf32>
  // expected-error@+2 {{'tensor.insert_slice' of tile 0: expected strides [1], got [0]}}
  // expected-note@+1 {{a slice of the model has its strides in 'npu.offset', after offsets and sizes}}
  %s0 = tensor.insert_slice %x0 into %zero[0] [2] [0] {npu.tile = 0 : i64} : tensor<2xf32> into tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// A permute_cast of a tile gives a part the indices of another tensor: of the four
// columns that tile 0 holds, which begin at 4, the third is the sixth of the whole.
func.func @renamed(%x: tensor<8xf32>) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %x0 = npu.transfer %x[4] from ddr to tile 0 into %e0[0] box [4:8] bytes = 16 : tensor<8xf32> to tensor<4xf32>
  %s0 = npu.permute_cast %x0 mem_perm = [0] {npu.begin = array<i64: 0>, npu.offset = array<i64: 4>, npu.tile = 0 : i64} : tensor<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @renamed_otherwise(%x: tensor<8xf32>) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  // expected-error@+1 {{expected box [3:7] at [-1] of destination #0, got [0]}}
  %x0 = npu.transfer %x[3] from ddr to tile 0 into %e0[0] box [3:7] bytes = 16 : tensor<8xf32> to tensor<4xf32>
  %s0 = npu.permute_cast %x0 mem_perm = [0] {npu.begin = array<i64: 0>, npu.offset = array<i64: 4>, npu.tile = 0 : i64} : tensor<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// After a reshape no index follows: a slice in front of it says where it begins.
func.func @before_a_reshape(%x: tensor<5x5xf32>) -> tensor<5xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<5x5xf32>
  // expected-error@+1 {{expected box [0:5, 0:5] at [1, 0] of destination #0, got [0, 0]}}
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:5, 0:5] bytes = 100 : tensor<5x5xf32> to tensor<5x5xf32>
  %s0 = tensor.extract_slice %x0[1, 0] [1, 5] [1, 1] {npu.begin = array<i64: 0, 0>, npu.tile = 0 : i64} : tensor<5x5xf32> to tensor<1x5xf32>
  %r0 = tensor.collapse_shape %s0 [[0, 1]] {npu.begin = array<i64: 0>, npu.tile = 0 : i64} : tensor<1x5xf32> into tensor<5xf32>
  %e = tensor.empty() : tensor<5xf32>
  %0 = npu.transfer %r0[0] from tile 0 to ddr into %e[0] box [0:5] bytes = 20 : tensor<5xf32> to tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Joined dimensions of a contiguous part begin where the first of them says.
func.func @joined(%x: tensor<8x6xf32>) -> tensor<24xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x6xf32>
  %x0 = npu.transfer %x[4, 0] from ddr to tile 0 into %e0[0, 0] box [4:8, 0:6] bytes = 96 : tensor<8x6xf32> to tensor<4x6xf32>
  // expected-error@+1 {{'tensor.collapse_shape' uses parts that begin at different indices of their tensors as if they began at one}}
  %c0 = tensor.collapse_shape %x0 [[0, 1]] {npu.begin = array<i64: 0>, npu.tile = 0 : i64} : tensor<4x6xf32> into tensor<24xf32>
  %e = tensor.empty() : tensor<24xf32>
  %0 = npu.transfer %c0[0] from tile 0 to ddr into %e[0] box [0:24] bytes = 96 : tensor<24xf32> to tensor<24xf32>
  return %0 : tensor<24xf32>
}

// -----

// Tile 0 inserts its rows, and says so, one row earlier than tile 1 does.
func.func @other_offset(%x: tensor<4x4xf32>, %p: tensor<6x4xf32>) attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2x4xf32>
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2x4xf32>
  %f0 = tensor.empty() {npu.tile = 0 : i64} : tensor<3x4xf32>
  %f1 = tensor.empty() {npu.tile = 1 : i64} : tensor<3x4xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:4] bytes = 32 : tensor<4x4xf32> to tensor<2x4xf32>
  %x1 = npu.transfer %x[2, 0] from ddr to tile 1 into %e1[0, 0] box [2:4, 0:4] bytes = 32 : tensor<4x4xf32> to tensor<2x4xf32>
  %p0 = npu.transfer %p[0, 0] from ddr to tile 0 into %f0[0, 0] box [0:3, 0:4] bytes = 48 : tensor<6x4xf32> to tensor<3x4xf32>
  %p1 = npu.transfer %p[3, 0] from ddr to tile 1 into %f1[0, 0] box [3:6, 0:4] bytes = 48 : tensor<6x4xf32> to tensor<3x4xf32>
  %s0 = tensor.insert_slice %x0 into %p0[0, 0] [2, 4] [1, 1] {npu.begin = array<i64: 0, 0>, npu.of = 3 : i64, npu.offset = array<i64: 0, 0>, npu.tile = 0 : i64} : tensor<2x4xf32> into tensor<3x4xf32>
  // expected-error@+1 {{'tensor.insert_slice' uses parts that begin at different indices}}
  %s1 = tensor.insert_slice %x1 into %p1[0, 0] [2, 4] [1, 1] {npu.begin = array<i64: 3, 0>, npu.of = 3 : i64, npu.offset = array<i64: 1, 0>, npu.tile = 1 : i64} : tensor<2x4xf32> into tensor<3x4xf32>
  return
}

// -----

#back = affine_map<(d0) -> ((d0 + 1) ceildiv 4 - 1)>
#plain = affine_map<(d0) -> (d0)>

// At a division of a loop no index follows either: the slice says that it is
// entry 1.
func.func @divided(%x: tensor<3xi32>, %f: tensor<2xi32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<3xi32>
  // expected-error@+1 {{expected box [0:3] at [1] of destination #0, got [0]}}
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:3] bytes = 12 : tensor<3xi32> to tensor<3xi32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xi32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:2] bytes = 8 : tensor<2xi32> to tensor<2xi32>
  %s0 = tensor.extract_slice %x0[2] [1] [1] {npu.begin = array<i64: 1>, npu.tile = 0 : i64} : tensor<3xi32> to tensor<1xi32>
  %g0 = linalg.generic {indexing_maps = [#back, #plain], iterator_types = ["parallel"]}
      ins(%s0 : tensor<1xi32>) outs(%f0 : tensor<2xi32>) attrs = {npu.tile = 0 : i64} {
  ^bb0(%a: i32, %b: i32):
    linalg.yield %a : i32
  } -> tensor<2xi32>
  return
}
