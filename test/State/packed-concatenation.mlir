// Where a function has caches, padding puts the rows of a concatenation right after the real
// ones of the cache; without, there is a hole, or a read of each entry.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=8 | FileCheck %s
// RUN: npu-run -O0 %s --compile="compile-to=tiles tiles=2 max-prompt-len=8 poison" --entry=grows --length=S=1..8 --length=P=0..8 | FileCheck %s --check-prefix=LENGTHS
// RUN: npu-run -O0 %s --compile="compile-to=tiles tiles=2 max-prompt-len=8 poison" --entry=of_one_row --length=P=0..8 | FileCheck %s --check-prefix=ROWS
// RUN: npu-run -O0 %s --compile="compile-to=tiles tiles=2 max-prompt-len=8 side=left poison" --entry=grows --length=S=1..8 --length=P=0..8 | FileCheck %s --check-prefix=LENGTHS
// RUN: npu-run -O0 %s --compile="compile-to=tiles tiles=2 max-prompt-len=8 poison" --entry=of_parts --length=S=1..8 --length=P=0..8 | FileCheck %s --check-prefix=LENGTHS
//
// LENGTHS: 72 lengths, 0 different
// ROWS: 9 lengths, 0 different

#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @grows
// CHECK: %[[S:.*]] = tensor.dim %arg0
// CHECK: %[[P:.*]] = tensor.dim %arg1
// CHECK: %[[CACHE:.*]] = tensor.insert_slice %arg1 into %{{.*}}[0, 0] [%[[P]], 2] [1, 1] : tensor<?x2xf32> into tensor<16x2xf32>
// CHECK: %[[ALL:.*]] = tensor.insert_slice %{{.*}} into %[[CACHE]][%[[P]], 0] [8, 2] [1, 1] : tensor<8x2xf32> into tensor<16x2xf32>
// CHECK-NOT: tensor.extract %
// CHECK: arith.addf
func.func @grows(%x: tensor<?x2xf32> {npu.dim_names = ["S", ""]}, %past: tensor<?x2xf32> {npu.dim_names = ["P", ""], npu.cache = "#1"}) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %new = linalg.exp ins(%x : tensor<?x2xf32>) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %all = tensor.concat dim(0) %past, %new : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %se = tensor.empty() : tensor<2xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<2xf32>) -> tensor<2xf32>
  // Each row is weighed with its position.
  %sum = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["reduction", "parallel"]} ins(%all : tensor<?x2xf32>) outs(%sz : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i32
    %weight = arith.sitofp %number : i32 to f32
    %weighed = arith.mulf %in, %weight : f32
    %more = arith.addf %out, %weighed : f32
    linalg.yield %more : f32
  } -> tensor<2xf32>
  return %sum, %all : tensor<2xf32>, tensor<?x2xf32>
}

// One row at a time: one of nine positions is room for it.
//
// CHECK-LABEL: func.func @of_one_row
// CHECK: %[[CACHE:.*]] = tensor.insert_slice %arg1 into %{{.*}} : tensor<?x2xf32> into tensor<9x2xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[CACHE]][%{{.*}}, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<9x2xf32>
func.func @of_one_row(%x: tensor<1x2xf32>, %past: tensor<?x2xf32> {npu.dim_names = ["P", ""], npu.cache = "#0"}) -> tensor<?x2xf32> {
  %e = tensor.empty() : tensor<1x2xf32>
  %new = linalg.exp ins(%x : tensor<1x2xf32>) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %all = tensor.concat dim(0) %past, %new : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x2xf32>
  return %all : tensor<?x2xf32>
}

// Parts that are no caches are put after each other, too, as those of a mask are.
//
// CHECK-LABEL: func.func @of_parts
// CHECK: linalg.fill
// CHECK: tensor.insert_slice %{{.*}}[0, 0] [8, 2] [1, 1] : tensor<8x2xf32> into tensor<16x2xf32>
func.func @of_parts(%x: tensor<?x2xf32> {npu.dim_names = ["S", ""]}, %past: tensor<?x2xf32> {npu.dim_names = ["P", ""], npu.cache = "#1"}) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %p = tensor.dim %past, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %new = linalg.exp ins(%x : tensor<?x2xf32>) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %pe = tensor.empty(%p) : tensor<?x2xf32>
  %old = linalg.exp ins(%past : tensor<?x2xf32>) outs(%pe : tensor<?x2xf32>) -> tensor<?x2xf32>
  %both = tensor.concat dim(0) %old, %new : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %all = tensor.concat dim(0) %past, %new : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %both, %all : tensor<?x2xf32>, tensor<?x2xf32>
}
