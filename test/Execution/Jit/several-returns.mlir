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

// Blocks become branches and loops of operations. What a way through them
// leaves open is on the tile that the other ways' is on.
// RUN: npu-run %s --entry=loop --inputs=iota | FileCheck %s --check-prefix=LOOP
// LOOP: result #0 4xi32: 3 5 7 9
// LOOP: result #1 4xi32: 1 2 3 4
func.func @loop(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant dense<1> : tensor<4xi32>
  cf.br ^loop(%c0, %x, %one : index, tensor<4xi32>, tensor<4xi32>)
^loop(%i: index, %a: tensor<4xi32>, %b: tensor<4xi32>):
  %s = arith.addi %a, %b : tensor<4xi32>
  %n = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %n, %c3 : index
  cf.cond_br %more, ^loop(%n, %b, %s : index, tensor<4xi32>, tensor<4xi32>), ^exit
^exit:
  return %s, %a : tensor<4xi32>, tensor<4xi32>
}

// RUN: npu-run %s --entry=switch --inputs=iota | FileCheck %s --check-prefix=SWITCH
// SWITCH: result #0 4xi32: 0 2 4 6
func.func @switch(%x: tensor<4xi32>, %k: i32) -> tensor<4xi32> {
  cf.switch %k : i32, [ default: ^a, 1: ^b, 2: ^c(%x : tensor<4xi32>) ]
^a:
  %1 = arith.addi %x, %x : tensor<4xi32>
  return %1 : tensor<4xi32>
^b:
  %2 = arith.muli %x, %x : tensor<4xi32>
  cf.br ^c(%2 : tensor<4xi32>)
^c(%y: tensor<4xi32>):
  return %y : tensor<4xi32>
}

// RUN: npu-opt %s --npu-lower-to-tiles -o %t.tiles.mlir
// RUN: npu-run %t.tiles.mlir --entry=open_ways --reference=%s --inputs=random --seed=1 | FileCheck %s
// RUN: npu-run %t.tiles.mlir --entry=open_ways --reference=%s --inputs=random --seed=2 --tiles=parallel | FileCheck %s
// RUN: npu-run %t.tiles.mlir --entry=open_ways --reference=%s --inputs=random --seed=3 | FileCheck %s
// RUN: npu-run %t.tiles.mlir --entry=open_ways --reference=%s --inputs=random --seed=4 | FileCheck %s
func.func @open_ways(%x: tensor<4xi32, #halves>, %c: i1, %d: i1) -> tensor<4xi32, #halves> {
  %a = arith.addi %x, %x : tensor<4xi32, #halves>
  cf.cond_br %c, ^a, ^b
^a:
  %m = arith.muli %x, %a : tensor<4xi32, #halves>
  cf.cond_br %d, ^c(%m : tensor<4xi32, #halves>), ^d(%x : tensor<4xi32, #halves>)
^b:
  cf.br ^c(%a : tensor<4xi32, #halves>)
^c(%u: tensor<4xi32, #halves>):
  %p = arith.addi %u, %x : tensor<4xi32, #halves>
  return %p : tensor<4xi32, #halves>
^d(%v: tensor<4xi32, #halves>):
  %q = arith.muli %v, %v : tensor<4xi32, #halves>
  return %q : tensor<4xi32, #halves>
}

// A scalar may be left open as well.
// RUN: npu-run %t.mlir --entry=open_scalar --reference=%s --inputs=random --seed=1 | FileCheck %s
// RUN: npu-run %t.mlir --entry=open_scalar --reference=%s --inputs=random --seed=2 | FileCheck %s
// RUN: npu-opt %t.mlir --npu-to-llvm=parallel -o /dev/null
func.func @open_scalar(%x: tensor<4xi32>, %k: i32, %c: i1, %d: i1) -> tensor<4xi32> {
  cf.cond_br %c, ^a, ^b
^a:
  %m = arith.addi %k, %k : i32
  cf.cond_br %d, ^c(%m : i32), ^d
^b:
  cf.br ^c(%k : i32)
^c(%u: i32):
  %s = tensor.splat %u : tensor<4xi32>
  %p = arith.addi %s, %x : tensor<4xi32>
  return %p : tensor<4xi32>
^d:
  return %x : tensor<4xi32>
}
