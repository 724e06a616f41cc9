// Results become buffers of the caller. A function that returns at two places,
// the same values in another order, has to keep them apart until it returns; so
// does one that returns what was two values until a branch of it was folded.
//
// RUN: npu-run %s --entry=second --inputs=iota | FileCheck %s --check-prefix=SECOND
// RUN: npu-run %s --entry=first --inputs=iota | FileCheck %s --check-prefix=FIRST
// RUN: npu-opt %s --npu-lower-to-tiles --npu-to-buffers -o %t.mlir
// RUN: npu-run %t.mlir --entry=first --reference=%s --inputs=iota | FileCheck %s
// RUN: npu-run %t.mlir --entry=second --reference=%s --inputs=iota | FileCheck %s
// RUN: npu-run %t.mlir --entry=tiles --reference=%s --inputs=iota | FileCheck %s
// RUN: npu-run %s --entry=one_twice --reference=%s | FileCheck %s

// CHECK: equal

// FIRST: result #0 4xi32: 2 3 4 5
// FIRST: result #1 4xi32: 0 2 4 6
// SECOND: result #0 4xi32: 0 2 4 6
// SECOND: result #1 4xi32: 2 3 4 5
func.func @second(%x: tensor<4xi32>, %c: i1) -> (tensor<4xi32>, tensor<4xi32>) {
  %two = arith.constant dense<2> : tensor<4xi32>
  %a = arith.addi %x, %two : tensor<4xi32>
  %b = arith.muli %x, %two : tensor<4xi32>
  cf.cond_br %c, ^first, ^second
^first:
  return %a, %b : tensor<4xi32>, tensor<4xi32>
^second:
  return %b, %a : tensor<4xi32>, tensor<4xi32>
}

func.func @first(%x: tensor<4xi32>, %c: i1) -> (tensor<4xi32>, tensor<4xi32>) {
  %true = arith.constant true
  %not = arith.xori %c, %true : i1
  %r:2 = call @second(%x, %not) : (tensor<4xi32>, i1) -> (tensor<4xi32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

#halves = #npu.layout<SEGMENTED, tiles = [2]>
func.func @tiles(%x: tensor<4xi32, #halves>, %c: i1) -> (tensor<4xi32, #halves>, tensor<4xi32, #halves>) {
  %a = arith.addi %x, %x : tensor<4xi32, #halves>
  %b = arith.muli %x, %x : tensor<4xi32, #halves>
  cf.cond_br %c, ^first, ^second
^first:
  return %a, %b : tensor<4xi32, #halves>, tensor<4xi32, #halves>
^second:
  return %b, %a : tensor<4xi32, #halves>, tensor<4xi32, #halves>
}

func.func @one_twice(%x: tensor<0x4xf32, #npu.layout<DUPLICATED, tiles = 2>>, %c: i1) -> (tensor<0x4xf32>, tensor<0x4xf32>) {
  %e = tensor.empty() : tensor<0x4xf32>
  %s = arith.select %c, %e, %e : tensor<0x4xf32>
  return %e, %s : tensor<0x4xf32>, tensor<0x4xf32>
}
