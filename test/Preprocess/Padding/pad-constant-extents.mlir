// A dimension beside the prompt may have the same extent at every length without
// its type saying so: it is no prompt, is not masked, and is bit-equal.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: FileCheck %s --check-prefix=PADDED < %t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %s --length=1..8 -O0 | FileCheck %s

// PADDED-LABEL: @cast
// CHECK: cast: equal
func.func @cast(%x: tensor<?x3xf32> {npu.prompt_dim = 0}) -> tensor<?x?xf32> {
  %0 = tensor.cast %x : tensor<?x3xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// PADDED-LABEL: @computed
// PADDED: linalg.exp ins({{.*}} : tensor<8x3xf32>)
// PADDED: linalg.reduce
// PADDED-NOT: arith.select
// PADDED: return
// CHECK: computed: equal
func.func @computed(%x: tensor<?x3xf32> {npu.prompt_dim = 0}) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cast = tensor.cast %x : tensor<?x3xf32> to tensor<?x?xf32>
  %length = tensor.dim %cast, %c0 : tensor<?x?xf32>
  %three = tensor.dim %cast, %c1 : tensor<?x?xf32>
  %e0 = tensor.empty(%length, %three) : tensor<?x?xf32>
  %exp = linalg.exp ins(%cast : tensor<?x?xf32>) outs(%e0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty(%length) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.reduce { arith.addf } ins(%exp : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  return %exp, %sums : tensor<?x?xf32>, tensor<?xf32>
}

// PADDED-LABEL: @filled
// PADDED: linalg.fill {{.*}} -> tensor<8x2xf32>
// CHECK: filled: equal
func.func @filled(%x: tensor<?x3xf32> {npu.prompt_dim = 0}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %length = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%length, %c2) : tensor<?x?xf32>
  %one = arith.constant 1.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %ones : tensor<?x?xf32>
}

// What one cast hides another says again: the reshape merges no two prompts.
// PADDED-LABEL: @hidden
// PADDED: tensor.collapse_shape {{.*}} : tensor<8x3xf32> into tensor<24xf32>
// CHECK: hidden: equal
func.func @hidden(%x: tensor<?x3xf32> {npu.prompt_dim = 0}) -> tensor<?xf32> {
  %hidden = tensor.cast %x : tensor<?x3xf32> to tensor<?x?xf32>
  %said = tensor.cast %hidden : tensor<?x?xf32> to tensor<?x3xf32>
  %flat = tensor.collapse_shape %said [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %flat : tensor<?xf32>
}
