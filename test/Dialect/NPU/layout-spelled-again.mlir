// A layout that is written out where types are is parsed once for each way that
// it is spelled; what stands after it is read as if it had been parsed again.
//
// RUN: npu-opt %s | FileCheck %s --implicit-check-not='#npu.layout'
// RUN: npu-opt %s --mlir-print-local-scope | npu-opt | FileCheck %s
//
// CHECK: #[[$BOXES:.+]] = #npu.layout<OVERLAPPED, compute = {{.*}}, memory = {{.*}}, order = NHWC>
// CHECK-NEXT: #[[$ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [2, 1]>

// CHECK-LABEL: func.func @same_text(
// CHECK-SAME: %{{.*}}: tensor<8x4xf16, #[[$ROWS]]>, %{{.*}}: tensor<8x6xf32, #[[$ROWS]]>)
// CHECK-SAME: -> (tensor<8x4xf16, #[[$ROWS]]>, tensor<8x6xf32, #[[$ROWS]]>)
func.func @same_text(%x: tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>, %y: tensor<8x6xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>>)
    -> (tensor<8x4xf16, #npu.layout<tiles = [2, 1], SEGMENTED>>, tensor<8x6xf32, #npu.layout<SEGMENTED,
    tiles = [2, 1]>>) {
  return %x, %y : tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>, tensor<8x6xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>>
}

// CHECK-LABEL: func.func @boxes(
// CHECK-SAME: tensor<1x2x8x4xf16, #[[$BOXES]]>
// CHECK-NEXT: return %{{.*}} : tensor<1x2x8x4xf16, #[[$BOXES]]>
func.func @boxes(%x: tensor<1x2x8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:1, 0:2, 0:4, 0:4], [0:1, 0:2, 4:8, 0:4]], memory = [[0:1, 0:2, 0:5, 0:4], [0:1, 0:2, 3:8, 0:4]], order = NHWC>>)
    -> tensor<1x2x8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:1, 0:2, 0:4, 0:4], [0:1, 0:2, 4:8, 0:4]], memory = [[0:1, 0:2, 0:5, 0:4], [0:1, 0:2, 3:8, 0:4]], order = NHWC>> {
  return %x : tensor<1x2x8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:1, 0:2, 0:4, 0:4], [0:1, 0:2, 4:8, 0:4]], memory = [[0:1, 0:2, 0:5, 0:4], [0:1, 0:2, 3:8, 0:4]], order = NHWC>>
}
