// Networks have no marks. What keeps them from being run in chunks is said at the operation:
// a cache that grows, or rows that follow from others.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-chunk-prefill=chunk-len=4

// Keys of the past in front of the prompt's, as exporters write them.
// expected-note@+1 {{a cache of static shape can be run in chunks into which the prompt's rows are put at an offset: npu.cache_dim marks it, and npu.cache_offset the offset}}
func.func @main(%x: tensor<1x2x?x4xf32> {npu.dim_names = ["", "", "sequence", ""]}, %past: tensor<1x2x6x4xf32> {npu.name = "past.key"}) -> tensor<1x2x?x4xf32> {
  // expected-error@+1 {{'tensor.concat' cannot be run in chunks: argument #1 'past.key' is a cache that grows along dimension 2 by the prompt's rows, so that every chunk would get one of another shape}}
  %r = tensor.concat dim(2) %past, %x : (tensor<1x2x6x4xf32>, tensor<1x2x?x4xf32>) -> tensor<1x2x?x4xf32>
  return %r : tensor<1x2x?x4xf32>
}

// -----

// The past is a prompt of its own.
// expected-note@+1 {{a cache of static shape can be run in chunks}}
func.func @main(%x: tensor<?x4xf32> {npu.dim_names = ["sequence", ""]}, %past: tensor<?x4xf32> {npu.dim_names = ["past", ""]}) -> tensor<?x4xf32> {
  // expected-error@+1 {{'tensor.concat' cannot be run in chunks: argument #1 is a cache that grows along dimension 0}}
  %r = tensor.concat dim(0) %past, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// Every row follows from all of them.
#rows = affine_map<(i, j, c) -> (i, c)>
#others = affine_map<(i, j, c) -> (j, c)>
#scores = affine_map<(i, j, c) -> (i, j)>
// expected-remark@+1 {{what rows follow from has to come from a cache, and no argument is marked as one with npu.cache_dim, and none as an offset with npu.cache_offset}}
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  // expected-error@+1 {{'tensor.empty' cannot be run in chunks: dimensions 0 and 1 are both the rows of the prompt, so that row 0 has an entry of the last row, which is in another chunk: what is attended to must come from the cache}}
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#rows, #others, #scores], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %t = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Rows follow from nothing but themselves: there is only nothing to say where they begin.
// expected-error@+1 {{expected a function to run in chunks: mark its caches with npu.cache_dim and the position of the prompt's first row with npu.cache_offset}}
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = math.tanh %x : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
