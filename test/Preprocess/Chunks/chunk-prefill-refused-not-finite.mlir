// Numbers that are the same in both runs need not be finite, and a sum over
// another loop is what it is after all of its steps: weights of 0 then make NaNs of
// what a cache holds after a row, in one run alone.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-chunk-prefill=chunk-len=4

// The logarithm of a distance is a NaN after a row.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %at: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%at, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %at : index
    %seen = arith.cmpi sle, %j, %p : index
    %d = arith.subi %j, %p : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %ji = arith.index_cast %j : index to i32
    %jf = arith.sitofp %ji : i32 to f32
    %nd = arith.subf %one, %df : f32
    %q = math.log %nd : f32
    %m = arith.select %seen, %zero, %ninf : f32
    %vq = arith.mulf %v, %q : f32
    %t0 = arith.addf %vq, %m : f32
    %t = math.exp %t0 : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A quotient of positions is infinite right after a row.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %at: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%at, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %at : index
    %seen = arith.cmpi sle, %j, %p : index
    %d = arith.subi %j, %p : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %ji = arith.index_cast %j : index to i32
    %jf = arith.sitofp %ji : i32 to f32
    %dm = arith.subf %df, %one : f32
    %q = arith.divf %one, %dm : f32
    %m = arith.select %seen, %zero, %ninf : f32
    %vq = arith.mulf %v, %q : f32
    %t0 = arith.addf %vq, %m : f32
    %t = math.exp %t0 : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// An exponential of a distance overflows.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %at: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%at, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %at : index
    %seen = arith.cmpi sle, %j, %p : index
    %d = arith.subi %j, %p : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %ji = arith.index_cast %j : index to i32
    %jf = arith.sitofp %ji : i32 to f32
    %k = arith.constant 100.0 : f32
    %dk = arith.mulf %df, %k : f32
    %q = math.exp %dk : f32
    %m = arith.select %seen, %zero, %ninf : f32
    %vq = arith.mulf %v, %q : f32
    %t0 = arith.addf %vq, %m : f32
    %t = math.exp %t0 : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A select between infinity and what the cache holds.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %at: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%at, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %at : index
    %seen = arith.cmpi sle, %j, %p : index
    %d = arith.subi %j, %p : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %ji = arith.index_cast %j : index to i32
    %jf = arith.sitofp %ji : i32 to f32
    %dm = arith.subf %df, %one : f32
    %q = arith.divf %one, %dm : f32
    %w = arith.select %seen, %one, %zero : f32
    %pos = arith.cmpf ogt, %v, %zero : f32
    %u = arith.select %pos, %q, %v : f32
    %t = arith.mulf %w, %u : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// The root of what has been summed up so far may be a NaN after a step.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %at: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%at, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %se = tensor.empty(%n) : tensor<?x16xf32>
  %five = arith.constant 1.0 : f32
  %sone = linalg.fill ins(%five : f32) outs(%se : tensor<?x16xf32>) -> tensor<?x16xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(i,j,c)->(j,c)>, affine_map<(i,j,c)->(i,j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%sone : tensor<?x16xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %l = math.sqrt %sum : f32
    %s = arith.addf %l, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]} ins(%sc : tensor<?x16xf32>) outs(%se : tensor<?x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.addi %i, %at : index
    %seen = arith.cmpi sle, %j, %p : index
    %m = arith.select %seen, %zero, %ninf : f32
    %one2 = arith.select %seen, %one, %zero : f32
    %clean = arith.constant 0.5 : f32
    %vv = arith.select %seen, %clean, %v : f32
    %r = arith.mulf %vv, %one2 : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  // expected-error@+1 {{'linalg.matmul' cannot be run in chunks: row i reads entries of operand #0 at positions after row i, where nothing makes them neutral}}
  %y = linalg.matmul ins(%w, %full : tensor<?x16xf32>, tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}
