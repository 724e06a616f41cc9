// Third operations in chunks of a prompt: by what they say of its rows, and
// refused where they say nothing.
// RUN: split-file %s %t
// RUN: npu-third-opt %t/last-row.mlir --npu-chunk-prefill="chunk-len=3 poison" -o %t/chunks.mlir
// RUN: npu-third-run %t/chunks.mlir --reference=%t/last-row.mlir --entry=from_3 --length=1..9 | FileCheck %s
// RUN: npu-third-opt %t/refused.mlir --split-input-file --verify-diagnostics --npu-chunk-prefill=chunk-len=3
// RUN: not npu-third-opt --without-models %t/last-row.mlir --npu-chunk-prefill=chunk-len=3 2>&1 | FileCheck %s --check-prefix=NO-MODEL

// CHECK: 9 lengths, 0 different
// CHECK-NEXT: {{^}}equal
// NO-MODEL: error: 'third.reverse' cannot be run in chunks: its dialect promises a model of npu::CausalOpInterface, which is not registered

//--- last-row.mlir

// The last chunk reverses the columns of the prompt's last row; and the columns
// of a table are the same in every chunk.
func.func @prefill(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}, %table: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %end = arith.subi %n, %c1 : index
  %last = tensor.extract_slice %x[%end, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
  %back = third.reverse %last along 1 : tensor<1x4xf32> -> tensor<1x4xf32>
  %weights = third.reverse %table along 1 : tensor<1x4xf32> -> tensor<1x4xf32>
  %y = arith.mulf %back, %weights : tensor<1x4xf32>
  return %y, %full : tensor<1x4xf32>, tensor<16x4xf32>
}

func.func @from_3(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32>, %table: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<16x4xf32>) {
  %c3 = arith.constant 3 : index
  %y:2 = call @prefill(%x, %cache, %c3, %table) : (tensor<?x4xf32>, tensor<16x4xf32>, index, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<16x4xf32>)
  return %y#0, %y#1 : tensor<1x4xf32>, tensor<16x4xf32>
}

//--- refused.mlir

func.func @rows(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  // expected-error@+1 {{'third.reverse' cannot be run in chunks: it reverses rows of the prompt or positions of the cache}}
  %y = third.reverse %x along 0 : tensor<?x4xf32> -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}

// -----

func.func @positions(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  // expected-error@+1 {{'third.reverse' cannot be run in chunks: it reverses rows of the prompt or positions of the cache}}
  %y = third.reverse %full along 0 : tensor<16x4xf32> -> tensor<16x4xf32>
  return %y, %full : tensor<16x4xf32>, tensor<16x4xf32>
}

// -----

// What is reversed is the cache no longer.
func.func @cache(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> tensor<16x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %y = third.reverse %full along 1 : tensor<16x4xf32> -> tensor<16x4xf32>
  // expected-error@+1 {{'func.return' cannot be run in chunks: result #0 follows from a cache, but is none}}
  return %y : tensor<16x4xf32>
}

// -----

// A cache is for those to read who know that it is one.
func.func @old(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> tensor<16x4xf32> {
  // expected-error@+1 {{'third.reverse' cannot be run in chunks: it reads a cache before the prompt's entries are in it, so that a later chunk would find others there}}
  %y = third.reverse %cache along 1 : tensor<16x4xf32> -> tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

// -----

// It has a model, which says nothing of its result.
func.func @silent(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  // expected-error@+1 {{'third.half_taught' cannot be run in chunks: it is not known what it does with the prompt's rows}}
  %y = third.half_taught %x : tensor<?x4xf32> -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}
