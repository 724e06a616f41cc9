// What lies last in a scratchpad needs no room after it: three slices of one number of
// 16 bits each take 64 + 64 + 2 bytes. Each was counted with its alignment, so that
// all sizes of steps took the same, and the smallest was not among the candidates.
//
// RUN: npu-opt %s --npu-assign-distributions | FileCheck %s
// RUN: sed 's/= 130/= 129/' %s | not npu-opt --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: sed 's/= 130/= 182/' %s | npu-opt --npu-assign-distributions | FileCheck %s --check-prefix=MORE
//
// CHECK: loops = array<i64: 0, 1>, sizes = array<i64: 1, 1>
// REFUSED: error: no assignment of layouts fits the scratchpads of npu3720, 129 bytes each: 'linalg.add' takes at least 130 bytes of one (in steps of 1 of d0 and 1 of d1,
// MORE: loops = array<i64: 0>, sizes = array<i64: 2>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu3720", "npu.scratchpad_bytes" = 130 : i64>>} {
  func.func @main(%a: tensor<18x12xi16>, %b: tensor<18x12xi16>) -> tensor<18x12xi16> {
    %0 = tensor.empty() : tensor<18x12xi16>
    %1 = linalg.add ins(%a, %b : tensor<18x12xi16>, tensor<18x12xi16>) outs(%0 : tensor<18x12xi16>) -> tensor<18x12xi16>
    return %1 : tensor<18x12xi16>
  }
}
