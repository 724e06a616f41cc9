// A prefill function with a cache of static shape decodes with it as state: every run has
// the bits of the function on all rows from position 0 on. It can be run in chunks as well,
// whose function has no such cache.
//
// RUN: npu-compile %s --max-prompt-len=8 --target=npu4000 -O0 -o %t.npub 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: npu-run %t.npub --length=3 --steps=4 --reference=%s | FileCheck %s --check-prefix=STEPS
// RUN: not npu-run %t.npub --length=3 --steps=14 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: npu-opt %s --npu-chunk-prefill=chunk-len=4 | FileCheck %s --check-prefix=CHUNK
//
// REMARK: remark: 1 cache of 16 positions, to which rows are added in place
// STEPS: prompt: 3 rows at position 0
// STEPS: state: 7 of 16 positions
// STEPS-NEXT: 5 runs, 0 different
// FULL: expected at most 16 positions, the capacity of cache '#2' (input #2), got 0 in the state, 3 of the prompt and 14 steps of 1
// CHUNK: func.func private @main_chunk_4
// CHUNK-NOT: npu.cache
// CHUNK: func.func @main
// CHUNK-SAME: npu.cache = "#1"

func.func @main(%q: tensor<?x4xf32>, %k: tensor<?x2xf32>, %cache: tensor<16x4xf32> {npu.cache = "#1", npu.cache_dim = 0}, %offset: index {npu.cache_offset})
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
