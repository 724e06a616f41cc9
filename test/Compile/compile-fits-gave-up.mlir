// Where nothing was found that fits, a note says whether the search gave up: buffers of
// both branches of an scf.if lie side by side, which capacity rows do not know.
//
// RUN: not npu-opt %s --npu-assign-distributions=in-steps=false 2>&1 | FileCheck %s --check-prefix=PROVED
// RUN: not npu-opt %s --npu-assign-distributions='states=64 in-steps=false' 2>&1 | FileCheck %s --check-prefix=GAVE-UP
//
// PROVED:      error: no assignment of layouts was found that fits the scratchpads of described, 1536 bytes each: 'both' takes 1568 bytes of one in the smallest program that was found
// PROVED-NOT:  searched to the end
// GAVE-UP:     error: no assignment of layouts was found that fits
// GAVE-UP:     note: not all assignments were searched to the end: one that was not found may fit; states=N, now 64, looks further

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "described", "npu.tiles" = 2 : i64, "npu.max_tiles" = 2 : i64, "npu.scratchpad_bytes" = 1536 : i64>>} {
func.func @both(%v0: tensor<2x2x21xf16>,
    %v1: tensor<2x21x2xf16, #npu.layout<SEGMENTED, tiles = [1, 2, 1]>>, %v3: tensor<6x6xf16>,
    %v6: tensor<1x1x1xf16>, %a: tensor<16x16xf32>, %isFirst: i1)
    -> (tensor<2x2x2xf32> {npu.layout = #npu.layout<SEGMENTED|DUPLICATED, tiles = [1, 2, 1], split = ceil>},
        tensor<1x1x1xf16>,
        tensor<6x6xf16>,
        tensor<1x6x6xf16>, tensor<16x16xf32>) {
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
  %result = scf.if %isFirst -> (tensor<16x16xf32>) {
    %empty = tensor.empty() : tensor<16x16xf32>
    %exp = linalg.exp ins(%a : tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %exp : tensor<16x16xf32>
  } else {
    %empty = tensor.empty() : tensor<16x16xf32>
    %abs = linalg.abs ins(%a : tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %abs : tensor<16x16xf32>
  }
  return %v2, %v6, %v7, %v8, %result : tensor<2x2x2xf32>, tensor<1x1x1xf16>, tensor<6x6xf16>, tensor<1x6x6xf16>, tensor<16x16xf32>
}
}
