// Seed 0, case 75: crashed.
// Made by: npu-fuzz --assign --seed=0 --case=75 -O0
// Run this file:
//   npu-opt FILE --npu-assign-distributions='strategy=least split-reductions' -o legal.mlir
//   npu-run legal.mlir --reference=FILE --inputs=integers --seed=75 -O0 --tiles=parallel
// | not done within 60 s
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "described", "npu.tiles" = 5 : i64, "npu.max_tiles" = 5 : i64, "npu.scratchpad_bytes" = 1048576 : i64, "npu.tile_to_ddr_latency" = 3 : i64, "npu.ddr_to_ddr_latency" = 2 : i64, "npu.elementwise_overhead_f16" = 10914 : i64, "npu.input_granule_i8" = 35289 : i64, "npu.depthwise_least_pixels_i8" = 329 : i64, "npu.output_granule" = 439 : i64, "npu.vector_divide_rate" = 627 : i64, "npu.vector_overhead" = 6 : i64, "npu.vector_reduce_rate" = 72872 : i64, "npu.tile_to_tile_latency" = 14 : i64, "npu.tile_to_tile_rate" = 93211 : i64, "npu.ddr_to_tile_latency" = 15 : i64, "npu.ddr_to_tile_rate" = 421 : i64, "npu.contraction_overhead_f16" = 4 : i64, "npu.contraction_overhead_i8" = 12 : i64>>} {
func.func @main(%v0: tensor<8x5x468xf32> {npu.layout = #npu.layout<SEGMENTED, compute = [[3:8, 0:5, 0:468], [0:3, 0:5, 0:468]], memory = [[3:8, 0:5, 0:468], [0:5, 0:5, 0:468]]>},
    %v1: tensor<11x15xf32> {npu.layout = #npu.layout<SEGMENTED|DUPLICATED, tiles = [1, 4]>},
    %v2: tensor<15x38xf32>,
    %v5: tensor<38x15xf32>,
    %v8: tensor<38x12xf32, #npu.layout<SEGMENTED, compute = [[29:38, 0:1], [0:29, 0:12], [29:38, 1:12]], memory = [[27:38, 0:1], [0:29, 0:12], [28:38, 0:12]]>>,
    %v11: tensor<12x38xf32>,
    %v14: tensor<3x7x5x18xf32>,
    %v16: tensor<2x1x1x18xf32>,
    %v20: tensor<12x2xf32> {npu.layout = #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 1], copies = 2, split = ceil>})
    -> (tensor<11x38xf32>,
        tensor<11x15xf32>,
        tensor<15x12xf32>,
        tensor<15x12xf32>,
        tensor<15x38xf32>,
        tensor<15x38xf32>,
        tensor<3x7x5x18xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 5]>>,
        tensor<3x7x5x2xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1], copies = 2, split = ceil, align = [1, 3, 4, 4]>>,
        tensor<38x2xf32>,
        tensor<15xf32>,
        tensor<15x38xf32>,
        tensor<11x15xf32>) {
  %v3_0 = arith.constant 0.0 : f32
  %v3_1 = tensor.empty() : tensor<11x38xf32>
  %v3_2 = linalg.fill ins(%v3_0 : f32) outs(%v3_1 : tensor<11x38xf32>) -> tensor<11x38xf32>
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<11x15xf32>, tensor<15x38xf32>) outs(%v3_2 : tensor<11x38xf32>) -> tensor<11x38xf32>
  %v4 = arith.negf %v3 : tensor<11x38xf32>
  %v6_0 = arith.constant 0.0 : f32
  %v6_1 = tensor.empty() : tensor<11x15xf32>
  %v6_2 = linalg.fill ins(%v6_0 : f32) outs(%v6_1 : tensor<11x15xf32>) -> tensor<11x15xf32>
  %v6 = linalg.matmul ins(%v4, %v5 : tensor<11x38xf32>, tensor<38x15xf32>) outs(%v6_2 : tensor<11x15xf32>) -> tensor<11x15xf32>
  %v7 = arith.addf %v1, %v6 : tensor<11x15xf32>
  %v9_0 = arith.constant 0.0 : f32
  %v9_1 = tensor.empty() : tensor<15x12xf32>
  %v9_2 = linalg.fill ins(%v9_0 : f32) outs(%v9_1 : tensor<15x12xf32>) -> tensor<15x12xf32>
  %v9 = linalg.matmul ins(%v2, %v8 : tensor<15x38xf32>, tensor<38x12xf32, #npu.layout<SEGMENTED, compute = [[29:38, 0:1], [0:29, 0:12], [29:38, 1:12]], memory = [[27:38, 0:1], [0:29, 0:12], [28:38, 0:12]]>>) outs(%v9_2 : tensor<15x12xf32>) -> tensor<15x12xf32>
  %v10_0 = tensor.empty() : tensor<15x12xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v9 : tensor<15x12xf32>) outs(%v10_0 : tensor<15x12xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %v10_1 = math.absf %in0 : f32
    linalg.yield %v10_1 : f32
  } -> (tensor<15x12xf32>)
  %v12_0 = arith.constant 0.0 : f32
  %v12_1 = tensor.empty() : tensor<15x38xf32>
  %v12_2 = linalg.fill ins(%v12_0 : f32) outs(%v12_1 : tensor<15x38xf32>) -> tensor<15x38xf32>
  %v12 = linalg.matmul ins(%v10, %v11 : tensor<15x12xf32>, tensor<12x38xf32>) outs(%v12_2 : tensor<15x38xf32>) -> tensor<15x38xf32>
  %v13 = linalg.add ins(%v2, %v12 : tensor<15x38xf32>, tensor<15x38xf32>) outs(%v12 : tensor<15x38xf32>) -> tensor<15x38xf32>
  %v15 = npu.redistribute %v14 : tensor<3x7x5x18xf32> to tensor<3x7x5x18xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 5]>>
  %v17 = npu.redistribute %v16 : tensor<2x1x1x18xf32> to tensor<2x1x1x18xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 5]>>
  %v18_0 = arith.constant 0.0 : f32
  %v18_1 = tensor.empty() : tensor<3x7x5x2xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1], copies = 2, split = ceil, align = [1, 3, 4, 4]>>
  %v18_2 = linalg.fill ins(%v18_0 : f32) outs(%v18_1 : tensor<3x7x5x2xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1], copies = 2, split = ceil, align = [1, 3, 4, 4]>>) -> tensor<3x7x5x2xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1], copies = 2, split = ceil, align = [1, 3, 4, 4]>>
  %v18 = linalg.conv_2d_nhwc_fhwc {strides = dense<[1, 1]> : vector<2xi64>, dilations = dense<[2, 1]> : vector<2xi64>} ins(%v15, %v17 : tensor<3x7x5x18xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 5]>>, tensor<2x1x1x18xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 5]>>) outs(%v18_2 : tensor<3x7x5x2xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1], copies = 2, split = ceil, align = [1, 3, 4, 4]>>) -> tensor<3x7x5x2xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1], copies = 2, split = ceil, align = [1, 3, 4, 4]>>
  %v19 = npu.redistribute %v8 : tensor<38x12xf32, #npu.layout<SEGMENTED, compute = [[29:38, 0:1], [0:29, 0:12], [29:38, 1:12]], memory = [[27:38, 0:1], [0:29, 0:12], [28:38, 0:12]]>> to tensor<38x12xf32, #npu.layout<SEGMENTED, tiles = [1, 5]>>
  %v21 = npu.redistribute %v20 : tensor<12x2xf32> to tensor<12x2xf32, #npu.layout<SEGMENTED, tiles = [5, 1]>>
  %v22_0 = arith.constant 0.0 : f32
  %v22_1 = tensor.empty() : tensor<38x2xf32>
  %v22_2 = linalg.fill ins(%v22_0 : f32) outs(%v22_1 : tensor<38x2xf32>) -> tensor<38x2xf32>
  %v22 = linalg.matmul ins(%v19, %v21 : tensor<38x12xf32, #npu.layout<SEGMENTED, tiles = [1, 5]>>, tensor<12x2xf32, #npu.layout<SEGMENTED, tiles = [5, 1]>>) outs(%v22_2 : tensor<38x2xf32>) -> tensor<38x2xf32>
  %v23_0 = arith.constant -9.0 : f32
  %v23_1 = tensor.empty() : tensor<15xf32>
  %v23_2 = linalg.fill ins(%v23_0 : f32) outs(%v23_1 : tensor<15xf32>) -> tensor<15xf32>
  %v23 = linalg.reduce { arith.maximumf } ins(%v12 : tensor<15x38xf32>) outs(%v23_2 : tensor<15xf32>) dimensions = [1]
  %v24_0 = tensor.empty() : tensor<15x38xf32>
  %v24 = linalg.broadcast ins(%v23 : tensor<15xf32>) outs(%v24_0 : tensor<15x38xf32>) dimensions = [1]
  %v25 = linalg.sub ins(%v12, %v24 : tensor<15x38xf32>, tensor<15x38xf32>) outs(%v24 : tensor<15x38xf32>) -> tensor<15x38xf32>
  %v26 = tensor.cast %v7 : tensor<11x15xf32> to tensor<11x15xf32>
  return %v3, %v6, %v9, %v10, %v12, %v13, %v15, %v18, %v22, %v23, %v25, %v26 : tensor<11x38xf32>, tensor<11x15xf32>, tensor<15x12xf32>, tensor<15x12xf32>, tensor<15x38xf32>, tensor<15x38xf32>, tensor<3x7x5x18xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 5]>>, tensor<3x7x5x2xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1], copies = 2, split = ceil, align = [1, 3, 4, 4]>>, tensor<38x2xf32>, tensor<15xf32>, tensor<15x38xf32>, tensor<11x15xf32>
}
}
