// What a prefill function may do and still be run in chunks, each form equal at
// every length from every offset to the whole prompt at once, with padding of NaN
// in the last chunk.
//
// RUN: npu-opt %s --npu-chunk-prefill="chunk-len=4 poison" -o %t.mlir
// RUN: npu-run %t.mlir --entry=sums_from_0 --reference=%s --length=1..16 -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=sums_from_3 --reference=%s --length=1..13 -O0 | FileCheck %s --check-prefix=FROM-3
// RUN: npu-run %t.mlir --entry=attention_from_0 --reference=%s --length=1..16 -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=attention_from_3 --reference=%s --length=1..13 -O0 | FileCheck %s --check-prefix=FROM-3
// RUN: npu-opt %s --npu-chunk-prefill="chunk-len=3 poison side=left" -o %t.left.mlir
// RUN: npu-run %t.left.mlir --entry=sums_from_3 --reference=%s --length=1..13 -O0 | FileCheck %s --check-prefix=FROM-3
// RUN: npu-run %t.left.mlir --entry=attention_from_3 --reference=%s --length=1..13 -O0 | FileCheck %s --check-prefix=FROM-3
// RUN: npu-run %t.mlir --entry=applied_from_3 --reference=%s --length=1..13 -O0 | FileCheck %s --check-prefix=FROM-3
// CHECK: 16 lengths, 0 different
// CHECK-NEXT: equal
// FROM-3: 13 lengths, 0 different
// FROM-3-NEXT: equal

// A prompt that the cache has no room for is refused before it runs.
// RUN: not npu-run %t.mlir --entry=sums_from_3 --length=14 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: not npu-run %t.mlir --entry=attention_from_the_end --length=1 2>&1 | FileCheck %s --check-prefix=END
// END: error: at length 1: 'attention': expected a prompt length of at least 1 that ends, from the offset on, within the 16 entries of the cache
// ROOM: error: at length 14: 'sums': expected a prompt length of at least 1 that ends, from the offset on, within the 16 entries of the cache

#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>

// Sums over the cache by weights of 0 and 1; the offset is an i32; a table is cut at the
// offset, another one is read by position; the last row and the sum of the whole
// cache are results. What is asserted for the prompt holds for its chunks.
func.func @sums(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %table: tensor<16x4xf32>, %offset: i32 {npu.cache_offset})
    -> (tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %at = arith.index_cast %offset : i32 to index
  %end = arith.addi %at, %n : index
  %entries = arith.constant 16 : index
  %fits = arith.cmpi ule, %end, %entries : index
  cf.assert %fits, "expected room in the cache"
  %part = tensor.extract_slice %table[%at, 0] [%n, 4] [1, 1] : tensor<16x4xf32> to tensor<?x4xf32>
  %turned = arith.mulf %x, %part : tensor<?x4xf32>
  %full = tensor.insert_slice %turned into %cache[%at, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %c = linalg.index 1 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %at : index
    %after = arith.cmpi ugt, %j, %p : index
    %w = arith.select %after, %zero, %one : f32
    %known = tensor.extract %table[%p, %c] : tensor<16x4xf32>
    %scaled = arith.mulf %v, %w : f32
    %t = arith.mulf %scaled, %known : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  %last_at = arith.subi %n, %c1 : index
  %last = tensor.extract_slice %y[%last_at, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  %init4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %all = linalg.reduce { arith.addf } ins(%full : tensor<16x4xf32>) outs(%init4 : tensor<4xf32>) dimensions = [0]
  %ended = arith.addf %last, %all : tensor<4xf32>
  return %y, %full, %ended, %all : tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @sums_from_0(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32>, %table: tensor<16x4xf32>) -> (tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %offset = arith.constant 0 : i32
  %r:4 = call @sums(%x, %cache, %table, %offset) : (tensor<?x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, i32) -> (tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @sums_from_3(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32>, %table: tensor<16x4xf32>) -> (tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %offset = arith.constant 3 : i32
  %r:4 = call @sums(%x, %cache, %table, %offset) : (tensor<?x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, i32) -> (tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Attention with a named softmax, whose mask is -inf added to the scores, and rows
// put together from columns.
func.func @attention(%q: tensor<?x4xf32>, %k: tensor<?x2xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset})
    -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %q, %c0 : tensor<?x4xf32>
  %two = tensor.concat dim(1) %k, %k : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
  %full = tensor.insert_slice %two into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %se = tensor.empty(%n) : tensor<?x16xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<?x16xf32>) -> tensor<?x16xf32>
  %te = tensor.empty() : tensor<4x16xf32>
  %keys = linalg.transpose ins(%full : tensor<16x4xf32>) outs(%te : tensor<4x16xf32>) permutation = [1, 0]
  %scores = linalg.matmul ins(%q, %keys : tensor<?x4xf32>, tensor<4x16xf32>) outs(%sz : tensor<?x16xf32>) -> tensor<?x16xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%scores : tensor<?x16xf32>) outs(%se : tensor<?x16xf32>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %back = arith.subi %j, %offset : index
    %seen = arith.cmpi sle, %back, %i : index
    %far = arith.constant 0xFF800000 : f32
    %m = arith.select %seen, %zero, %far : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %weights = linalg.softmax dimension(1) ins(%masked : tensor<?x16xf32>) outs(%se : tensor<?x16xf32>) -> tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.matmul ins(%weights, %full : tensor<?x16xf32>, tensor<16x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
  %left = tensor.extract_slice %y[0, 0] [%n, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
  %back = tensor.insert_slice %left into %q[0, 2] [%n, 2] [1, 1] : tensor<?x2xf32> into tensor<?x4xf32>
  return %back, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

func.func @attention_from_0(%q: tensor<?x4xf32>, %k: tensor<?x2xf32>, %cache: tensor<16x4xf32>) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %offset = arith.constant 0 : index
  %r:2 = call @attention(%q, %k, %cache, %offset) : (tensor<?x4xf32>, tensor<?x2xf32>, tensor<16x4xf32>, index) -> (tensor<?x4xf32>, tensor<16x4xf32>)
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<16x4xf32>
}

func.func @attention_from_3(%q: tensor<?x4xf32>, %k: tensor<?x2xf32>, %cache: tensor<16x4xf32>) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %offset = arith.constant 3 : index
  %r:2 = call @attention(%q, %k, %cache, %offset) : (tensor<?x4xf32>, tensor<?x2xf32>, tensor<16x4xf32>, index) -> (tensor<?x4xf32>, tensor<16x4xf32>)
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<16x4xf32>
}

// The sum of this offset and a length wraps.
func.func @attention_from_the_end(%q: tensor<?x4xf32>, %k: tensor<?x2xf32>, %cache: tensor<16x4xf32>) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %offset = arith.constant 9223372036854775807 : index
  %r:2 = call @attention(%q, %k, %cache, %offset) : (tensor<?x4xf32>, tensor<?x2xf32>, tensor<16x4xf32>, index) -> (tensor<?x4xf32>, tensor<16x4xf32>)
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<16x4xf32>
}

// Positions by an affine.apply outside of any body: it is run, like the rest, where the
// loop over the chunks calls it.
func.func @applied(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset})
    -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %at = affine.apply affine_map<(d0) -> (d0)>(%offset)
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, c) -> (i, c)>, affine_map<(i, c) -> (i, c)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %p = arith.addi %i, %at : index
    %pi = arith.index_cast %p : index to i32
    %pf = arith.sitofp %pi : i32 to f32
    %m = arith.mulf %a, %pf : f32
    linalg.yield %m : f32
  } -> tensor<?x4xf32>
  %full = tensor.insert_slice %y into %cache[%at, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

func.func @applied_from_3(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32>) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %offset = arith.constant 3 : index
  %r:2 = call @applied(%x, %cache, %offset) : (tensor<?x4xf32>, tensor<16x4xf32>, index) -> (tensor<?x4xf32>, tensor<16x4xf32>)
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<16x4xf32>
}
