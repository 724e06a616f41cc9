// What is loaded from a global is in DDR as the global is; what is computed from
// it has a layout. The result verifies and runs.
//
// RUN: npu-opt %s --npu-assign-distributions="strategy=rows tiles=4" -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: npu-opt %t.mlir --npu-verify-distributions | npu-run - --reference=%s | FileCheck %s --check-prefix=EQUAL
// EQUAL: {{^}}equal

// CHECK: #[[$ROWS:.*]] = #npu.layout<SEGMENTED, tiles = [4, 1]>
// CHECK: %[[W:.*]] = ml_program.global_load @w : tensor<8x16xf32>{{$}}
// CHECK: %[[MOVED:.*]] = npu.redistribute %[[W]] : tensor<8x16xf32> to tensor<8x16xf32, #[[$ROWS]]>
// CHECK-NEXT: arith.addf %{{.*}}, %[[MOVED]] : tensor<8x16xf32, #[[$ROWS]]>
ml_program.global private @w(dense<0.25> : tensor<8x16xf32>) : tensor<8x16xf32>
func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %w = ml_program.global_load @w : tensor<8x16xf32>
  %y = arith.addf %x, %w : tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
