// Steps that an operation cannot run in.

// RUN: npu-opt %s --split-input-file --npu-run-in-steps --verify-diagnostics

#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @items(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{with 'npu.steps': expected loops, sizes and layouts, perhaps slots, and nothing else}}
  %0 = linalg.exp {npu.steps = {loops = array<i64: 0>}} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @size(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{with 'npu.steps': expected steps of 1 to 8 iterations of loop 0}}
  %0 = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 9>, layouts = [#rows, #rows]}} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{with 'npu.steps': expected loops of the operation, each once}}
  %0 = linalg.exp {npu.steps = {loops = array<i64: 0, 0>, sizes = array<i64: 2, 2>, layouts = [#rows, #rows]}} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
func.func @order(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{with 'npu.steps': expected loops that reduce after all others}}
  %0 = linalg.matmul {npu.steps = {loops = array<i64: 2, 0>, sizes = array<i64: 2, 2>, layouts = [#rows, #rows, #rows]}} ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @onTiles(%x: tensor<8xf32, #rows>) -> tensor<8xf32, #rows> {
  %e = tensor.empty() : tensor<8xf32, #rows>
  // expected-error@+1 {{with 'npu.steps': expected tensors that are cut in DDR, or on tiles that have equal parts of them, of which each step has equal pieces in whole bytes}}
  %0 = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 3>, layouts = [#rows, #rows]}} ins(%x : tensor<8xf32, #rows>) outs(%e : tensor<8xf32, #rows>) -> tensor<8xf32, #rows>
  return %0 : tensor<8xf32, #rows>
}

// -----

// A step would add up a piece of each tile's terms, and so in another order.
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @sumsOfParts(%x: tensor<4x8xf32, #columns>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-error@+1 {{with 'npu.steps': expected tensors that are cut in DDR, or on tiles that have equal parts of them}}
  %0 = linalg.matmul {npu.steps = {loops = array<i64: 2>, sizes = array<i64: 4>, layouts = [#columns, #all, #rows]}} ins(%x, %w : tensor<4x8xf32, #columns>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// The last step has 2 rows, which a distribution over boxes of 4 does not have.
#boxes = #npu.layout<SEGMENTED, compute = [[0:2], [2:4]]>
func.func @last(%x: tensor<10xf32>) -> tensor<10xf32> {
  %e = tensor.empty() : tensor<10xf32>
  // expected-error@+1 {{with 'npu.steps', in a step: expected boxes inside [0:2]}}
  %0 = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 4>, layouts = [#boxes, #boxes]}} ins(%x : tensor<10xf32>) outs(%e : tensor<10xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

func.func @place(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'math.exp' op expected 'npu.steps' on an operation of linalg, a pad, a loop, a slice or an insertion}}
  %0 = math.exp %x {npu.steps} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @layouts(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{with 'npu.steps': expected a distribution for each tensor that is read, and for the result}}
  %0 = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 2>, layouts = [#rows, unit]}} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Sums would be added up in another order.
#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @sums(%x: tensor<4x6xf32>, %s: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{with 'npu.steps': expected sums in their order: loop 0 reduces before loop 1, and is not done one by one}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"],
      npu.steps = {loops = array<i64: 1>, sizes = array<i64: 3>, layouts = [#all, #all]}}
      ins(%x : tensor<4x6xf32>) outs(%s : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.addf %v, %o : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @reversed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{with 'npu.steps': expected entries at sums of loops, so that a slice is a box}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (7 - d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"],
      npu.steps = {loops = array<i64: 0>, sizes = array<i64: 4>, layouts = [#rows, #rows]}}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @no_slot(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{with 'npu.steps': expected 1 to 8 slots for each of its loops}}
  %0 = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 4>, slots = array<i64: 0>, layouts = [#rows, #rows]}}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Two elements of i4 share a byte, which no step cuts.
func.func @half_bytes(%w: tensor<8x6xi4>) -> tensor<8x6xf32> {
  %e = tensor.empty() : tensor<8x6xf32>
  // expected-error @+1 {{with 'npu.steps': expected steps of a multiple of 2 iterations of loop 1, which cut no byte}}
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<8x6xi4>) outs(%e : tensor<8x6xf32>) attrs = {npu.steps = {loops = array<i64: 1>, sizes = array<i64: 3>, layouts = [#npu.layout<DUPLICATED, tiles = 1>, #npu.layout<DUPLICATED, tiles = 1>]}} {
  ^bb0(%q: i4, %o: f32):
    %f = arith.sitofp %q : i4 to f32
    linalg.yield %f : f32
  } -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}

// -----

func.func @odd_rows(%w: tensor<8x7xi4>) -> tensor<8x7xf32> {
  %e = tensor.empty() : tensor<8x7xf32>
  // expected-error @+1 {{with 'npu.steps': expected loop 1 to run whole, whose steps would cut a byte}}
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<8x7xi4>) outs(%e : tensor<8x7xf32>) attrs = {npu.steps = {loops = array<i64: 1>, sizes = array<i64: 2>, layouts = [#npu.layout<DUPLICATED, tiles = 1>, #npu.layout<DUPLICATED, tiles = 1>]}} {
  ^bb0(%q: i4, %o: f32):
    %f = arith.sitofp %q : i4 to f32
    linalg.yield %f : f32
  } -> tensor<8x7xf32>
  return %r : tensor<8x7xf32>
}

// -----

// Entries beside the diagonal belong to no step.
func.func @diagonal(%x: tensor<6xf32>, %init: tensor<6x6xf32>) -> tensor<6x6xf32> {
  // expected-error @+1 {{with 'npu.steps': expected a result with a loop for each dimension}}
  %r = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a, a)>], iterator_types = ["parallel"]} ins(%x : tensor<6xf32>) outs(%init : tensor<6x6xf32>) attrs = {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 3>, layouts = [#npu.layout<DUPLICATED, tiles = 1>, #npu.layout<DUPLICATED, tiles = 1>]}} {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}
