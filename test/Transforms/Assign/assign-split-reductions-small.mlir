// Scratchpads that hold operands and results of a reduction, and not the partial
// results, forbid that it runs in parts: 96 x 96 entries of f32 are 36,864 bytes.
//
// RUN: npu-opt %s --npu-explain-assignment="split-reductions value=%%0" -o /dev/null | FileCheck %s
// RUN: npu-opt %s --npu-compile=split-reductions=true -o /dev/null

#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "small", "npu.tiles" = 4 : i64, "npu.max_tiles" = 4 : i64,
    "npu.scratchpad_bytes" = 32768 : i64>>

module attributes {dlti.target_system_spec = #spec} {
// CHECK: made by 'linalg.matmul' at
// CHECK: split d2 over 4, combined as split d0 over 4: [[#]] cycles, makes {{.*}}; forbidden: {{.*}}32768
// CHECK-NEXT: split d2 over 4, combined as split d1 over 4: [[#]] cycles, makes {{.*}}; forbidden: {{.*}}32768
// CHECK-NEXT: split d2 over 4, combined as duplicated: [[#]] cycles, makes {{.*}}; forbidden: {{.*}}32768
func.func @wide(%a: tensor<96x8xf32, #columns>, %b: tensor<8x96xf32, #rows>, %c: tensor<96x96xf32>) -> tensor<96x96xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<96x8xf32, #columns>, tensor<8x96xf32, #rows>) outs(%c : tensor<96x96xf32>) -> tensor<96x96xf32>
  return %0 : tensor<96x96xf32>
}
}
