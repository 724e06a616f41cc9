// What cannot be given layouts, and options that say nothing.
//
// RUN: npu-opt %s --npu-assign-distributions=tiles=4 --split-input-file --verify-diagnostics
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions=tiles=5000 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions=tiles=-1 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions="strategy=best tiles=4" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions="target=npu3720 tiles=4" 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions=target=npu1 2>&1 | FileCheck %s --check-prefix=TARGET
//
// NONE: error: npu-assign-distributions: expected tiles=N, target=NAME or a module that describes its target, got none of them
// MANY: error: npu-assign-distributions: expected 1 to 4096 tiles, got 5000
// FEW: error: npu-assign-distributions: expected 1 to 4096 tiles, got -1
// STRATEGY: error: npu-assign-distributions: expected strategy rows or duplicate, got 'best'
// BEYOND: error: npu-assign-distributions: expected at most 2 tiles, which npu3720 has, got 4
// TARGET: error: {{.*}}npu1

// expected-error @below {{expected static shapes, got an argument of 'tensor<?x4xf32>'; npu-pad-to-max-prompt-len makes them static}}
func.func @argument(%x: tensor<?x4xf32>) {
  return
}

// -----

func.func @result(%n: index) {
  // expected-error @below {{expected static shapes, got 'tensor<?x4xf32>'}}
  %x = tensor.empty(%n) : tensor<?x4xf32>
  return
}

// -----

// expected-error @below {{expected a function with a body, got a declaration of 'print' with tensors, of whose layouts nothing is known; npu-isolate-computation takes calls of it off}}
func.func private @print(tensor<8x4xf32>)
