// Extents that are no multiple of the prompt length: they fall, come back, or are
// nothing at some lengths. A padded tensor has room for the most entries that there
// are at any length, which need not be those of the longest prompt.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: FileCheck %s --check-prefix=ROOM --input-file=%t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %s --length=1..8 -O0 | FileCheck %s
//
// RUN: npu-opt %s --npu-print-padding=max-prompt-len=8 | FileCheck %s --check-prefix=PRINT

#id1 = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>

// CHECK: falling: equal
// PRINT-LABEL: function @falling
// PRINT: -L + 17 real of 16, padding after
// ROOM-LABEL: @falling
// ROOM: tensor.empty() : tensor<16xf32>
func.func @falling(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c17 = arith.constant 17 : index
  %three = arith.constant 3.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %c17, %n : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%three : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %g = linalg.generic {indexing_maps = [#id1], iterator_types = ["parallel"]} outs(%f : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %p = arith.sitofp %j : i32 to f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%g : tensor<?xf32>) outs(%f0 : tensor<f32>) dimensions = [0]
  return %g, %sum : tensor<?xf32>, tensor<f32>
}

// Nothing at 4 and 8, most at 3 and 7.
// CHECK: remainder: equal
// ROOM-LABEL: @remainder
// ROOM: tensor.empty() : tensor<3xf32>
func.func @remainder(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = affine.apply affine_map<()[s0] -> (s0 mod 4)>()[%n]
  %e = tensor.empty(%m) : tensor<?xf32>
  %g = linalg.generic {indexing_maps = [#id1], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%g : tensor<?xf32>) outs(%f0 : tensor<f32>) dimensions = [0]
  return %g, %sum : tensor<?xf32>, tensor<f32>
}

// 2, 4, 1, 3, 0, 2, 4, 1, and 3 more.
// CHECK: up_and_down: equal
// ROOM-LABEL: @up_and_down
// ROOM: tensor.empty() : tensor<7xf32>
func.func @up_and_down(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = affine.apply affine_map<()[s0] -> ((s0 * 7) mod 5 + 3)>()[%n]
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%three : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f : tensor<?xf32>
}

// Nothing for the longest prompt, and rises again within divisions.
// CHECK: down_to_nothing: equal
// ROOM-LABEL: @down_to_nothing
// ROOM: tensor.empty() : tensor<7xf32>
func.func @down_to_nothing(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %c8, %n : index
  %all = tensor.generate %m {
  ^bb0(%i: index):
    %j = arith.index_cast %i : index to i32
    %p = arith.sitofp %j : i32 to f32
    tensor.yield %p : f32
  } : tensor<?xf32>
  %k = affine.apply affine_map<()[s0] -> ((s0 floordiv 2) ceildiv 3 + s0 mod 3)>()[%n]
  %others = tensor.splat %c0[%k] : tensor<?xindex>
  %e = tensor.empty(%k) : tensor<?xf32>
  %g = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%others : tensor<?xindex>) outs(%e : tensor<?xf32>) {
  ^bb0(%i: index, %o: f32):
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %all, %g : tensor<?xf32>, tensor<?xf32>
}

// Nothing at any length but for one.
// CHECK: at_one_alone: equal
func.func @at_one_alone(%x: tensor<?x2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %m = affine.apply affine_map<()[s0] -> (1 floordiv s0)>()[%n]
  %part = tensor.extract_slice %x[0, 0] [%m, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  %sum = linalg.reduce { arith.addf } ins(%part : tensor<?x2xf32>) outs(%y : tensor<2xf32>) dimensions = [0]
  return %sum : tensor<2xf32>
}

// The smaller and the larger of two numbers are no expression of the length: what is
// as long as that keeps its dynamic extent.
// CHECK: at_most_five: equal
func.func @at_most_five(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.minsi %n, %c5 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %g = linalg.generic {indexing_maps = [#id1], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%g : tensor<?xf32>) outs(%f0 : tensor<f32>) dimensions = [0]
  return %g, %sum : tensor<?xf32>, tensor<f32>
}
