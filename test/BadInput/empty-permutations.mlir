// Upstream's verifier of linalg.transpose takes the largest number of an empty
// permutation: memory ran out, or the tool hung, before there was an error.
//
// RUN: not npu-opt %s 2>&1 | FileCheck %s
// RUN: not npu-run %s 2>&1 | FileCheck %s
// RUN: not npu-compile %s --target=npu4000 -o %t.npub 2>&1 | FileCheck %s
// RUN: sed 's/permutation = \[ \]/permutation = [0]/' %s > %t.mlir
// RUN: not npu-opt %t.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: npu-opt %S/Inputs/generic-permutation.mlir --allow-unregistered-dialect -o /dev/null
// RUN: sed 's/my[.]/linalg./' %S/Inputs/generic-permutation.mlir | not npu-opt 2>&1 | FileCheck %s --check-prefix=GENERIC
//
// CHECK: empty-permutations.mlir:21:7: error: 'linalg.transpose': expected a permutation of at least one dimension, got []
// OTHER: error: 'linalg.transpose' op size of permutation 1 does not match the argument rank 0
// GENERIC: <stdin>:5:37: error: 'linalg.transpose': expected a permutation of at least one dimension, got []

// Not these words: linalg.transpose permutation = []
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  // A comment.
  %t = linalg.transpose ins(%a : tensor<f32>) outs(%e : tensor<f32>)
      permutation = [ ]
  return %t : tensor<f32>
}
