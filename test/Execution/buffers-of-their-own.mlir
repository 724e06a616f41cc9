// What upstream's bufferization takes for one thing or for another, and is not: a
// loop that hands on one tensor as two, an operation without iterations, which
// writes nothing, and the constant inside of a pad. On tiles, at once, and as written.
//
// RUN: npu-opt %s --npu-legalize-distributions -o %t.mlir
// RUN: npu-run %t.mlir --entry=twice --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=twice_around --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=twice_around --reference=%s -O0 --tiles=parallel | FileCheck %s
// RUN: npu-run %t.mlir --entry=views --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=without_iterations --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=constant_inside --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=stands_still --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=unread_input --reference=%s -O0 | FileCheck %s
// RUN: npu-run %s --entry=twice -O0 | FileCheck %s --check-prefix=TWICE
// CHECK: equal
// TWICE: result #0 4xf32: 1 1 1 1
// TWICE: result #1 4xf32: 12 12 12 12

#s = #npu.layout<SEGMENTED, tiles = [2]>
#s2 = #npu.layout<SEGMENTED, tiles = [2, 1]>

// One tensor is both results, and the first is overwritten.
func.func @twice() -> (tensor<4xf32>, tensor<4xf32>) {
  %x = arith.constant dense<3.0> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %d = arith.addf %b, %b : tensor<4xf32>
    scf.yield %d, %d : tensor<4xf32>, tensor<4xf32>
  }
  %q = arith.divf %r#0, %r#0 : tensor<4xf32>
  return %q, %r#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @twice_around(%x: tensor<8xf32, #s>, %n: i1) -> (tensor<8xf32, #s>, tensor<8xf32, #s>, tensor<8xf32, #s>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %x, %c = %x) -> (tensor<8xf32, #s>, tensor<8xf32, #s>, tensor<8xf32, #s>) {
    %d = arith.addf %a, %b : tensor<8xf32, #s>
    scf.yield %d, %a, %a : tensor<8xf32, #s>, tensor<8xf32, #s>, tensor<8xf32, #s>
  }
  %q = arith.mulf %r#1, %r#0 : tensor<8xf32, #s>
  %p = arith.subf %q, %r#0 : tensor<8xf32, #s>
  return %p, %r#2, %q : tensor<8xf32, #s>, tensor<8xf32, #s>, tensor<8xf32, #s>
}

// Two views of one tensor.
func.func @views(%x: tensor<8xf32>, %y: tensor<2x4xf32>) -> (tensor<8xf32>, tensor<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf32>, tensor<2x4xf32>) {
    %d = arith.addf %a, %a : tensor<8xf32>
    %e = tensor.expand_shape %d [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    scf.yield %d, %e : tensor<8xf32>, tensor<2x4xf32>
  }
  %q = arith.mulf %r#0, %r#0 : tensor<8xf32>
  return %q, %r#1 : tensor<8xf32>, tensor<2x4xf32>
}

func.func @without_iterations(%x: tensor<8x0xf32, #s2>, %a: tensor<8xf32, #s>) -> tensor<8xf32, #s> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x0xf32, #s2>) outs(%a : tensor<8xf32, #s>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<8xf32, #s>
  return %y : tensor<8xf32, #s>
}

func.func @constant_inside(%x: tensor<8x4xf32, #s2>) -> tensor<10x4xf32, #s2> {
  %y = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    %c = arith.constant 2.5 : f32
    tensor.yield %c : f32
  } : tensor<8x4xf32, #s2> to tensor<10x4xf32, #s2>
  return %y : tensor<10x4xf32, #s2>
}

// A stride of 0 is none that leads anywhere, and upstream allows it.
func.func @stands_still(%x: tensor<1x4xf32, #s2>, %d: tensor<8x4xf32, #s2>) -> tensor<8x4xf32, #s2> {
  %y = tensor.insert_slice %x into %d[1, 0] [1, 4] [0, 1] : tensor<1x4xf32, #s2> into tensor<8x4xf32, #s2>
  return %y : tensor<8x4xf32, #s2>
}

// An input that nobody reads, of a result in DDR.
func.func @unread_input(%x: tensor<4x4xf32, #s2>, %k: f32) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32, #s2>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %k : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
