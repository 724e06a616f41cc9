// Ways in which a chunk could come out differently that are easily missed: numbers
// that wrap, zeros of another sign, parts that stay as they were, a cache that is
// there twice. Each was accepted once, or gave invalid IR or another error.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-chunk-prefill=chunk-len=4

// Keys cut at the offset along another dimension: nothing of them is the same after a row.
func.func @f(%x: tensor<?x16xf32>, %cache: tensor<16x16xf32> {npu.cache_dim = 1}, %offset: index {npu.cache_offset}) -> (tensor<?xf32>, tensor<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %xt_e = tensor.empty(%n) : tensor<16x?xf32>
  %xt = linalg.transpose ins(%x : tensor<?x16xf32>) outs(%xt_e : tensor<16x?xf32>) permutation = [1, 0]
  %full = tensor.insert_slice %xt into %cache[0, %offset] [16, %n] [1, 1] : tensor<16x?xf32> into tensor<16x16xf32>
  %cut = tensor.extract_slice %full[%offset, 0] [%n, 16] [1, 1] : tensor<16x16xf32> to tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{'linalg.reduce' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.reduce { arith.addf } ins(%cut : tensor<?x16xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  return %y, %full : tensor<?xf32>, tensor<16x16xf32>
}

// -----

// The cache that is attended to is not the one that the next chunk gets.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %x2 = arith.addf %x, %x : tensor<?x4xf32>
  // expected-error@+1 {{'tensor.insert_slice' cannot be run in chunks: the cache of argument #1 is updated twice, and the next chunk would find one update alone}}
  %full2 = tensor.insert_slice %x2 into %full[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full2 : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// Positions from 128 on are below zero in an i8, and before every row.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<200x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<200x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<200x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<200x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %j8 = arith.index_cast %j : index to i8
    %p8 = arith.index_cast %p : index to i8
    %near = arith.cmpi sle, %j8, %p8 : i8
    %t = arith.select %near, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<200x4xf32>
}

// -----

// Four times as large wraps to zero.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %j8 = arith.index_cast %j : index to i32
    %p8 = arith.index_cast %p : index to i32
    %k = arith.constant 1073741824 : i32
    %jm = arith.muli %j8, %k : i32
    %pm = arith.muli %p8, %k : i32
    %near = arith.cmpi sle, %jm, %pm : i32
    %t = arith.select %near, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A table is read at the row's number in its chunk, through a window.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
#p2 = affine_map<(i, c) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %table: tensor<32xf32>, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: operand #1 is indexed by a row's number in its chunk}}
  %z = linalg.generic {indexing_maps = [#p2, affine_map<(i, c) -> (i + c)>, #p2], iterator_types = ["parallel", "parallel"]} ins(%y, %table : tensor<?x4xf32>, tensor<32xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x4xf32>
  return %z, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A table has as many entries as one prompt has rows, and a chunk has fewer.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
#p2 = affine_map<(i, c) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %table: tensor<16x4xf32>, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: operand #1 is indexed by a row's number in its chunk}}
  %z = linalg.generic {indexing_maps = [#p2, #p2, #p2], iterator_types = ["parallel", "parallel"]} ins(%y, %table : tensor<?x4xf32>, tensor<16x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x4xf32>
  return %z, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A finite cache has roots that are none.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %w = arith.select %seen, %one, %zero : f32
    %q = math.sqrt %v : f32
    %t = arith.mulf %q, %w : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// -inf and a root that is NaN.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %w = arith.select %seen, %zero, %ninf : f32
    %q = math.sqrt %v : f32
    %t = arith.addf %q, %w : f32
    %ex = math.exp %t : f32
    %s = arith.addf %sum, %ex : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A sum that is turned around in every step may be -0.0, and then cares for the sign of zeros.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: weights of 0 give zeros of either sign, and 'arith.addf' may give another result for each}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %w = arith.select %seen, %zero, %zero : f32
    %t = arith.mulf %v, %w : f32
    %s = arith.addf %sum, %t : f32
    %r = arith.negf %s : f32
    linalg.yield %r : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// Two sums take turns.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: weights of 0 give zeros of either sign, and 'arith.addf' may give another result for each}}
  %y, %w = linalg.generic {indexing_maps = [#cache, #rows, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init, %init : tensor<?x4xf32>, tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %w0 = arith.select %seen, %zero, %zero : f32
    %wz = arith.mulf %w0, %v : f32
    %s = arith.addf %sum, %wz : f32
    %s2 = arith.negf %o : f32
    linalg.yield %s2, %s : f32, f32
  } -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// 0.0 times the row's number in its chunk less one: a zero, but of another sign.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
#p2 = affine_map<(i, c) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: rows are counted without the offset, or the prompt's length is used as a number: both differ in every chunk}}
  %z = linalg.generic {indexing_maps = [#p2, #p2], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %i32 = arith.index_cast %i : index to i32
    %f = arith.sitofp %i32 : i32 to f32
    %below = arith.subf %f, %one : f32
    %r = arith.mulf %below, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x4xf32>
  return %z, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// What is not written of an output stays what it was.
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x2xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %full2 = tensor.extract_slice %full[0, 0] [16, 2] [1, 1] : tensor<16x4xf32> to tensor<16x2xf32>
  %col = tensor.extract_slice %full[0, 0] [16, 1] [1, 1] : tensor<16x4xf32> to tensor<16xf32>
  %x2 = tensor.extract_slice %x[0, 0] [%n, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
  %se = tensor.empty(%n) : tensor<?x16x2xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(i, j, c) -> (i, c)>, affine_map<(i, j, c) -> (j, c)>, affine_map<(i, j, c) -> (i, j, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x2, %full2 : tensor<?x2xf32>, tensor<16x2xf32>) outs(%se : tensor<?x16x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x16x2xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: it writes a part of operand #1}}
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j, 0)>], iterator_types = ["parallel", "parallel"]} ins(%col : tensor<16xf32>) outs(%sc : tensor<?x16x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %zero : f32
  } -> tensor<?x16x2xf32>
  %e2 = tensor.empty(%n) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.reduce { arith.addf } ins(%m : tensor<?x16x2xf32>) outs(%init : tensor<?x2xf32>) dimensions = [1]
  return %y, %full : tensor<?x2xf32>, tensor<16x4xf32>
}

// -----

// Positions before the chunk are counted below zero, which is far after, unsigned.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: an unsigned comparison takes what is counted from the chunk's first row, and may be below zero, for a large number}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %back = arith.subi %j, %offset : index
    %near = arith.cmpi ule, %back, %i : index
    %t = arith.select %near, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// Which dimension has the rows is no longer in the type.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x?xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  // expected-error@+1 {{'tensor.cast' cannot be run in chunks: expected a cast that keeps the shape, got tensor<?x4xf32> to tensor<?x?xf32>}}
  %yc = tensor.cast %y : tensor<?x4xf32> to tensor<?x?xf32>
  return %yc, %full : tensor<?x?xf32>, tensor<16x4xf32>
}

// -----

// A table of as many entries as one prompt has rows, elementwise.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %t16: tensor<16x4xf32>, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  %tc = tensor.cast %t16 : tensor<16x4xf32> to tensor<?x4xf32>
  // expected-error@+1 {{'arith.addf' cannot be run in chunks: rows of the prompt meet what are none in operand #0}}
  %z = arith.addf %tc, %y : tensor<?x4xf32>
  return %z, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// The same, beside other columns.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %t16: tensor<16x2xf32>, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  %tc = tensor.cast %t16 : tensor<16x2xf32> to tensor<?x2xf32>
  // expected-error@+1 {{'tensor.insert_slice' cannot be run in chunks: what it writes along dimension 0 differs in every chunk}}
  %z = tensor.insert_slice %tc into %y[0, 0] [%n, 2] [1, 1] : tensor<?x2xf32> into tensor<?x4xf32>
  return %z, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// 16 divided by the prompt's length less 4 traps in chunks of 4.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %c4 = arith.constant 4 : index
  %less = arith.subi %n, %c4 : index
  // expected-error@+1 {{'arith.divsi' cannot be run in chunks: it may trap on the offset or the length of a chunk}}
  %q = arith.divsi %c4, %less : index
  %qs = arith.cmpi eq, %q, %q : index
  cf.assert %qs, "no matter"
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// What holds for the prompt does not hold for a chunk of it.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %c5 = arith.constant 1 : index
  %ok = arith.cmpi ne, %n, %c5 : index
  // expected-error@+1 {{'cf.assert' cannot be run in chunks: it may hold for the prompt and not for a chunk of it}}
  cf.assert %ok, "more than one"
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// An operation that may count how often it runs.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func private @g(%a: f32) -> f32 { return %a : f32 }
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: it is not known what 'func.call' in the region does}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %w = func.call @g(%v) : (f32) -> f32
    %t = arith.select %seen, %w, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// What the cache holds after a row may be 0.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: 'arith.divsi' in the region may trap on what the cache holds after a row}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %vi = arith.fptosi %v : f32 to i32
    %k = arith.constant 100 : i32
    %d = arith.divsi %k, %vi : i32
    %df = arith.sitofp %d : i32 to f32
    %t = arith.select %seen, %df, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}
