// Lowering drops what nobody needs, so that a function may be accepted whose unneeded
// operations would take more than there is: no row of its report is of such an
// operation, and the rows that are there hold. The subtraction takes 256 bytes.
//
// RUN: npu-opt %s --npu-assign-distributions="strategy=duplicate report=%t.json" -o %t.mlir
// RUN: npu-opt %t.mlir --npu-lower-to-tiles --npu-to-buffers -o /dev/null
// RUN: %python %S/Inputs/check_rows.py %t.json | FileCheck %s
// CHECK: main: {{[0-9]+}} rows hold

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "npu3720", "npu.scratchpad_bytes" = 218 : i64>>} {
func.func @main(%u: tensor<1xf32, #npu.layout<DUPLICATED, tiles = 2>>, %x: tensor<6x4xf32>)
    -> (tensor<1xf32, #npu.layout<DUPLICATED, tiles = 2>>, tensor<6x4xf32>) {
  %r:2 = scf.execute_region -> (tensor<6x4xf32>, tensor<6x4xf32>) {
    %0 = arith.maximumf %x, %x : tensor<6x4xf32>
    %1 = arith.subf %0, %x : tensor<6x4xf32>
    scf.yield %x, %x : tensor<6x4xf32>, tensor<6x4xf32>
  }
  return %u, %r#0 : tensor<1xf32, #npu.layout<DUPLICATED, tiles = 2>>, tensor<6x4xf32>
}
}
