// Legalization may add up in parts unless it is told not to, and the assignment only
// where somebody has asked for it.
//
// RUN: npu-opt %s --npu-compile="target=npu4000" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNSAID
// RUN: npu-opt %s --npu-compile="target=npu4000 split-reductions=true" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=TRUE
// RUN: npu-opt %s --npu-compile="target=npu4000 split-reductions=false" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=FALSE
// RUN: npu-opt %s --npu-compile="target=npu4000 split-reductions=true compile-to=legal" | FileCheck %s
// RUN: npu-opt %s --npu-compile="target=npu4000 split-reductions=true" -o %t.mlir
// RUN: npu-run %t.mlir --reference=%s | FileCheck %s --check-prefix=COMPARED
//
// UNSAID: npu-assign-distributions{{{.*}} split-reductions=false
// UNSAID: npu-legalize-distributions{{{.*}}split-reductions=true
// TRUE: npu-assign-distributions{{{.*}} split-reductions=true
// TRUE: npu-legalize-distributions{{{.*}}split-reductions=true
// FALSE: npu-assign-distributions{{{.*}} split-reductions=false
// FALSE: npu-legalize-distributions{{{.*}}split-reductions=false
//
// COMPARED: split reduction: linalg.matmul #0 of 'decode'
// COMPARED: equal within what is allowed

#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>

// CHECK-LABEL: func.func @decode
// CHECK: npu.split_reduction
func.func @decode(%x: tensor<1x4096xf32> {npu.layout = #columns}, %w: tensor<4096x64xf32> {npu.layout = #rows}) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %r = linalg.matmul ins(%x, %w : tensor<1x4096xf32>, tensor<4096x64xf32>) outs(%f : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}
