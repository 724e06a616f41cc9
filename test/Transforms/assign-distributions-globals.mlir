// What is loaded from a global keeps the global's type; what is computed from it
// has a layout. The result verifies and runs.
//
// RUN: npu-opt %s --npu-assign-distributions=tiles=4 | FileCheck %s
// RUN: npu-opt %s --npu-assign-distributions=tiles=4 --npu-legalize-distributions \
// RUN:   --npu-verify-distributions | npu-run - --reference=%s | FileCheck %s --check-prefix=EQUAL
// EQUAL: {{^}}equal

// CHECK: #[[$ROWS:.*]] = #npu.layout<SEGMENTED, tiles = [4, 1]>
// CHECK: %[[W:.*]] = ml_program.global_load @w : tensor<8x16xf32>{{$}}
// CHECK-NEXT: %[[MOVED:.*]] = npu.redistribute %[[W]] : tensor<8x16xf32> to tensor<8x16xf32, #[[$ROWS]]>
// CHECK-NEXT: arith.addf %{{.*}}, %[[MOVED]] : tensor<8x16xf32, #[[$ROWS]]>
ml_program.global private @w(dense<0.25> : tensor<8x16xf32>) : tensor<8x16xf32>
func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %w = ml_program.global_load @w : tensor<8x16xf32>
  %y = arith.addf %x, %w : tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
