// Which divisions and remainders may trap on what a cache holds after a row:
// all that divide by an entry of it, whatever upstream speculates with, and by
// -1 those of signed numbers.
// RUN: sed 's/DIVISION/divsi/;s/DIVISOR/%%entry/' %s | not npu-opt --npu-chunk-prefill=chunk-len=3 2>&1 | FileCheck %s -DOP=arith.divsi
// RUN: sed 's/DIVISION/divui/;s/DIVISOR/%%entry/' %s | not npu-opt --npu-chunk-prefill=chunk-len=3 2>&1 | FileCheck %s -DOP=arith.divui
// RUN: sed 's/DIVISION/ceildivsi/;s/DIVISOR/%%entry/' %s | not npu-opt --npu-chunk-prefill=chunk-len=3 2>&1 | FileCheck %s -DOP=arith.ceildivsi
// RUN: sed 's/DIVISION/ceildivui/;s/DIVISOR/%%entry/' %s | not npu-opt --npu-chunk-prefill=chunk-len=3 2>&1 | FileCheck %s -DOP=arith.ceildivui
// RUN: sed 's/DIVISION/floordivsi/;s/DIVISOR/%%entry/' %s | not npu-opt --npu-chunk-prefill=chunk-len=3 2>&1 | FileCheck %s -DOP=arith.floordivsi
// RUN: sed 's/DIVISION/remsi/;s/DIVISOR/%%entry/' %s | not npu-opt --npu-chunk-prefill=chunk-len=3 2>&1 | FileCheck %s -DOP=arith.remsi
// RUN: sed 's/DIVISION/remui/;s/DIVISOR/%%entry/' %s | not npu-opt --npu-chunk-prefill=chunk-len=3 2>&1 | FileCheck %s -DOP=arith.remui
// RUN: sed 's/DIVISION/remsi/;s/DIVISOR/%%least/' %s | not npu-opt --npu-chunk-prefill=chunk-len=3 2>&1 | FileCheck %s -DOP=arith.remsi
// RUN: sed 's/DIVISION/remui/;s/DIVISOR/%%least/' %s | npu-opt --npu-chunk-prefill=chunk-len=3 | FileCheck %s --check-prefix=CHUNKS
// RUN: sed 's/DIVISION/floordivsi/;s/DIVISOR/%%three/' %s | npu-opt --npu-chunk-prefill=chunk-len=3 | FileCheck %s --check-prefix=CHUNKS

// CHECK: error: 'linalg.generic' cannot be run in chunks: '[[OP]]' in the region may trap on what the cache holds after a row
// CHUNKS: func.func private @f_chunk_3
#cache = affine_map<(i, c, j) -> (j, c)>
#rows = affine_map<(i, c, j) -> (i, c)>
func.func @f(%x: tensor<?x4xi32>, %cache: tensor<16x4xi32> {npu.cache_dim = 0}, %offset: index {npu.cache_offset}) -> (tensor<?x4xi32>, tensor<16x4xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %least = arith.constant -1 : i32
  %three = arith.constant 3 : i32
  %n = tensor.dim %x, %c0 : tensor<?x4xi32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xi32> into tensor<16x4xi32>
  %e = tensor.empty(%n) : tensor<?x4xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<?x4xi32>) -> tensor<?x4xi32>
  %y = linalg.generic {indexing_maps = [#cache, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%full : tensor<16x4xi32>) outs(%init : tensor<?x4xi32>) {
  ^bb0(%entry: i32, %sum: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %p : index
    %d = arith.DIVISION %entry, DIVISOR : i32
    %t = arith.select %seen, %d, %zero : i32
    %s = arith.addi %sum, %t : i32
    linalg.yield %s : i32
  } -> tensor<?x4xi32>
  return %y, %full : tensor<?x4xi32>, tensor<16x4xi32>
}
