// Of two answers that cost as much and count as many bytes by capacity rows, one takes
// fewer as buffers: which of them a search finds does not depend on the scratchpad.
//
// RUN: %python %S/Inputs/near_limit.py npu-opt %s 64 640 in-steps=false | FileCheck %s
//
// CHECK:     tied: 320
// CHECK-NOT: {{.}}

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "described", "npu.tiles" = 2 : i64, "npu.max_tiles" = 2 : i64, "npu.scratchpad_bytes" = 275 : i64>>} {
func.func @tied(%v0: tensor<2x2x21xf16>,
    %v1: tensor<2x21x2xf16, #npu.layout<SEGMENTED, tiles = [1, 2, 1]>>, %v3: tensor<6x6xf16>,
    %v6: tensor<1x1x1xf16>)
    -> (tensor<2x2x2xf32> {npu.layout = #npu.layout<SEGMENTED|DUPLICATED, tiles = [1, 2, 1], split = ceil>},
        tensor<1x1x1xf16>,
        tensor<6x6xf16>,
        tensor<1x6x6xf16>) {
  %v2_0 = arith.constant 0.0 : f32
  %v2_1 = tensor.empty() : tensor<2x2x2xf32>
  %v2_2 = linalg.fill ins(%v2_0 : f32) outs(%v2_1 : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %v2 = linalg.batch_matmul ins(%v0, %v1 : tensor<2x2x21xf16>, tensor<2x21x2xf16, #npu.layout<SEGMENTED, tiles = [1, 2, 1]>>) outs(%v2_2 : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %v4_0 = arith.constant 0.0 : f16
  %v4_1 = tensor.empty() : tensor<6x6xf16>
  %v4_2 = linalg.fill ins(%v4_0 : f16) outs(%v4_1 : tensor<6x6xf16>) -> tensor<6x6xf16>
  %v4 = linalg.matmul ins(%v3, %v3 : tensor<6x6xf16>, tensor<6x6xf16>) outs(%v4_2 : tensor<6x6xf16>) -> tensor<6x6xf16>
  %v5 = tensor.expand_shape %v4 [[0], [1, 2]] output_shape [6, 1, 6] : tensor<6x6xf16> into tensor<6x1x6xf16>
  %v7_0 = arith.constant 0.0 : f16
  %v7_1 = linalg.fill ins(%v7_0 : f16) outs(%v4 : tensor<6x6xf16>) -> tensor<6x6xf16>
  %v7 = linalg.matmul ins(%v3, %v4 : tensor<6x6xf16>, tensor<6x6xf16>) outs(%v7_1 : tensor<6x6xf16>) -> tensor<6x6xf16>
  %v8_0 = tensor.empty() : tensor<1x6x6xf16>
  %v8 = linalg.transpose ins(%v5 : tensor<6x1x6xf16>) outs(%v8_0 : tensor<1x6x6xf16>) permutation = [1, 0, 2]
  return %v2, %v6, %v7, %v8 : tensor<2x2x2xf32>, tensor<1x1x1xf16>, tensor<6x6xf16>, tensor<1x6x6xf16>
}
}
