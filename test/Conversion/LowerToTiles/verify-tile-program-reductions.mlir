// A tile that reduces a dimension reduces all of it, from its first entry to its
// last: nobody can load another part of what is reduced, nor leave a part out.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-verify-tile-program

#parts = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#part = affine_map<(d0, d1) -> (d1)>
#sums = affine_map<(d0, d1) -> (d0)>

// Each tile adds up two of four entries; the sum of tile t is part t.
func.func @parts(%x: tensor<4xi32>) -> tensor<2xi32> attributes {npu.tiles = 2 : i64} {
  %z = arith.constant 0 : i32
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xi32>
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2xi32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:2] bytes = 8 : tensor<4xi32> to tensor<2xi32>
  %x1 = npu.transfer %x[2] from ddr to tile 1 into %e1[0] box [2:4] bytes = 8 : tensor<4xi32> to tensor<2xi32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<1xi32>
  %o1 = tensor.empty() {npu.tile = 1 : i64} : tensor<1xi32>
  %f0 = linalg.fill {npu.tile = 0 : i64} ins(%z : i32) outs(%o0 : tensor<1xi32>) -> tensor<1xi32>
  %f1 = linalg.fill {npu.tile = 1 : i64} ins(%z : i32) outs(%o1 : tensor<1xi32>) -> tensor<1xi32>
  %w0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xi1>
  %w1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2xi1>
  %s0 = linalg.generic {indexing_maps = [#parts, #part, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%x0, %w0 : tensor<2xi32>, tensor<2xi1>) outs(%f0 : tensor<1xi32>) attrs = {npu.begin = array<i64: 0>, npu.extents = array<i64: 2>, npu.tile = 0 : i64} {
  ^bb0(%a: i32, %b: i1, %c: i32):
    %sum = arith.addi %a, %c : i32
    linalg.yield %sum : i32
  } -> tensor<1xi32>
  %s1 = linalg.generic {indexing_maps = [#parts, #part, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%x1, %w1 : tensor<2xi32>, tensor<2xi1>) outs(%f1 : tensor<1xi32>) attrs = {npu.begin = array<i64: 1>, npu.extents = array<i64: 2>, npu.tile = 1 : i64} {
  ^bb0(%a: i32, %b: i1, %c: i32):
    %sum = arith.addi %a, %c : i32
    linalg.yield %sum : i32
  } -> tensor<1xi32>
  %e = tensor.empty() : tensor<2xi32>
  %0 = npu.transfer %s0[0] from tile 0 to ddr into %e[0] box [0:1] bytes = 4 : tensor<1xi32> to tensor<2xi32>
  %1 = npu.transfer %s1[0] from tile 1 to ddr into %0[1] box [1:2] bytes = 4 : tensor<1xi32> to tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

#parts = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#part = affine_map<(d0, d1) -> (d1)>
#sums = affine_map<(d0, d1) -> (d0)>

// Tile 0 has loaded what tile 1 adds up.
func.func @other_part(%x: tensor<4xi32>, %f: tensor<1xi32>) attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xi32>
  %x0 = npu.transfer %x[2] from ddr to tile 0 into %e0[0] box [2:4] bytes = 8 : tensor<4xi32> to tensor<2xi32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<1xi32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:1] bytes = 4 : tensor<1xi32> to tensor<1xi32>
  %w0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xi1>
  // expected-error@+1 {{'linalg.generic' uses parts that begin at different indices}}
  %s0 = linalg.generic {indexing_maps = [#parts, #part, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%x0, %w0 : tensor<2xi32>, tensor<2xi1>) outs(%f0 : tensor<1xi32>) attrs = {npu.begin = array<i64: 0>, npu.extents = array<i64: 2>, npu.tile = 0 : i64} {
  ^bb0(%a: i32, %b: i1, %c: i32):
    %sum = arith.addi %a, %c : i32
    linalg.yield %sum : i32
  } -> tensor<1xi32>
  return
}

// -----

// Half of the entries of each row, from its middle on.
func.func @other_columns(%x: tensor<4x8xf32>, %f: tensor<4xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x4xf32>
  // expected-note@+1 {{this takes fewer entries than there are}}
  %x0 = npu.transfer %x[0, 4] from ddr to tile 0 into %e0[0, 0] box [0:4, 4:8] bytes = 64 : tensor<4x8xf32> to tensor<4x4xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  // expected-error@+1 {{'linalg.reduce' of tile 0 reduces 4 of 8 entries}}
  %s0 = linalg.reduce {arith.addf} ins(%x0 : tensor<4x4xf32>) outs(%f0 : tensor<4xf32>) dimensions = [1] {npu.tile = 0 : i64}
  return
}

// -----

// The last column is not added up.
func.func @fewer_columns(%x: tensor<10x6xf32>, %f: tensor<8xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<10x6xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:10, 0:6] bytes = 240 : tensor<10x6xf32> to tensor<10x6xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8xf32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:8] bytes = 32 : tensor<8xf32> to tensor<8xf32>
  // expected-note@+1 {{this takes fewer entries than there are ('npu.offset' says what a slice of the model takes)}}
  %c0 = tensor.extract_slice %x0[0, 0] [8, 5] [1, 1] {npu.tile = 0 : i64} : tensor<10x6xf32> to tensor<8x5xf32>
  // expected-error@+1 {{'linalg.reduce' of tile 0 reduces 5 of 6 entries}}
  %s0 = linalg.reduce {arith.addf} ins(%c0 : tensor<8x5xf32>) outs(%f0 : tensor<8xf32>) dimensions = [1] {npu.tile = 0 : i64}
  return
}

// -----

// Nor is it after other operations.
func.func @fewer_after(%x: tensor<8x6xf32>, %f: tensor<8xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x6xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:8, 0:6] bytes = 192 : tensor<8x6xf32> to tensor<8x6xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8xf32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:8] bytes = 32 : tensor<8xf32> to tensor<8xf32>
  // expected-note@+1 {{this takes fewer entries than there are}}
  %c0 = tensor.extract_slice %x0[0, 0] [8, 5] [1, 1] {npu.tile = 0 : i64} : tensor<8x6xf32> to tensor<8x5xf32>
  %t0 = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<5x8xf32>
  %p0 = linalg.transpose ins(%c0 : tensor<8x5xf32>) outs(%t0 : tensor<5x8xf32>) permutation = [1, 0] {npu.tile = 0 : i64}
  // expected-error@+1 {{'linalg.reduce' of tile 0 reduces 5 of 6 entries}}
  %s0 = linalg.reduce {arith.addf} ins(%p0 : tensor<5x8xf32>) outs(%f0 : tensor<8xf32>) dimensions = [0] {npu.tile = 0 : i64}
  return
}

// -----

// The model slices, and adds up what it takes: the first five columns.
func.func @of_the_model(%x: tensor<8x6xf32>, %f: tensor<8xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x6xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:8, 0:6] bytes = 192 : tensor<8x6xf32> to tensor<8x6xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8xf32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:8] bytes = 32 : tensor<8xf32> to tensor<8xf32>
  %c0 = tensor.extract_slice %x0[0, 0] [8, 5] [1, 1] {npu.offset = array<i64: 0, 0, 8, 5, 1, 1>, npu.tile = 0 : i64} : tensor<8x6xf32> to tensor<8x5xf32>
  %s0 = linalg.reduce {arith.addf} ins(%c0 : tensor<8x5xf32>) outs(%f0 : tensor<8xf32>) dimensions = [1] {npu.tile = 0 : i64}
  return
}

// -----

// The model takes five columns, and the tile four.
func.func @fewer_than_the_model(%x: tensor<8x6xf32>, %f: tensor<8xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x6xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:8, 0:6] bytes = 192 : tensor<8x6xf32> to tensor<8x6xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8xf32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:8] bytes = 32 : tensor<8xf32> to tensor<8xf32>
  // expected-note@+1 {{this takes fewer entries than there are}}
  %c0 = tensor.extract_slice %x0[0, 1] [8, 4] [1, 1] {npu.begin = array<i64: 0, 0>, npu.offset = array<i64: 0, 1, 8, 5, 1, 1>, npu.tile = 0 : i64} : tensor<8x6xf32> to tensor<8x4xf32>
  // expected-error@+1 {{'linalg.reduce' of tile 0 reduces 4 of 5 entries}}
  %s0 = linalg.reduce {arith.addf} ins(%c0 : tensor<8x4xf32>) outs(%f0 : tensor<8xf32>) dimensions = [1] {npu.tile = 0 : i64}
  return
}

// -----

#plain = affine_map<(d0) -> (d0)>

// A loop over 23 entries cannot read any of none.
func.func @no_entries(%x: tensor<30xf32>, %f: tensor<23xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<30xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:30] bytes = 120 : tensor<30xf32> to tensor<30xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<23xf32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:23] bytes = 92 : tensor<23xf32> to tensor<23xf32>
  %c0 = tensor.extract_slice %x0[0] [0] [1] {npu.tile = 0 : i64} : tensor<30xf32> to tensor<0xf32>
  // expected-error@+1 {{'linalg.generic' of tile 0 expected 23 entries in dimension 0 of operand #1, got 0}}
  %s0 = linalg.generic {indexing_maps = [#plain, #plain, #plain], iterator_types = ["parallel"]}
      ins(%f0, %c0 : tensor<23xf32>, tensor<0xf32>) outs(%f0 : tensor<23xf32>) attrs = {npu.tile = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<23xf32>
  return
}

// -----

#window = affine_map<(d0, d1) -> (d0 + d1)>
#taps = affine_map<(d0, d1) -> (d1)>
#output = affine_map<(d0, d1) -> (d0)>

// Nor can a window.
func.func @no_window(%x: tensor<6xf32>, %w: tensor<3xf32>, %f: tensor<4xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<6xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:6] bytes = 24 : tensor<6xf32> to tensor<6xf32>
  %e1 = tensor.empty() {npu.tile = 0 : i64} : tensor<3xf32>
  %w0 = npu.transfer %w[0] from ddr to tile 0 into %e1[0] box [0:3] bytes = 12 : tensor<3xf32> to tensor<3xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %c0 = tensor.extract_slice %x0[0] [0] [1] {npu.tile = 0 : i64} : tensor<6xf32> to tensor<0xf32>
  // expected-error@+1 {{'linalg.generic' of tile 0 expected entries in dimension 0 of operand #0, got 0}}
  %s0 = linalg.generic {indexing_maps = [#window, #taps, #output], iterator_types = ["parallel", "reduction"]}
      ins(%c0, %w0 : tensor<0xf32>, tensor<3xf32>) outs(%f0 : tensor<4xf32>) attrs = {npu.tile = 0 : i64} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %c, %p : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return
}

// -----

#turned = affine_map<(d0) -> ((d0 + 1) mod 4)>
#plain = affine_map<(d0) -> (d0)>

// Nor can a remainder, which is largest in between.
func.func @no_fourth(%x: tensor<8xf32>, %f: tensor<6xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:8] bytes = 32 : tensor<8xf32> to tensor<8xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<6xf32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:6] bytes = 24 : tensor<6xf32> to tensor<6xf32>
  %c0 = tensor.extract_slice %x0[0] [3] [1] {npu.begin = array<i64: 0>, npu.tile = 0 : i64} : tensor<8xf32> to tensor<3xf32>
  // expected-error@+1 {{'linalg.generic' of tile 0 expected indices from 0 to 2 in dimension 0 of operand #0, got 3}}
  %s0 = linalg.generic {indexing_maps = [#turned, #plain], iterator_types = ["parallel"]}
      ins(%c0 : tensor<3xf32>) outs(%f0 : tensor<6xf32>) attrs = {npu.tile = 0 : i64} {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> tensor<6xf32>
  return
}

// -----

// A load cannot cut it, either, ...
func.func @fewer_loaded(%x: tensor<8x6xf32>, %f: tensor<8xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8x5xf32>
  // expected-note@+1 {{this takes fewer entries than there are}}
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:8, 0:5] bytes = 160 : tensor<8x6xf32> to tensor<8x5xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<8xf32>
  %f0 = npu.transfer %f[0] from ddr to tile 0 into %o0[0] box [0:8] bytes = 32 : tensor<8xf32> to tensor<8xf32>
  // expected-error@+1 {{'linalg.reduce' of tile 0 reduces 5 of 6 entries}}
  %s0 = linalg.reduce {arith.addf} ins(%x0 : tensor<8x5xf32>) outs(%f0 : tensor<8xf32>) dimensions = [1] {npu.tile = 0 : i64}
  return
}

// -----

// ... also of both factors, after what is done element by element, in another
// memory order, and on the way through another tile.
func.func @both_factors(%x: tensor<4x6xf32>, %w: tensor<6x5xf32>, %f: tensor<4x5xf32>) attributes {npu.tiles = 2 : i64} {
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<4x5xf32>
  // expected-note@+1 {{this takes fewer entries than there are}}
  %x1 = npu.transfer %x[0, 0] from ddr to tile 1 into %e1[0, 0] box [0:4, 0:5] bytes = 80 : tensor<4x6xf32> to tensor<4x5xf32>
  %n1 = math.absf %x1 {npu.tile = 1 : i64} : tensor<4x5xf32>
  %e0 = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<5x4xf32>
  %x0 = npu.transfer %n1[0, 0] from tile 1 to tile 0 into %e0[0, 0] box [0:4, 0:5] bytes = 80 {dest_order = array<i64: 1, 0>} : tensor<4x5xf32> to tensor<5x4xf32>
  %et = tensor.empty() {npu.tile = 0 : i64} : tensor<4x5xf32>
  %t0 = linalg.transpose ins(%x0 : tensor<5x4xf32>) outs(%et : tensor<4x5xf32>) permutation = [1, 0] {npu.tile = 0 : i64}
  %ew = tensor.empty() {npu.tile = 0 : i64} : tensor<5x5xf32>
  %w0 = npu.transfer %w[0, 0] from ddr to tile 0 into %ew[0, 0] box [0:5, 0:5] bytes = 100 : tensor<6x5xf32> to tensor<5x5xf32>
  %ef = tensor.empty() {npu.tile = 0 : i64} : tensor<4x5xf32>
  %f0 = npu.transfer %f[0, 0] from ddr to tile 0 into %ef[0, 0] box [0:4, 0:5] bytes = 80 : tensor<4x5xf32> to tensor<4x5xf32>
  // expected-error@+1 {{'linalg.matmul' of tile 0 reduces 5 of 6 entries}}
  %m0 = linalg.matmul {npu.tile = 0 : i64} ins(%t0, %w0 : tensor<4x5xf32>, tensor<5x5xf32>) outs(%f0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// What a softmax adds up is whole, too.
func.func @softmax(%x: tensor<4x6xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x5xf32>
  // expected-note@+1 {{this takes fewer entries than there are}}
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:4, 0:5] bytes = 80 : tensor<4x6xf32> to tensor<4x5xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4x5xf32>
  // expected-error@+1 {{'linalg.softmax' of tile 0 reduces 5 of 6 entries}}
  %s0 = linalg.softmax {npu.tile = 0 : i64} dimension(1) ins(%x0 : tensor<4x5xf32>) outs(%o0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// Of a window, nothing is loaded: the operation says how large the model's is, ...
func.func @window(%x: tensor<1x1x8x2xf32>, %f: tensor<1x1x6x2xf32>) attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<1x1x8x2xf32>
  %x0 = npu.transfer %x[0, 0, 0, 0] from ddr to tile 0 into %e0[0, 0, 0, 0] box [0:1, 0:1, 0:8, 0:2] bytes = 64 : tensor<1x1x8x2xf32> to tensor<1x1x8x2xf32>
  %o0 = tensor.empty() {npu.tile = 0 : i64} : tensor<1x1x6x2xf32>
  %f0 = npu.transfer %f[0, 0, 0, 0] from ddr to tile 0 into %o0[0, 0, 0, 0] box [0:1, 0:1, 0:6, 0:2] bytes = 48 : tensor<1x1x6x2xf32> to tensor<1x1x6x2xf32>
  %w3 = tensor.empty() {npu.tile = 0 : i64} : tensor<1x3xf32>
  %right = linalg.pooling_nhwc_max {npu.extents = array<i64: 1, 3>, npu.tile = 0 : i64} ins(%x0, %w3 : tensor<1x1x8x2xf32>, tensor<1x3xf32>) outs(%f0 : tensor<1x1x6x2xf32>) -> tensor<1x1x6x2xf32>
  %w2 = tensor.empty() {npu.tile = 0 : i64} : tensor<1x2xf32>
  // expected-error@+2 {{'linalg.pooling_nhwc_max' of tile 0 reduces 2 of 3 entries}}
  // expected-note@+1 {{the model reduces 3 ('npu.extents')}}
  %less = linalg.pooling_nhwc_max {npu.extents = array<i64: 1, 3>, npu.tile = 0 : i64} ins(%x0, %w2 : tensor<1x1x8x2xf32>, tensor<1x2xf32>) outs(%f0 : tensor<1x1x6x2xf32>) -> tensor<1x1x6x2xf32>
  // ... and has to.
  // expected-error@+2 {{'linalg.pooling_nhwc_max' of tile 0 reduces 1 entries, and nothing says that the model does}}
  // expected-note@+1 {{'npu.extents' has the extent of each loop that is reduced}}
  %unsaid = linalg.pooling_nhwc_max {npu.tile = 0 : i64} ins(%x0, %w3 : tensor<1x1x8x2xf32>, tensor<1x3xf32>) outs(%f0 : tensor<1x1x6x2xf32>) -> tensor<1x1x6x2xf32>
  // expected-error@+1 {{'linalg.pooling_nhwc_max' of tile 0 reduces 2 loops, expected as many numbers in 'npu.extents', got 1}}
  %one = linalg.pooling_nhwc_max {npu.extents = array<i64: 3>, npu.tile = 0 : i64} ins(%x0, %w3 : tensor<1x1x8x2xf32>, tensor<1x3xf32>) outs(%f0 : tensor<1x1x6x2xf32>) -> tensor<1x1x6x2xf32>
  return
}
