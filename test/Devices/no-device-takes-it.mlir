// A list of devices none of which takes the model is an error that says of each
// why not, at the place; a model that does not fit the scratchpads is one that
// the CPU takes.
//
// RUN: not npu-opt %s --allow-unregistered-dialect --npu-compile="device=NPU,CPU function=odd" -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: no device of 'NPU,CPU' takes the whole model
// CHECK: no-device-takes-it.mlir:[[@LINE+10]]:8: note: NPU: 'odd.twist' falls back to the host
// CHECK: note: CPU: {{.+}}
//
// RUN: npu-opt %s --allow-unregistered-dialect --npu-compile="device=mine,CPU function=large placement-report=%t.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// LARGE: remark: device mine,CPU: NPU does not take the whole model ({{.*}}), so that it is CPU
// JSON: "npu_operations": 0
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 1 : i64, "npu.scratchpad_bytes" = 256 : i64>>} {
func.func @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "odd.twist"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @large(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.reduce { arith.addf } ins(%y : tensor<8x64xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %r : tensor<8xf32>
}
}
