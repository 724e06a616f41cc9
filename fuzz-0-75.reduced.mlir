// Seed 0, case 75: crashed.
// Made by: npu-fuzz --assign --seed=0 --case=75 -O0
// Run this file:
//   npu-opt FILE --npu-assign-distributions='strategy=least' -o legal.mlir
//   npu-run legal.mlir --reference=FILE --inputs=integers --seed=75 -O0
// | not done within 10 s
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "described", "npu.tiles" = 5 : i64, "npu.max_tiles" = 5 : i64, "npu.scratchpad_bytes" = 1048576 : i64, "npu.vector_divide_rate" = 627 : i64, "npu.vector_overhead" = 6 : i64, "npu.vector_reduce_rate" = 72872 : i64, "npu.tile_to_tile_latency" = 14 : i64>>} {
func.func @main(%v0: tensor<3x7x5x18xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 5]>>,
    %v1: tensor<2x1x1x18xf32>)
    -> (tensor<3x7x5x2xf32, #npu.layout<DUPLICATED, tiles = 2>>) {
  %v2_0 = arith.constant 0.0 : f32
  %v2_1 = tensor.empty() : tensor<3x7x5x2xf32, #npu.layout<DUPLICATED, tiles = 2>>
  %v2_2 = linalg.fill ins(%v2_0 : f32) outs(%v2_1 : tensor<3x7x5x2xf32, #npu.layout<DUPLICATED, tiles = 2>>) -> tensor<3x7x5x2xf32, #npu.layout<DUPLICATED, tiles = 2>>
  %v2 = linalg.conv_2d_nhwc_fhwc {strides = dense<[1, 1]> : vector<2xi64>, dilations = dense<[2, 1]> : vector<2xi64>} ins(%v0, %v1 : tensor<3x7x5x18xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 5]>>, tensor<2x1x1x18xf32>) outs(%v2_2 : tensor<3x7x5x2xf32, #npu.layout<DUPLICATED, tiles = 2>>) -> tensor<3x7x5x2xf32, #npu.layout<DUPLICATED, tiles = 2>>
  return %v2 : tensor<3x7x5x2xf32, #npu.layout<DUPLICATED, tiles = 2>>
}
}
