// RUN: npu-opt %s --npu-run-in-steps --split-input-file --verify-diagnostics
// RUN: not npu-opt %s --npu-verify-distributions --split-input-file 2>&1 | grep -c "op with 'npu.steps'" | grep 5

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
func.func @no_reader(%x: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %e = tensor.empty() : tensor<24x8xf32>
  // expected-error @+1 {{with 'npu.steps': expected one operation after it that has loops in its steps, and whose steps make all that is read of its result}}
  %m = linalg.exp {npu.steps = {layouts = [#rows, #rows]}} ins(%x : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  return %m : tensor<24x8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
func.func @also_returned(%x: tensor<24x8xf32>) -> (tensor<24x8xf32>, tensor<24x8xf32>) {
  %e = tensor.empty() : tensor<24x8xf32>
  // expected-error @+1 {{expected one operation after it that has loops in its steps}}
  %m = linalg.exp {npu.steps = {layouts = [#rows, #rows]}} ins(%x : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  %n = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 4>, layouts = [#rows, #rows]}} ins(%m : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  return %m, %n : tensor<24x8xf32>, tensor<24x8xf32>
}

// -----

// Sums of rows want whole rows, while the product wants the columns of a step.
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#of = #npu.layout<SEGMENTED, tiles = [4]>
func.func @whole_rows(%x: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x8xf32>
  %m = linalg.exp {npu.steps = {layouts = [#rows, #rows]}} ins(%x : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  %er = tensor.empty() : tensor<24xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<24xf32>) -> tensor<24xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"], npu.steps = {layouts = [#rows, #of]}}
      ins(%m : tensor<24x8xf32>) outs(%fr : tensor<24xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %o, %i : f32
    linalg.yield %y : f32
  } -> tensor<24xf32>
  // expected-error @+1 {{with 'npu.steps': expected loop 1 to run whole, which operations before it read in different parts}}
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"], npu.steps = {loops = array<i64: 1>, sizes = array<i64: 4>, layouts = [#rows, #of, #rows]}}
      ins(%m, %s : tensor<24x8xf32>, tensor<24xf32>) outs(%e : tensor<24x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %y = arith.divf %i, %j : f32
    linalg.yield %y : f32
  } -> tensor<24x8xf32>
  return %d : tensor<24x8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
func.func @no_layout(%x: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %e = tensor.empty() : tensor<24x8xf32>
  %m = linalg.exp {npu.steps = {layouts = [#rows, unit]}} ins(%x : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  // expected-error @+1 {{with 'npu.steps': expected a distribution for each tensor that is read, and for the result}}
  %n = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 4>, layouts = [#rows, #rows]}} ins(%m : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  return %n : tensor<24x8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#deep = #npu.layout<SEGMENTED, tiles = [4, 1, 1]>
func.func @rank(%x: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %e = tensor.empty() : tensor<24x8xf32>
  %m = linalg.exp {npu.steps = {layouts = [#rows, #rows]}} ins(%x : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  // The second operation reads what the first makes under a layout of another rank.
  %n = linalg.exp {npu.steps = {layouts = [#deep, #rows]}} ins(%m : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  // expected-error @+1 {{with 'npu.steps', in a step: expected 2 dimensions as shape [4, 8] has, got `tiles` [4, 1, 1]}}
  %o = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 4>, layouts = [#rows, #rows]}} ins(%n : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  return %o : tensor<24x8xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
func.func @unread(%x: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %e = tensor.empty() : tensor<24x8xf32>
  // expected-error @+1 {{expected one operation after it that has loops in its steps}}
  %m = linalg.exp {npu.steps = {layouts = [#rows, #rows]}} ins(%x : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  return %x : tensor<24x8xf32>
}
