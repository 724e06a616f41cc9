// What does not fit runs in steps, also in a function of which the host has to run
// something: that the host could run the rest as well is no reason to let it.
// RUN: npu-opt %s --npu-compile="compile-to=assigned device=HETERO:NPU,CPU" 2>/dev/null | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: linalg.matmul {npu.steps
// CHECK: call @main_host

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000",
                             "npu.scratchpad_bytes" = 4096 : i64>>} {
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %at: tensor<i64>, %row: tensor<1x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %number = tensor.extract %at[] : tensor<i64>
  %index = arith.index_cast %number : i64 to index
  %result = tensor.insert_slice %row into %product[%index, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<64x64xf32>
  return %result : tensor<64x64xf32>
}
}
