// Buffers that branches choose and loops hand on keep what they hold: in
// scratchpads, and where tiles run at the same time.
//
// RUN: split-file %s %t
// RUN: npu-run %t/select.mlir --compare | FileCheck %s
// RUN: npu-run %t/select.mlir --compare --tiles=parallel | FileCheck %s
// RUN: npu-run %t/while.mlir --compare | FileCheck %s
// RUN: npu-run %t/while.mlir --compare --tiles=parallel | FileCheck %s
// RUN: npu-run %t/swap.mlir --compare | FileCheck %s
// RUN: npu-run %t/bits.mlir --compare --tiles=parallel | FileCheck %s
//
// CHECK: {{^}}equal

//--- select.mlir
// Both branches only yield: one of two buffers is chosen, and both are needed.
#s = #npu.layout<SEGMENTED, tiles = [2]>
!t = tensor<64xi32, #s>
func.func @main(%x: !t, %c: i1) -> !t {
  %e = tensor.empty() : !t
  %a = linalg.add ins(%x, %x : !t, !t) outs(%e : !t) -> !t
  %b = linalg.mul ins(%x, %x : !t, !t) outs(%e : !t) -> !t
  %r = scf.if %c -> !t {
    scf.yield %a : !t
  } else {
    scf.yield %b : !t
  }
  %d = linalg.add ins(%x, %x : !t, !t) outs(%e : !t) -> !t
  %f = linalg.mul ins(%d, %d : !t, !t) outs(%e : !t) -> !t
  %o = linalg.sub ins(%f, %r : !t, !t) outs(%e : !t) -> !t
  return %o : !t
}

//--- while.mlir
// Every iteration hands a new buffer to the next.
#s = #npu.layout<SEGMENTED, tiles = [2]>
!t = tensor<8xi32, #s>
func.func @main(%x: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.while (%a = %x, %k = %c0) : (!t, index) -> (!t, index) {
    %p = arith.cmpi slt, %k, %c3 : index
    scf.condition(%p) %a, %k : !t, index
  } do {
  ^bb0(%a: !t, %k: index):
    %e = tensor.empty() : !t
    %y = linalg.mul ins(%a, %x : !t, !t) outs(%e : !t) -> !t
    %n = arith.addi %k, %c1 : index
    scf.yield %y, %n : !t, index
  }
  return %r#0 : !t
}

//--- swap.mlir
// What the condition makes is handed on, and two values change places.
#s = #npu.layout<SEGMENTED, tiles = [2]>
!t = tensor<8xi32, #s>
func.func @main(%x: !t, %y: !t) -> (!t, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:3 = scf.while (%a = %x, %b = %y, %k = %c0) : (!t, !t, index) -> (!t, !t, index) {
    %e = tensor.empty() : !t
    %s = linalg.add ins(%a, %y : !t, !t) outs(%e : !t) -> !t
    %p = arith.cmpi slt, %k, %c5 : index
    scf.condition(%p) %b, %s, %k : !t, !t, index
  } do {
  ^bb0(%a: !t, %b: !t, %k: index):
    %n = arith.addi %k, %c1 : index
    scf.yield %b, %a, %n : !t, !t, index
  }
  return %r#0, %r#1 : !t, !t
}

//--- bits.mlir
// A mask across tiles: each of its elements takes a byte, and the last seven
// eighths are raced for where bits are counted.
#m = affine_map<(i) -> (i)>
#s = #npu.layout<SEGMENTED, tiles = [2]>
#t = #npu.layout<DUPLICATED, tiles = 2>
func.func @main(%z0: tensor<64xf32, #s>, %z1: tensor<64xf32, #s>, %c: tensor<512xi1, #s>) -> (tensor<64xf32, #s>, tensor<64xf32, #s>, tensor<512xf32, #t>) {
  %d = npu.redistribute %c : tensor<512xi1, #s> to tensor<512xi1, #t>
  %e2 = tensor.empty() : tensor<512xf32, #t>
  %g = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]} ins(%d : tensor<512xi1, #t>) outs(%e2 : tensor<512xf32, #t>) {
  ^bb0(%x: i1, %o: f32):
    %z = arith.uitofp %x : i1 to f32
    linalg.yield %z : f32
  } -> tensor<512xf32, #t>
  %r0 = math.absf %z0 : tensor<64xf32, #s>
  %r1 = math.absf %z1 : tensor<64xf32, #s>
  return %r0, %r1, %g : tensor<64xf32, #s>, tensor<64xf32, #s>, tensor<512xf32, #t>
}
