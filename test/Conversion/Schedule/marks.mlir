// Cycles stay with what an operation becomes: an operation on whole tensors
// becomes a loop, and a result with a layout is stored at no cost, also where a
// function has no work at all.

// RUN: npu-opt %s --npu-compile="compile-from=legal compile-to=scratchpad gather=allow" --npu-print-schedule="rows=20" -o /dev/null 2>&1 | FileCheck %s

#two = #npu.layout<SEGMENTED, tiles = [2]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {
  // CHECK-NOT: remark
  // CHECK-LABEL: function @whole_tensors on npu4000
  // CHECK: total {{[1-9]}}
  // CHECK: compute {{[1-9]}}
  func.func @whole_tensors(%x: tensor<64xi32, #two>, %y: tensor<64xi32, #two>) -> tensor<64xi32, #two> {
    %0 = arith.maxsi %x, %y : tensor<64xi32, #two>
    return %0 : tensor<64xi32, #two>
  }

  // CHECK-LABEL: function @only_moves on npu4000
  // CHECK: total 769 cycles
  func.func @only_moves(%x: tensor<64xi32>) -> tensor<64xi32, #two> {
    %0 = npu.redistribute %x : tensor<64xi32> to tensor<64xi32, #two>
    return %0 : tensor<64xi32, #two>
  }
}
