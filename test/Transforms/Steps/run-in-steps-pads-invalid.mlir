// Pads that cannot be made in the steps of what reads them.

// RUN: npu-opt %s --npu-run-in-steps --split-input-file --verify-diagnostics
// RUN: not npu-opt %s --npu-verify-distributions --split-input-file 2>&1 | grep -c "op with 'npu.steps'" | grep 8

// The first step would read the pad alone.
#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @before(%x: tensor<8xf32>) -> tensor<12xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[3] high[1] {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<8xf32> to tensor<12xf32>
  %e = tensor.empty() : tensor<12xf32>
  // expected-error @+1 {{with 'npu.steps': expected each step to read more of a padded tensor than its pad}}
  %r = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 3>, layouts = [#all, #all]}} ins(%p : tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

// So would the last one.
#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @after(%x: tensor<8xf32>) -> tensor<11xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[2] high[1] {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<8xf32> to tensor<11xf32>
  %e = tensor.empty() : tensor<11xf32>
  // expected-error @+1 {{expected each step to read more of a padded tensor than its pad}}
  %r = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 5>, layouts = [#all, #all]}} ins(%p : tensor<11xf32>) outs(%e : tensor<11xf32>) -> tensor<11xf32>
  return %r : tensor<11xf32>
}

// -----

#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @no_steps_after(%x: tensor<8xf32>) -> tensor<9xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{with 'npu.steps': expected one operation after it that has loops in its steps, and whose steps make all that is read of its result}}
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<8xf32> to tensor<9xf32>
  %e = tensor.empty() : tensor<9xf32>
  %r = linalg.exp ins(%p : tensor<9xf32>) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @also_returned(%x: tensor<8xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{expected one operation after it that has loops in its steps}}
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<8xf32> to tensor<9xf32>
  %e = tensor.empty() : tensor<9xf32>
  %r = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 3>, layouts = [#all, #all]}} ins(%p : tensor<9xf32>) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  return %r, %p : tensor<9xf32>, tensor<9xf32>
}

// -----

// It cuts off where it should add.
#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @cuts(%x: tensor<8xf32>) -> tensor<7xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{expected static shapes, and one value everywhere that is added}}
  %p = tensor.pad %x low[1] high[-2] {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<8xf32> to tensor<7xf32>
  %e = tensor.empty() : tensor<7xf32>
  %r = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 3>, layouts = [#all, #all]}} ins(%p : tensor<7xf32>) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// -----

// Slices of what is on tiles are not loaded.
#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @on_tiles(%x: tensor<8xf32, #all>) -> tensor<9xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{expected one operation after it that has loops in its steps}}
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<8xf32, #all> to tensor<9xf32>
  %e = tensor.empty() : tensor<9xf32>
  %r = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 3>, layouts = [#all, #all]}} ins(%p : tensor<9xf32>) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @layouts(%x: tensor<8xf32>) -> tensor<9xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{expected layouts, of which a pad has none of its own}}
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%a: index):
    tensor.yield %z : f32
  } {npu.steps = {layouts = [#all]}} : tensor<8xf32> to tensor<9xf32>
  %e = tensor.empty() : tensor<9xf32>
  %r = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 3>, layouts = [#all, #all]}} ins(%p : tensor<9xf32>) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

#all = #npu.layout<DUPLICATED, tiles = 2>
func.func @computed(%x: tensor<8xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{expected static shapes, and one value everywhere that is added}}
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%a: index):
    %i = arith.index_cast %a : index to i32
    %z = arith.sitofp %i : i32 to f32
    tensor.yield %z : f32
  } {npu.steps = {layouts = []}} : tensor<8xf32> to tensor<9xf32>
  %e = tensor.empty() : tensor<9xf32>
  %r = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 3>, layouts = [#all, #all]}} ins(%p : tensor<9xf32>) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}
