// What padding contains is computed from the region that runs, one padded loop at
// a time: each function had a mask left out because of a fact that did not hold
// in the program that runs, and gave other results.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison side=left" -o %t.left.mlir
// RUN: npu-run %t.right.mlir --entry=trace --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=trace --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=div_select --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=div_select --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=div_const --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=div_const --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=extract_const --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=extract_const --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=select_kind --reference=%s --length=1..8 --allow-non-finite -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=select_kind --reference=%s --length=1..8 --allow-non-finite -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=reduces_in_place --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=reduces_in_place --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=far_above --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=far_above --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=far_below --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=far_below --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=smaller_zero --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=smaller_zero --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=smaller_zero_number --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=smaller_zero_number --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.right.mlir --entry=of_indices --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.left.mlir --entry=of_indices --reference=%s --length=1..8 -O0 | FileCheck %s
// CHECK: 8 lengths, 0 different
// CHECK-NEXT: equal

// -0.0 where one dimension is padding and the other real says nothing of the
// diagonal, where both are.
func.func @trace(%x: tensor<?x?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %nz = arith.constant -0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.cmpi sle, %i, %j : index
    %s = arith.select %p, %a, %nz : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %e0 = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%m : tensor<?x?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %t : tensor<f32>
}

// 3 / 8 in padding: a divisor that cannot trap is left as it is.
func.func @div_select(%x: tensor<?xi32>) -> tensor<i32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %k = arith.constant 3 : i32
    %d = arith.constant 8 : i32
    %i = linalg.index 0 : index
    %p = arith.cmpi slt, %i, %n : index
    %q = arith.select %p, %a, %k : i32
    %s = arith.divsi %q, %d : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  %e0 = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%z : i32) outs(%e0 : tensor<i32>) -> tensor<i32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%m : tensor<?xi32>) outs(%f : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %o, %a : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  return %t : tensor<i32>
}

// 4 / 4 is 1, and neutral, in padding too.
func.func @div_const(%x: tensor<?xi32>) -> tensor<i32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 1 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %k = arith.constant 4 : i32
    %s = arith.divsi %k, %k : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  %e0 = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%z : i32) outs(%e0 : tensor<i32>) -> tensor<i32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%m : tensor<?xi32>) outs(%f : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.muli %o, %a : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  return %t : tensor<i32>
}

// A constant position that is in the table is read in padding too.
func.func @extract_const(%x: tensor<?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %table = arith.constant dense<[5.0, -0.0]> : tensor<2xf32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = tensor.extract %table[%c1] : tensor<2xf32>
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %e0 = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%m : tensor<?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %t : tensor<f32>
}

// exp(-inf - largest) is 0, or a NaN where real entries give a NaN as well; but
// real entries take the other branch of the select.
func.func @select_kind(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %none = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %l = math.log %a : f32
    %s = arith.select %c, %l, %none : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %i0 = linalg.fill ins(%none : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.reduce { arith.maximumf } ins(%p : tensor<?x?xf32>) outs(%i0 : tensor<?xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %m : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.subf %a, %b : f32
    %t = math.exp %s : f32
    %c = arith.cmpi sgt, %j, %i : index
    %r = arith.select %c, %t, %z : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %z0 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%d : tensor<?x?xf32>) outs(%z0 : tensor<?xf32>) dimensions = [1]
  return %sum : tensor<?xf32>
}

// A loop that reduces skips padding, although it stands in the result: there is what
// was there, and not what is yielded.
func.func @reduces_in_place(%x: tensor<?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %nz = arith.constant -0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %p = arith.cmpi slt, %i, %n : index
    %v = arith.select %p, %a, %nz : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %e0 = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%m : tensor<?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %t : tensor<f32>
}

// Differences with the largest and the smallest integer wrap.
func.func @far_above(%x: tensor<?xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %nz = arith.constant -0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.constant 9223372036854775807 : index
    %p = arith.cmpi slt, %i, %k : index
    %v = arith.select %p, %a, %nz : f32
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %t : tensor<f32>
}
func.func @far_below(%x: tensor<?xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %nz = arith.constant -0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.constant -9223372036854775808 : index
    %p = arith.cmpi sge, %i, %k : index
    %v = arith.select %p, %a, %nz : f32
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %t : tensor<f32>
}

// Of two zeros -0.0 is the smaller one, in whatever order they are compared.
func.func @smaller_zero(%x: tensor<?xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %nz = arith.constant -0.0 : f32
    %s = arith.minimumf %nz, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %t : tensor<f32>
}
func.func @smaller_zero_number(%x: tensor<?xf16>) -> tensor<f16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<f16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<f16>) -> tensor<f16>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf16>) outs(%f : tensor<f16>) {
  ^bb0(%a: f16, %o: f16):
    %nz = arith.constant -0.0 : f16
    %s = arith.minnumf %nz, %o : f16
    linalg.yield %s : f16
  } -> tensor<f16>
  return %t : tensor<f16>
}

// Of index, upstream has no neutral element.
func.func @of_indices(%x: tensor<?xindex>) -> tensor<index> {
  %z = arith.constant 0 : index
  %e0 = tensor.empty() : tensor<index>
  %f = linalg.fill ins(%z : index) outs(%e0 : tensor<index>) -> tensor<index>
  %t = linalg.reduce { arith.maxsi } ins(%x : tensor<?xindex>) outs(%f : tensor<index>) dimensions = [0]
  return %t : tensor<index>
}
