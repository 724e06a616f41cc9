// Calls of what follows from the prompt are inlined before it is padded, and helpers
// that nobody calls any more are gone.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: FileCheck %s --check-prefix=LEFT --implicit-check-not=@norm --implicit-check-not='call @' --input-file=%t.right.mlir
// RUN: npu-run %t.right.mlir --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison" -o %t.left.mlir
// RUN: npu-run %t.left.mlir --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-legalize-distributions="max-prompt-len=3,8" -o %t.buckets.mlir
// RUN: npu-run %t.buckets.mlir --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-print-padding=max-prompt-len=8 | FileCheck %s --check-prefix=PRINT
// CHECK: {{^}}equal
//
// Nothing is changed by printing, but it knows what is inlined.
// PRINT-LABEL: function @main
// PRINT: dim 0: L + 1 real of 9
// PRINT-NOT: function @
//
// LEFT: func.func private @beside
// LEFT: func.func @main
// LEFT: call @beside

func.func private @norm(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = math.tanh %x : tensor<?x4xf32>
  %1 = func.call @twice(%0) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

func.func private @twice(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = arith.addf %x, %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Its division would trap on padding, where it cannot be seen.
func.func private @quotient(%a: i32, %b: i32) -> i32 {
  %0 = arith.divsi %a, %b : i32
  return %0 : i32
}

func.func private @one_more(%n: index) -> index {
  %0 = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
  return %0 : index
}

// Nothing of the prompt: stays a call.
func.func private @beside(%y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.absf %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @main(%x: tensor<?x4xf32>, %i: tensor<?xi32>, %y: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?xi32>, tensor<?xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %thousand = arith.constant 1000 : i32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = func.call @one_more(%n) : (index) -> index
  %0 = func.call @norm(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%i : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%p: i32, %o: i32):
    %many = arith.constant 20 : i32
    %d = arith.addi %p, %many : i32
    %q = func.call @quotient(%thousand, %d) : (i32, i32) -> i32
    linalg.yield %q : i32
  } -> tensor<?xi32>
  %2 = tensor.splat %one[%m] : tensor<?xf32>
  %3 = func.call @beside(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<?xi32>, tensor<?xf32>, tensor<4xf32>
}
