// What a program takes of DDR is compared with what its device has: arguments,
// results, constants, and the tensors that are in use at one time. Tensors that
// are in use one after the other count once. The largest prompt is limited by it.

// RUN: npu-opt %s --npu-compile="compile-to=scratchpad max-prompt-len=25 static-signature" -o /dev/null
// RUN: not npu-opt %s --npu-compile="compile-to=scratchpad max-prompt-len=26 static-signature" -o /dev/null 2>&1 | FileCheck %s
// RUN: npu-opt %s --npu-print-largest-prompt-len -o /dev/null | FileCheck %s --check-prefix=LARGEST
// RUN: sed 's/"npu.ddr_bytes" = 8192, //' %s | npu-opt --npu-compile="compile-to=scratchpad max-prompt-len=26 static-signature" -o /dev/null

// CHECK: [[#@LINE+10]]:10: error: expected 'main' to need at most 8192 bytes, the DDR of small, got 8320
// CHECK: note: 4992 bytes are of arguments and results, 0 of constants, and 3328 of tensors that are in use here at one time
// LARGEST: the largest prompt that fits the scratchpads of small has 25 tokens
// LARGEST-NEXT: one more is limited by: expected 'main' to need at most 8192 bytes, the DDR of small, got 8320
// LARGEST-NOT: not known

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "small", "npu.like" = "npu4000", "npu.tiles" = 2, "npu.ddr_bytes" = 8192, "npu.scratchpad_bytes" = 1536>>} {
  func.func @main(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>) -> tensor<?x16xf32> {
    %0 = arith.addf %x, %y : tensor<?x16xf32>
    %1 = arith.mulf %0, %y : tensor<?x16xf32>
    %2 = arith.subf %1, %x : tensor<?x16xf32>
    %3 = arith.divf %2, %1 : tensor<?x16xf32>
    return %3 : tensor<?x16xf32>
  }
}
