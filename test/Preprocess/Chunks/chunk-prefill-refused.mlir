// What cannot be shown to follow from rows before alone, or would come out
// differently in another chunk, is refused where it stands, with the reason. All
// functions are prefix sums over a cache, each with one thing changed.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-chunk-prefill=chunk-len=4

// The next row is seen.
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
    %one = arith.constant 1 : index
    %next = arith.addi %p, %one : index
    %seen = arith.cmpi sle, %j, %next : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// The mask is the wrong way around.
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
    %seen = arith.cmpi sge, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// There is no mask.
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
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A mask that leaves what it masks in.
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
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %v : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// Rows are counted from 0 in every chunk.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: a comparison counts rows without the offset, or with the prompt's length: it comes out differently in every chunk}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %i : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// Rows are counted twice from the offset.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: a comparison counts rows without the offset, or with the prompt's length: it comes out differently in every chunk}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %once = arith.addi %i, %offset : index
    %p = arith.addi %once, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// All of the prompt is seen.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: a comparison counts rows without the offset, or with the prompt's length: it comes out differently in every chunk}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi slt, %j, %n : index
    %t = arith.select %seen, %v, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// The row's number in its chunk is a number like others.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: rows are counted without the offset, or the prompt's length is used as a number: both differ in every chunk}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %i32 = arith.index_cast %i : index to i32
    %number = arith.sitofp %i32 : i32 to f32
    %t = arith.select %seen, %number, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A mean divides by the prompt's length.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %n32 = arith.index_cast %n : index to i32
  %length = arith.sitofp %n32 : i32 to f32
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: a number that follows from the offset or from the prompt's length is used: both differ in every chunk}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %t = arith.select %seen, %length, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// The offset is a number like others.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: rows are counted without the offset, or the prompt's length is used as a number: both differ in every chunk}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %o32 = arith.index_cast %offset : index to i32
    %number = arith.sitofp %o32 : i32 to f32
    %t = arith.select %seen, %number, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A table is read by the row's number in its chunk.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}, %table: tensor<16x4xf32>) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: rows are counted without the offset, or the prompt's length is used as a number: both differ in every chunk}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %c = linalg.index 1 : index
    %entry = tensor.extract %table[%i, %c] : tensor<16x4xf32>
    %t = arith.select %seen, %entry, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// The cache is read at a position that the region computes.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: a tensor that follows from the prompt is read by position in the region}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %c = linalg.index 1 : index
    %entry = tensor.extract %full[%j, %c] : tensor<16x4xf32>
    %t = arith.select %seen, %entry, %zero : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// A sum that begins with -0.0 cares for the sign of the zeros that weights of 0 give.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %negative = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%negative : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: weights of 0 give zeros of either sign, and 'arith.addf' may give another result for each}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %w = arith.select %seen, %one, %zero : f32
    %t = arith.mulf %w, %v : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// -65504 added leaves a NaN a NaN.
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
    %seen = arith.cmpi sle, %j, %p : index
    %far = arith.constant -65504.0 : f32
    %m = arith.select %seen, %zero, %far : f32
    %t = arith.addf %v, %m : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// The cache is read before the prompt's rows are in it.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: it reads a cache before the prompt's entries are in it, so that a later chunk would find others there}}
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%cache : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {
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

// Rows go into the cache elsewhere.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  // expected-error@+1 {{'tensor.insert_slice' cannot be run in chunks: expected the chunk's rows, all of them, to go into the cache at the offset}}
  %full = tensor.insert_slice %x into %cache[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
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

// Every other place of the cache.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  // expected-error@+1 {{'tensor.insert_slice' cannot be run in chunks: expected the chunk's rows, all of them, to go into the cache at the offset}}
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [2, 1] : tensor<?x4xf32> into tensor<16x4xf32>
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

// The cache is not returned.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> tensor<?x4xf32> {
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
  // expected-error@+1 {{'func.return' cannot be run in chunks: the cache of argument #1 is not returned with the prompt's entries, so that the next chunk would not find them}}
  return %y : tensor<?x4xf32>
}

// -----

// The cache is returned as it was.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
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
  // expected-error@+1 {{'func.return' cannot be run in chunks: result #1 is the cache without the prompt's entries}}
  return %y, %cache : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

// The cache is returned twice.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) {
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
  // expected-error@+1 {{'func.return' cannot be run in chunks: the cache of argument #1 is returned twice}}
  return %y, %full, %full : tensor<?x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
}

// -----

// A result that the prompt has no part in.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}, %table: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>) {
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
  // expected-error@+1 {{'func.return' cannot be run in chunks: result #2 does not follow from the prompt}}
  return %y, %full, %table : tensor<?x4xf32>, tensor<16x4xf32>, tensor<4xf32>
}

// -----

// A sum over the rows of the prompt.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'linalg.reduce' cannot be run in chunks: it reduces over the rows of the prompt, so that its result follows from the last row, and a chunk has only its own}}
  %mean = linalg.reduce { arith.addf } ins(%x : tensor<?x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
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

// Two rows are one.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'tensor.collapse_shape' cannot be run in chunks: it merges or splits rows of the prompt or positions of the cache}}
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
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

// The prompt's first rows.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'tensor.extract_slice' cannot be run in chunks: it takes rows that are neither all of the chunk's nor the prompt's last one}}
  %first = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
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

// Something before the rows.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'tensor.concat' cannot be run in chunks: it puts something before or after rows of the prompt or positions of the cache}}
  %more = tensor.concat dim(0) %x, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
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

// A part of the cache.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'tensor.extract_slice' cannot be run in chunks: it takes a part of the positions}}
  %half = tensor.extract_slice %full[0, 0] [8, 4] [1, 1] : tensor<16x4xf32> to tensor<8x4xf32>
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

// Rows that follow from the last one.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %c1 = arith.constant 1 : index
  %at = arith.subi %n, %c1 : index
  %last = tensor.extract_slice %x[%at, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' cannot be run in chunks: rows follow from the prompt's last rows}}
  %shifted = linalg.generic {indexing_maps = [affine_map<(i, c) -> (c)>, affine_map<(i, c) -> (i, c)>], iterator_types = ["parallel", "parallel"]} ins(%last : tensor<4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%l: f32, %o: f32):
    %r = arith.addf %l, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x4xf32>
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

// A tensor of another size.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %twice = arith.addi %n, %n : index
  // expected-error@+1 {{'tensor.empty' cannot be run in chunks: dimension 0 is neither static nor the rows of the prompt}}
  %large = tensor.empty(%twice) : tensor<?xf32>
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

// An operation that nobody knows.
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %few = arith.cmpi slt, %n, %offset : index
  // expected-error@+1 {{'scf.if' cannot be run in chunks: it is not known what it does with the prompt's rows}}
  %either = scf.if %few -> tensor<?x4xf32> {
    scf.yield %x : tensor<?x4xf32>
  } else {
    scf.yield %init : tensor<?x4xf32>
  }
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
