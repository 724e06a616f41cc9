// Tiles on threads give the bits that tiles one after the other give: halos,
// loops, several phases, calls of other functions, data that goes through DDR.
//
// RUN: npu-opt %s --npu-legalize-distributions -o %t.mlir
// RUN: npu-run %t.mlir --entry=halos --reference=%s --tiles=parallel | FileCheck %s
// RUN: npu-run %t.mlir --entry=halos --reference=%s --tiles=parallel -O0 --repeat=20 | FileCheck %s
// RUN: npu-run %t.mlir --entry=loop --reference=%s --tiles=parallel --repeat=20 | FileCheck %s
// RUN: npu-run %t.mlir --entry=calls --reference=%s --tiles=parallel | FileCheck %s
// RUN: npu-run %t.mlir --entry=through_ddr --reference=%s --tiles=parallel | FileCheck %s
// RUN: npu-opt %t.mlir --npu-lower-to-tiles --npu-to-llvm=parallel | FileCheck %s --check-prefix=LLVM
// RUN: not npu-run %t.mlir --entry=halos --tiles=threads 2>&1 | FileCheck %s --check-prefix=BAD
// A function without tiles has nothing to run beside anything.
// RUN: npu-run %s --entry=plain --tiles=parallel --inputs=iota | FileCheck %s --check-prefix=PLAIN

// CHECK: 0 different
// CHECK: {{^}}equal
// LLVM: llvm.func @halos
// LLVM: llvm.call @mlirAsyncRuntimeAwaitToken
// BAD: --tiles: expected sequential or parallel, got 'threads'
// PLAIN: result #0 4xf32: -0 -1 -2 -3

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#halo = #npu.layout<OVERLAPPED, tiles = [4, 1], window = [[0, 3, 1, 1, 1]]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>

// Five times to the neighbours and back.
func.func @halos(%x: tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #columns> {
  %e = tensor.empty() : tensor<64x32xf32, #rows>
  %f = tensor.empty() : tensor<64x32xf32, #columns>
  %0 = npu.redistribute %x : tensor<64x32xf32, #rows> to tensor<64x32xf32, #halo>
  %1 = linalg.exp ins(%0 : tensor<64x32xf32, #halo>) outs(%e : tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #rows>
  %2 = linalg.tanh ins(%1 : tensor<64x32xf32, #rows>) outs(%f : tensor<64x32xf32, #columns>) -> tensor<64x32xf32, #columns>
  %3 = linalg.add ins(%2, %x : tensor<64x32xf32, #columns>, tensor<64x32xf32, #rows>) outs(%e : tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #rows>
  %4 = npu.redistribute %3 : tensor<64x32xf32, #rows> to tensor<64x32xf32, #halo>
  %5 = linalg.sub ins(%4, %0 : tensor<64x32xf32, #halo>, tensor<64x32xf32, #halo>) outs(%f : tensor<64x32xf32, #columns>) -> tensor<64x32xf32, #columns>
  return %5 : tensor<64x32xf32, #columns>
}

// Rows to columns and back in every round.
func.func @loop(%x: tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #rows> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %e = tensor.empty() : tensor<64x32xf32, #rows>
  %f = tensor.empty() : tensor<64x32xf32, #columns>
  %r = scf.for %i = %zero to %five step %one iter_args(%v = %x) -> tensor<64x32xf32, #rows> {
    %0 = linalg.tanh ins(%v : tensor<64x32xf32, #rows>) outs(%f : tensor<64x32xf32, #columns>) -> tensor<64x32xf32, #columns>
    %1 = linalg.add ins(%0, %x : tensor<64x32xf32, #columns>, tensor<64x32xf32, #rows>) outs(%e : tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #rows>
    scf.yield %1 : tensor<64x32xf32, #rows>
  }
  return %r : tensor<64x32xf32, #rows>
}

func.func private @negate(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %0 = linalg.negf ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

func.func @calls(%x: tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #columns> {
  %e = tensor.empty() : tensor<64x32xf32, #rows>
  %f = tensor.empty() : tensor<64x32xf32, #columns>
  %0 = linalg.exp ins(%x : tensor<64x32xf32, #rows>) outs(%e : tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #rows>
  %1 = npu.redistribute %0 : tensor<64x32xf32, #rows> to tensor<64x32xf32>
  %2 = func.call @negate(%1) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %3 = npu.redistribute %2 : tensor<64x32xf32> to tensor<64x32xf32, #columns>
  %4 = linalg.exp ins(%3 : tensor<64x32xf32, #columns>) outs(%f : tensor<64x32xf32, #columns>) -> tensor<64x32xf32, #columns>
  return %4 : tensor<64x32xf32, #columns>
}

func.func @through_ddr(%x: tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #columns> {
  %e = tensor.empty() : tensor<64x32xf32, #rows>
  %f = tensor.empty() : tensor<64x32xf32, #columns>
  %0 = linalg.exp ins(%x : tensor<64x32xf32, #rows>) outs(%e : tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #rows>
  %1 = npu.redistribute %0 : tensor<64x32xf32, #rows> to tensor<64x32xf32>
  %2 = npu.redistribute %1 : tensor<64x32xf32> to tensor<64x32xf32, #columns>
  %3 = linalg.add ins(%2, %2 : tensor<64x32xf32, #columns>, tensor<64x32xf32, #columns>) outs(%f : tensor<64x32xf32, #columns>) -> tensor<64x32xf32, #columns>
  return %3 : tensor<64x32xf32, #columns>
}

func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.negf ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
