// What verification accepts runs, also where it is unusual: results on
// different numbers of tiles, branches, blocks that run once, constants of few
// values, outputs that are written in part, values that nobody has written.
//
// RUN: npu-opt %s --npu-legalize-distributions -o %t
// RUN: %python %S/../../Inputs/run_every_entry.py %t %s | FileCheck %s
// RUN: %python %S/../../Inputs/run_every_entry.py %t %s --tiles=parallel | FileCheck %s
// CHECK-NOT: : {{[^e]}}
// CHECK: plain_recursion: equal

#two = #npu.layout<SEGMENTED, tiles = [2, 1]>
#four = #npu.layout<SEGMENTED, tiles = [4, 1]>
#rows = #npu.layout<SEGMENTED, tiles = [2]>
#three = #npu.layout<SEGMENTED, tiles = [3]>
#everywhere = #npu.layout<DUPLICATED, tiles = 4>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#ij = affine_map<(i, j) -> (i, j)>

func.func @on_two_and_on_four(%x: tensor<8x4xi32, #two>) -> (tensor<8x4xi32, #two>, tensor<8x4xi32, #four>) {
  %e = tensor.empty() : tensor<8x4xi32, #two>
  %f = tensor.empty() : tensor<8x4xi32, #four>
  %y:2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xi32, #two>) outs(%e, %f : tensor<8x4xi32, #two>, tensor<8x4xi32, #four>) {
  ^bb0(%v: i32, %o: i32, %p: i32):
    %s = arith.addi %v, %v : i32
    linalg.yield %v, %s : i32, i32
  } -> (tensor<8x4xi32, #two>, tensor<8x4xi32, #four>)
  return %y#0, %y#1 : tensor<8x4xi32, #two>, tensor<8x4xi32, #four>
}

// Neither tile holds what it would write of both.
func.func @accumulates_into_two(%x: tensor<4x4xi32, #two>, %a: tensor<4x4xi32, #two>, %b: tensor<4x4xi32, #columns>)
    -> (tensor<4x4xi32, #two>, tensor<4x4xi32, #columns>) {
  %y:2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xi32, #two>) outs(%a, %b : tensor<4x4xi32, #two>, tensor<4x4xi32, #columns>) {
  ^bb0(%v: i32, %o: i32, %p: i32):
    %s = arith.addi %v, %o : i32
    %t = arith.addi %v, %p : i32
    linalg.yield %s, %t : i32, i32
  } -> (tensor<4x4xi32, #two>, tensor<4x4xi32, #columns>)
  return %y#0, %y#1 : tensor<4x4xi32, #two>, tensor<4x4xi32, #columns>
}

// Where the input lies, each tile would run a part of j for the first result;
// for all of the second it runs all of it.
func.func @results_by_different_loops(%x: tensor<12xi32, #three>, %a: tensor<6xi32, #rows>, %b: tensor<7xi32, #everywhere>)
    -> (tensor<6xi32, #rows>, tensor<7xi32, #everywhere>) {
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j * 2 + 1)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<12xi32, #three>) outs(%a, %b : tensor<6xi32, #rows>, tensor<7xi32, #everywhere>) {
  ^bb0(%v: i32, %o: i32, %p: i32):
    %s = arith.addi %v, %v : i32
    linalg.yield %s, %v : i32, i32
  } -> (tensor<6xi32, #rows>, tensor<7xi32, #everywhere>)
  return %y#0, %y#1 : tensor<6xi32, #rows>, tensor<7xi32, #everywhere>
}

func.func @diagonal(%x: tensor<8x4xf32, #two>, %init: tensor<8x8xf32, #columns>) -> tensor<8x8xf32, #columns> {
  %y = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i, i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x4xf32, #two>) outs(%init : tensor<8x8xf32, #columns>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<8x8xf32, #columns>
  return %y : tensor<8x8xf32, #columns>
}

func.func @runs_once(%x: tensor<8x4xf32, #two>) -> tensor<8x4xf32, #two> {
  %r = scf.execute_region -> tensor<8x4xf32, #two> {
    %s = arith.addf %x, %x : tensor<8x4xf32, #two>
    scf.yield %s : tensor<8x4xf32, #two>
  }
  return %r : tensor<8x4xf32, #two>
}

func.func @branches(%x: tensor<8x4xf32, #two>, %c: i1) -> tensor<8x4xf32, #two> {
  cf.cond_br %c, ^a(%x : tensor<8x4xf32, #two>), ^b(%x : tensor<8x4xf32, #two>)
^a(%p: tensor<8x4xf32, #two>):
  %s = arith.addf %p, %p : tensor<8x4xf32, #two>
  cf.br ^b(%s : tensor<8x4xf32, #two>)
^b(%q: tensor<8x4xf32, #two>):
  return %q : tensor<8x4xf32, #two>
}

// Both ways lead to one block, with different values.
func.func @branches_to_one_block(%x: tensor<8x4xf32, #two>, %c: i1) -> tensor<8x4xf32, #two> {
  %s = arith.mulf %x, %x : tensor<8x4xf32, #two>
  cf.cond_br %c, ^end(%x : tensor<8x4xf32, #two>), ^end(%s : tensor<8x4xf32, #two>)
^end(%r: tensor<8x4xf32, #two>):
  return %r : tensor<8x4xf32, #two>
}

// Every round hands on a tensor of its own.
func.func @while(%x: tensor<8x4xf32, #two>) -> tensor<8x4xf32, #two> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.while (%a = %x, %k = %c0) : (tensor<8x4xf32, #two>, index) -> (tensor<8x4xf32, #two>, index) {
    %again = arith.cmpi slt, %k, %c3 : index
    scf.condition(%again) %a, %k : tensor<8x4xf32, #two>, index
  } do {
  ^bb0(%a: tensor<8x4xf32, #two>, %k: index):
    %s = arith.mulf %a, %x : tensor<8x4xf32, #two>
    %next = arith.addi %k, %c1 : index
    scf.yield %s, %next : tensor<8x4xf32, #two>, index
  }
  return %r#0 : tensor<8x4xf32, #two>
}

func.func @few_values(%x: tensor<8x4xf32, #two>) -> tensor<8x4xf32, #two> {
  %c = arith.constant sparse<[[0, 0], [5, 2]], [1.0, 2.0]> : tensor<8x4xf32, #two>
  %s = arith.addf %x, %c : tensor<8x4xf32, #two>
  return %s : tensor<8x4xf32, #two>
}

// Moved about before it is written.
func.func @nothing_moves(%x: tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns> {
  %e = tensor.empty() : tensor<32xf32>
  %0 = tensor.expand_shape %e [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>
  %1 = npu.redistribute %0 : tensor<8x4xf32> to tensor<8x4xf32, #two>
  %2 = npu.redistribute %1 : tensor<8x4xf32, #two> to tensor<8x4xf32, #columns>
  %r = linalg.exp ins(%x : tensor<8x4xf32, #columns>) outs(%2 : tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns>
  return %r : tensor<8x4xf32, #columns>
}

// A file that calls its entry, which has a scalar, by name.
func.func @plain_recursion(%x: tensor<4xf32>, %again: i1) -> (tensor<4xf32>, i1) {
  %false = arith.constant false
  %r:2 = scf.if %again -> (tensor<4xf32>, i1) {
    %0:2 = func.call @plain_recursion(%x, %false) : (tensor<4xf32>, i1) -> (tensor<4xf32>, i1)
    scf.yield %0#0, %0#1 : tensor<4xf32>, i1
  } else {
    %s = arith.addf %x, %x : tensor<4xf32>
    scf.yield %s, %again : tensor<4xf32>, i1
  }
  return %r#0, %r#1 : tensor<4xf32>, i1
}
