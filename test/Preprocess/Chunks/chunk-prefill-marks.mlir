// Marks that do not say what a prefill function is are errors with the numbers.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-chunk-prefill=chunk-len=4
// RUN: not npu-opt %s --npu-chunk-prefill 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not npu-opt %s --npu-chunk-prefill="chunk-len=4 side=up" 2>&1 | FileCheck %s --check-prefix=SIDE
// NONE: error: expected chunk-len of at least 1, got 0
// RUN: not npu-opt %s --npu-chunk-prefill=chunk-len=2147483648 2>&1 | FileCheck %s --check-prefix=MOST
// MOST: error: expected chunk-len of at most 2147483647, got 2147483648
// SIDE: error: expected side=right or side=left, got 'up'

// expected-error@+1 {{expected a function to run in chunks: mark its caches with npu.cache_dim and the position of the prompt's first row with npu.cache_offset}}
func.func @unmarked(%x: tensor<?x4xf32>) {
  return
}

// -----

// expected-error@+1 {{expected both a cache (npu.cache_dim) and the position of the prompt's first row (npu.cache_offset) to be marked, got the cache alone}}
func.func @cache(%x: tensor<?x4xf32>, %c: tensor<16x4xf32> {npu.cache_dim = 0}) {
  return
}

// -----

// expected-error@+1 {{to be marked, got the position alone}}
func.func @offset(%x: tensor<?x4xf32>, %o: index {npu.cache_offset}) {
  return
}

// -----

// expected-error@+1 {{expected one argument with npu.cache_offset, got #1 and #2}}
func.func @offsets(%x: tensor<?x4xf32>, %o: index {npu.cache_offset}, %p: i32 {npu.cache_offset}) {
  return
}

// -----

// The offset of a later chunk would wrap.
// expected-error@+1 {{argument #2: expected npu.cache_offset on a type that counts the cache's 200 entries, got 'i8'}}
func.func @offset_type(%x: tensor<?x4xf32>, %c: tensor<200x4xf32> {npu.cache_dim = 0}, %o: i8 {npu.cache_offset}) {
  return
}

// -----

// expected-error@+1 {{argument #1: expected a cache of static shape, got 'tensor<?x4xf32>'}}
func.func @dynamic_cache(%x: tensor<?x4xf32>, %c: tensor<?x4xf32> {npu.cache_dim = 0}, %o: index {npu.cache_offset}) {
  return
}

// -----

// expected-error@+1 {{expected a prompt length that is known at run time alone, got 5: make its dimensions dynamic}}
func.func @known(%x: tensor<5x4xf32> {npu.prompt_dim = 0}, %c: tensor<16x4xf32> {npu.cache_dim = 0}, %o: index {npu.cache_offset}) {
  return
}

// -----

// expected-error@+1 {{expected a prompt dimension to divide into chunks: make it dynamic}}
func.func @no_prompt(%x: tensor<5x4xf32>, %c: tensor<16x4xf32> {npu.cache_dim = 0}, %o: index {npu.cache_offset}) {
  return
}

// -----

// expected-error@+1 {{argument #0 cannot be cut into chunks: expected one prompt dimension, got 2}}
func.func @mask(%x: tensor<?x?xf32>, %c: tensor<16x4xf32> {npu.cache_dim = 0}, %o: index {npu.cache_offset}) {
  return
}

// -----

func.func private @taken_chunk_4()

// expected-error@+1 {{expected no function 'taken_chunk_4' yet: it is to be 'taken' for chunks of 4}}
func.func @taken(%x: tensor<?x4xf32>, %c: tensor<16x4xf32> {npu.cache_dim = 0}, %o: index {npu.cache_offset}) {
  return
}

// -----

// expected-error@+1 {{expected a function of one block to run in chunks, got 2 blocks}}
func.func @blocks(%x: tensor<?x4xf32>, %c: tensor<16x4xf32> {npu.cache_dim = 0}, %o: index {npu.cache_offset}) {
  cf.br ^next
^next:
  return
}
