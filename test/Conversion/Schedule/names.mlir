// Names come from files: what would command a terminal is blank in reports.
//
// RUN: npu-opt %s --npu-compile="target=npu4000" --npu-print-schedule="target=npu4000" -o /dev/null | FileCheck %s

// CHECK: linalg.exp layer [31mred
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32> loc("layer\1b[31mred")
  return %0 : tensor<4xf32>
}
