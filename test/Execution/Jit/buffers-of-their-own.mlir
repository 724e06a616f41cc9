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
// RUN: npu-run %t.mlir --entry=chosen_by_number --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=partly_written --reference=%s -O0 | FileCheck %s
// RUN: npu-run %s --entry=for_every_entry --inputs=iota -O0 | FileCheck %s --check-prefix=ENTRY
// RUN: npu-run %s --entry=hands_on_a_constant -O0 | FileCheck %s --check-prefix=CONSTANT
// RUN: npu-run %s --entry=chosen_by_number --inputs=iota -O0 | FileCheck %s --check-prefix=CHOSEN
// ENTRY: result #0 8xi32: 2 2 2 2 2 2 2 2
// CONSTANT: result #0 3xi32: -1 -1 -1
// CHOSEN: result #0 4xi32: 0 3 6 9
// CHOSEN: result #1 4xi32: 0 2 4 6
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

// What is chosen is used on, and so is what it was chosen from.
func.func @chosen_by_number(%x: tensor<4xi32, #s>, %i: index) -> (tensor<4xi32, #s>, tensor<4xi32, #s>) {
  %r = arith.addi %x, %x : tensor<4xi32, #s>
  %s = scf.index_switch %i -> tensor<4xi32, #s>
  case 0 {
    scf.yield %r : tensor<4xi32, #s>
  }
  case 3 {
    scf.yield %r : tensor<4xi32, #s>
  }
  default {
    scf.yield %r : tensor<4xi32, #s>
  }
  %t = arith.addi %s, %x : tensor<4xi32, #s>
  return %t, %r : tensor<4xi32, #s>, tensor<4xi32, #s>
}

// A diagonal is written, and the tensor that it goes into is used besides.
func.func @partly_written(%x: tensor<4xf32, #s>, %a: tensor<4x4xf32, #s2>, %c: i1) -> (tensor<4x4xf32, #s2>, tensor<4x4xf32, #s2>) {
  %v = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32, #s>) outs(%a : tensor<4x4xf32, #s2>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<4x4xf32, #s2>
  %r = scf.if %c -> tensor<4x4xf32, #s2> {
    scf.yield %a : tensor<4x4xf32, #s2>
  } else {
    scf.yield %v : tensor<4x4xf32, #s2>
  }
  return %v, %r : tensor<4x4xf32, #s2>, tensor<4x4xf32, #s2>
}

// An insertion in a region is done anew for every entry.
func.func @for_every_entry(%x: tensor<8xi32>) -> tensor<8xi32> {
  %a = arith.muli %x, %x : tensor<8xi32>
  %e = tensor.empty() : tensor<8xi32>
  %c1 = arith.constant 1 : index
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<8xi32>) outs(%e : tensor<8xi32>) {
  ^bb0(%v: i32, %o: i32):
    %q = tensor.extract %a[%c1] : tensor<8xi32>
    %k = arith.constant 1 : i32
    %s = arith.addi %q, %k : i32
    %t = tensor.insert %s into %a[%c1] : tensor<8xi32>
    %w = tensor.extract %t[%c1] : tensor<8xi32>
    linalg.yield %w : i32
  } -> tensor<8xi32>
  return %g : tensor<8xi32>
}

// The next round adds to what this one hands on.
func.func @hands_on_a_constant(%x: tensor<3xi32>) -> tensor<3xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%q = %x) -> tensor<3xi32> {
    %k = arith.constant dense<-1> : tensor<3xi32>
    %s = arith.addi %q, %q : tensor<3xi32>
    %v = tensor.extract %s[%c0] : tensor<3xi32>
    scf.yield %k : tensor<3xi32>
  }
  return %r : tensor<3xi32>
}
