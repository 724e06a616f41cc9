// Steps fit their operation in the phase `assigned`, and from `streamed` on none are left.

// RUN: not npu-opt %s --npu-verify-phase=phase=assigned 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/i64: 99/i64: 4/' %s > %t.mlir
// RUN: npu-opt %t.mlir --npu-verify-phase=phase=assigned -o /dev/null
// RUN: not npu-opt %t.mlir --npu-compile="compile-from=streamed compile-to=scratchpad" 2>&1 | FileCheck %s --check-prefix=LEFT

// WRONG: error: 'linalg.exp' op with 'npu.steps': expected steps of 1 to 8 iterations of loop 0
// LEFT: error: 'linalg.exp' op with 'npu.steps': expected loops, which npu-run-in-steps makes of it
// LEFT: note: a module of phase 'streamed' of npu-compile has to hold this
#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 99>, layouts = [#rows, #rows]}}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
