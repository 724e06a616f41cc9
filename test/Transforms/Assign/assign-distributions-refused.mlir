// What cannot be given layouts, and options that say nothing.
//
// RUN: npu-opt %s --npu-assign-distributions="tiles=4 in-steps=false" --split-input-file --verify-diagnostics --allow-unregistered-dialect
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions=tiles=5000 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions=tiles=-1 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions="strategy=best tiles=4" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions="target=npu3720 tiles=4" 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions="tiles=4 states=0" 2>&1 | FileCheck %s --check-prefix=STATES
// RUN: not npu-opt %S/assign-distributions.mlir --npu-assign-distributions=target=npu1 2>&1 | FileCheck %s --check-prefix=TARGET
//
// NONE: error: npu-assign-distributions: expected tiles=N, target=NAME or a module that describes its target, got none of them
// MANY: error: npu-assign-distributions: expected 1 to 4096 tiles, got 5000
// FEW: error: npu-assign-distributions: expected 1 to 4096 tiles, got -1
// STRATEGY: error: npu-assign-distributions: expected strategy least, greedy, beam, duplicate or rows, got 'best'
// BEYOND: error: npu-assign-distributions: expected at most 2 tiles, which npu3720 has, got 4
// STATES: error: npu-assign-distributions: expected at least 1 state, got 0
// TARGET: error: {{.*}}npu1

// expected-error @below {{expected static shapes, got an argument of 'tensor<?x4xf32>'; npu-pad-to-max-prompt-len makes extents static}}
func.func @argument(%x: tensor<?x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<?x4xf32>) outs(%y : tensor<4xf32>) dimensions = [0]
  return %0 : tensor<4xf32>
}

// -----

func.func @result(%n: index) {
  // expected-error @below {{expected static shapes, got 'tensor<?x4xf32>'}}
  %x = tensor.empty(%n) : tensor<?x4xf32>
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  return
}

// -----

func.func @two(%n: index) -> tensor<8x4xf32> {
  // expected-error @below {{expected static shapes, got 'tensor<*xf32>'}}
  %x = "mine.op"() : () -> tensor<*xf32>
  %y = tensor.cast %x : tensor<*xf32> to tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
// expected-error @below {{argument #0 of 'argument' is pinned to two layouts: #npu.layout<SEGMENTED, tiles = [4, 1]> by its type, and #npu.layout<SEGMENTED, tiles = [1, 4]> by its 'npu.layout'}}
func.func @argument(%x: tensor<8x4xf32, #rows> {npu.layout = #columns}) {
  return
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
// expected-error @below {{result #0 of 'result' is pinned to two layouts}}
func.func @result(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #rows> {npu.layout = #columns}) {
  return %x : tensor<8x4xf32, #rows>
}

// -----

// Nothing fits: the operation, what it takes and what there is.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "npu4000", "npu.scratchpad_bytes" = 1000 : i64>>} {
func.func @large(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  // expected-error @below {{no assignment of layouts fits the scratchpads of npu4000, 1000 bytes each: 'linalg.exp' takes at least 4096 bytes of one (split d0 over 4), whatever else is in use}}
  // expected-note @below {{what would help: scratchpads of 4096 bytes}}
  %y = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "npu4000">>} {
// expected-error @below {{expected %arg0 on at most 6 tiles, which npu4000 has, got 9}}
func.func @beyond(%x: tensor<18xf32> {npu.layout = #npu.layout<SEGMENTED, tiles = [9]>}) {
  return
}
}
