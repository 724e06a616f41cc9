// Operations that fall back to the host give the bits that they give without layouts, also
// where an operand is stored once for two, where values are read inside of
// bodies, and where what is read is only a shape.
//
// RUN: %python %S/../../Inputs/run_every_entry.py %s %s | FileCheck %s
// RUN: %python %S/../../Inputs/run_every_entry.py %s %s --tiles=parallel | FileCheck %s
// CHECK-NOT: : {{[^e]}}
// CHECK: not_read: equal

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#nhcw = #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>
#ij = affine_map<(i, j) -> (i, j)>

func.func @twice(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) {
  %0 = tosa.add %x, %x : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  return %0, %0 : tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>
}

func.func @splat(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #rows>, tensor<8x4xf32, #nhcw>) {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %v = tensor.extract %x[%c6, %c1] : tensor<8x4xf32, #rows>
  %0 = tensor.splat %v : tensor<8x4xf32, #rows>
  %1 = arith.addf %x, %0 : tensor<8x4xf32, #rows>
  %2 = tensor.splat %v : tensor<8x4xf32, #nhcw>
  return %1, %2 : tensor<8x4xf32, #rows>, tensor<8x4xf32, #nhcw>
}

func.func @splat_in_a_loop(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %start = tensor.splat %one : tensor<8x4xf32, #rows>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %start) -> tensor<8x4xf32, #rows> {
    %v = tensor.extract %a[%i, %c1] : tensor<8x4xf32, #rows>
    %s = tensor.splat %v : tensor<8x4xf32, #rows>
    %t = arith.addf %s, %x : tensor<8x4xf32, #rows>
    scf.yield %t : tensor<8x4xf32, #rows>
  }
  return %r : tensor<8x4xf32, #rows>
}

func.func @in_a_body(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<8x4xf32, #rows>
  %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<8x4xf32, #rows> {
    %0 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
        outs(%e : tensor<8x4xf32, #rows>) {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c7 = arith.constant 7 : index
      %n = arith.subi %c7, %i : index
      %v = tensor.extract %a[%n, %j] : tensor<8x4xf32, #rows>
      %w = tensor.extract %x[%i, %j] : tensor<8x4xf32, #rows>
      %s = arith.addf %v, %w : f32
      linalg.yield %s : f32
    } -> tensor<8x4xf32, #rows>
    scf.yield %0 : tensor<8x4xf32, #rows>
  }
  return %r : tensor<8x4xf32, #rows>
}

func.func @shape(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<8x4xf32, #rows>
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %s = tensor.splat %f : tensor<8x4xf32, #rows>
  %0 = arith.mulf %x, %s : tensor<8x4xf32, #rows>
  return %0 : tensor<8x4xf32, #rows>
}

func.func @not_read(%a: tensor<4x4xi32, #rows>, %b: tensor<4x4xi32, #columns>)
    -> (tensor<4x4xi32, #rows>, tensor<4x4xi32, #columns>) {
  %y:2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      outs(%a, %b : tensor<4x4xi32, #rows>, tensor<4x4xi32, #columns>) {
  ^bb0(%o: i32, %p: i32):
    %s = arith.addi %o, %o : i32
    linalg.yield %s, %s : i32, i32
  } -> (tensor<4x4xi32, #rows>, tensor<4x4xi32, #columns>)
  return %y#0, %y#1 : tensor<4x4xi32, #rows>, tensor<4x4xi32, #columns>
}
