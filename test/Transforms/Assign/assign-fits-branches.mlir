// Buffers of both branches of an scf.if are planned side by side, while capacity
// rows know one branch at a time: a function with branches is measured, also
// where no choice exceeds the scratchpads by the rows.
//
// RUN: not npu-opt %s --npu-assign-distributions=in-steps=false 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: sed 's/2048/3072/' %s | npu-opt --npu-compile=compile-to=scratchpad -o /dev/null

// REFUSED: error: no assignment of layouts was found that fits the scratchpads of d, 2048 bytes each: 'main' takes 3072 bytes of one in the smallest program that was found

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "d", "npu.like" = "npu4000", "npu.tiles" = 1, "npu.max_tiles" = 1, "npu.scratchpad_bytes" = 2048>>} {
  func.func @main(%a: tensor<16x16xf32>, %isFirst: i1) -> tensor<16x16xf32> {
    %result = scf.if %isFirst -> (tensor<16x16xf32>) {
      %empty = tensor.empty() : tensor<16x16xf32>
      %exp = linalg.exp ins(%a : tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
      scf.yield %exp : tensor<16x16xf32>
    } else {
      %empty = tensor.empty() : tensor<16x16xf32>
      %abs = linalg.abs ins(%a : tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
      scf.yield %abs : tensor<16x16xf32>
    }
    return %result : tensor<16x16xf32>
  }
}
