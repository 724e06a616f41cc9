// Redistributions and distribution casts of a prompt keep its padding. Where tiles
// hold the result of a cast as it stands, they may not hold that of the padded one:
// it becomes a redistribution.
//
// RUN: npu-opt %s --npu-legalize-distributions="max-prompt-len=10 poison" -o %t.right.mlir
// RUN: FileCheck %s --input-file=%t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %s -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-opt %s --npu-legalize-distributions="max-prompt-len=10 side=left poison" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %s -O0 | FileCheck %s --check-prefix=EQUAL

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#blocks = #npu.layout<SEGMENTED, tiles = [4, 1], split = ceil>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#all = #npu.layout<DUPLICATED, tiles = 4>

// EQUAL: moved: equal
// CHECK-LABEL: func.func @moved
// CHECK: npu.redistribute %{{.*}} {npu.padding = {{\[\[}}0, 8, 10]]} : tensor<10x8xf32, #{{.*}}> to tensor<10x8xf32, #{{.*}}>
func.func @moved(%x: tensor<8x8xf32, #rows> {npu.prompt_dim = 0 : i64}) -> tensor<8x8xf32, #columns> {
  %0 = npu.redistribute %x : tensor<8x8xf32, #rows> to tensor<8x8xf32, #columns>
  %e = tensor.empty() : tensor<8x8xf32, #columns>
  %1 = linalg.exp ins(%0 : tensor<8x8xf32, #columns>) outs(%e : tensor<8x8xf32, #columns>) -> tensor<8x8xf32, #columns>
  return %1 : tensor<8x8xf32, #columns>
}

// EQUAL: narrowed: equal
// CHECK-LABEL: func.func @narrowed
// CHECK: npu.distribution_cast %{{.*}} {npu.padding = {{\[\[}}0, 8, 10]]} : tensor<10x8xf32, #{{.*}}> to tensor<10x8xf32, #{{.*}}>
func.func @narrowed(%x: tensor<8x8xf32, #all> {npu.prompt_dim = 0 : i64}) -> tensor<8x8xf32, #rows> {
  %0 = npu.distribution_cast %x : tensor<8x8xf32, #all> to tensor<8x8xf32, #rows>
  %e = tensor.empty() : tensor<8x8xf32, #rows>
  %1 = linalg.exp ins(%0 : tensor<8x8xf32, #rows>) outs(%e : tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #rows>
  return %1 : tensor<8x8xf32, #rows>
}

// Two rows on each tile either way; of ten rows, 3, 3, 2, 2 or 3, 3, 3, 1.
// EQUAL: relabeled: equal
// CHECK-LABEL: func.func @relabeled
// CHECK-NOT: npu.distribution_cast
// CHECK: npu.redistribute %{{.*}} {npu.padding = {{\[\[}}0, 8, 10]]} : tensor<10x8xf32, #{{.*}}> to tensor<10x8xf32, #{{.*}}>
func.func @relabeled(%x: tensor<8x8xf32, #rows> {npu.prompt_dim = 0 : i64}) -> tensor<8x8xf32, #blocks> {
  %0 = npu.distribution_cast %x : tensor<8x8xf32, #rows> to tensor<8x8xf32, #blocks>
  %e = tensor.empty() : tensor<8x8xf32, #blocks>
  %1 = linalg.exp ins(%0 : tensor<8x8xf32, #blocks>) outs(%e : tensor<8x8xf32, #blocks>) -> tensor<8x8xf32, #blocks>
  return %1 : tensor<8x8xf32, #blocks>
}
