// Seed 0, case 77: crashed.
// Made by: npu-fuzz --assign --seed=0 --case=77 -O0
// Run this file:
//   npu-opt FILE --npu-assign-distributions='strategy=greedy' -o legal.mlir
//   npu-run legal.mlir --reference=FILE --inputs=random --seed=77 -O0 --tiles=parallel
// | not done within 60 s
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "described", "npu.tiles" = 8 : i64, "npu.max_tiles" = 8 : i64, "npu.scratchpad_bytes" = 1048576 : i64, "npu.input_granule_f16" = 2 : i64, "npu.pooling_least_pixels_f16" = 31202 : i64, "npu.tile_to_ddr_latency" = 22 : i64, "npu.ddr_to_ddr_latency" = 2 : i64, "npu.channels_innermost" = 1 : i64>>} {
func.func @main(%v0: tensor<5x175x1x6xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [1, 1, 6, 1], split = ceil, align = [1, 1, 2, 3]>>,
    %v1: tensor<18333xf32>,
    %v3: tensor<18333xf32>,
    %v4: i1,
    %v11: tensor<5xi32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1], split = ceil>>,
    %v13: tensor<2x7x6x5xf32> {npu.layout = #npu.layout<SEGMENTED, compute = [[0:2, 0:3, 0:6, 0:2], [2:2, 0:7, 0:6, 1:5], [0:2, 0:0, 3:6, 2:5], [0:2, 0:3, 0:3, 2:5], [2:2, 0:7, 0:6, 0:1], [0:2, 0:3, 3:6, 2:5], [0:2, 3:7, 0:6, 0:5]], memory = [[0:2, 0:5, 0:6, 0:2], [1:2, 0:7, 0:6, 0:5], [0:2, 0:2, 1:6, 0:5], [0:2, 0:5, 0:4, 1:5], [2:2, 0:7, 0:6, 0:3], [0:2, 0:4, 2:6, 1:5], [0:2, 1:7, 0:6, 0:5]]>},
    %v15: tensor<2x2x5x2xf32> {npu.layout = #npu.layout<SEGMENTED|DUPLICATED, tiles = [3, 1, 1, 2]>},
    %v17: tensor<2xf32, #npu.layout<OVERLAPPED, compute = [[0:0], [0:2], [0:2], [2:2], [0:0]]>>,
    %v20: tensor<2x2xf32, #npu.layout<OVERLAPPED, tiles = [1, 3], split = ceil, align = [2, 2], window = [[1, 1, 3, 2, 0]]>>,
    %v23: tensor<20x3xf32>,
    %v24: tensor<3x3xf32>,
    %v28: tensor<3x3xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 2], copies = 3>>)
    -> (tensor<18333xf32>,
        tensor<18333xf32>,
        tensor<18333x2xf32, #npu.layout<OVERLAPPED, tiles = [6, 1], split = ceil, align = [3, 4], window = [[0, 3, 1, 2, 2, 2]]>>,
        tensor<5xf32, #npu.layout<SEGMENTED, tiles = [7]>>,
        tensor<2x7x3x2xf32, #npu.layout<DUPLICATED, tiles = 1>>,
        tensor<2x8x6x2xf32, #npu.layout<SEGMENTED, compute = [[0:2, 0:5, 0:6, 0:2], [0:2, 5:8, 0:6, 0:2]], memory = [[0:2, 0:5, 0:6, 0:2], [0:2, 3:8, 0:6, 0:2]]>>,
        tensor<1x20x20xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 1, 6], split = ceil>>,
        tensor<20x3xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1], copies = 3, split = ceil, align = [3, 1]>>) {
  %v2_0 = tensor.empty() : tensor<18333x2xf32>
  %v2 = linalg.broadcast ins(%v1 : tensor<18333xf32>) outs(%v2_0 : tensor<18333x2xf32>) dimensions = [1]
  %v5 = scf.if %v4 -> (tensor<18333xf32>) {
  %v5_0 = arith.mulf %v3, %v1 : tensor<18333xf32>
  %v5_1 = linalg.sub ins(%v5_0, %v1 : tensor<18333xf32>, tensor<18333xf32>) outs(%v3 : tensor<18333xf32>) -> tensor<18333xf32>
  %v5_2 = scf.if %v4 -> (tensor<18333xf32>) {
  %v5_3 = arith.subf %v5_1, %v5_0 : tensor<18333xf32>
  scf.yield %v5_3 : tensor<18333xf32>
  } else {
  scf.yield %v5_0 : tensor<18333xf32>
  }
  scf.yield %v5_2 : tensor<18333xf32>
  } else {
  %v5_4 = scf.if %v4 -> (tensor<18333xf32>) {
  %v5_5 = arith.maximumf %v1, %v3 : tensor<18333xf32>
  scf.yield %v5_5 : tensor<18333xf32>
  } else {
  scf.yield %v3 : tensor<18333xf32>
  }
  scf.yield %v5_4 : tensor<18333xf32>
  }
  %v6_0 = arith.constant -9.0 : f32
  %v6_1 = tensor.empty() : tensor<18333xf32>
  %v6_2 = linalg.fill ins(%v6_0 : f32) outs(%v6_1 : tensor<18333xf32>) -> tensor<18333xf32>
  %v6 = linalg.reduce { arith.maximumf } ins(%v2 : tensor<18333x2xf32>) outs(%v6_2 : tensor<18333xf32>) dimensions = [1]
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v2, %v6 : tensor<18333x2xf32>, tensor<18333xf32>) outs(%v2 : tensor<18333x2xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %v7_0 = arith.subf %in0, %in1 : f32
    linalg.yield %v7_0 : f32
  } -> (tensor<18333x2xf32>)
  %v8_0 = tensor.empty() : tensor<18333x2xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v7 : tensor<18333x2xf32>) outs(%v8_0 : tensor<18333x2xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %v8_1 = math.exp %in0 : f32
    linalg.yield %v8_1 : f32
  } -> (tensor<18333x2xf32>)
  %v9_0 = arith.constant 0.0 : f32
  %v9_1 = linalg.fill ins(%v9_0 : f32) outs(%v6 : tensor<18333xf32>) -> tensor<18333xf32>
  %v9 = linalg.reduce { arith.addf } ins(%v8 : tensor<18333x2xf32>) outs(%v9_1 : tensor<18333xf32>) dimensions = [1]
  %v10_0 = tensor.empty() : tensor<18333x2xf32, #npu.layout<OVERLAPPED, tiles = [6, 1], split = ceil, align = [3, 4], window = [[0, 3, 1, 2, 2, 2]]>>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v8, %v9 : tensor<18333x2xf32>, tensor<18333xf32>) outs(%v10_0 : tensor<18333x2xf32, #npu.layout<OVERLAPPED, tiles = [6, 1], split = ceil, align = [3, 4], window = [[0, 3, 1, 2, 2, 2]]>>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %v10_1 = arith.divf %in0, %in1 : f32
    linalg.yield %v10_1 : f32
  } -> (tensor<18333x2xf32, #npu.layout<OVERLAPPED, tiles = [6, 1], split = ceil, align = [3, 4], window = [[0, 3, 1, 2, 2, 2]]>>)
  %v12_0 = tensor.empty() : tensor<5xf32, #npu.layout<SEGMENTED, tiles = [7]>>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v11 : tensor<5xi32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1], split = ceil>>) outs(%v12_0 : tensor<5xf32, #npu.layout<SEGMENTED, tiles = [7]>>) {
  ^bb0(%in0: i32, %out: f32):
    %v12_1 = arith.index_cast %in0 : i32 to index
    %v12_2 = arith.constant 18333 : index
    %v12_3 = arith.remui %v12_1, %v12_2 : index
    %v12_4 = arith.index_cast %in0 : i32 to index
    %v12_5 = arith.constant 2 : index
    %v12_6 = arith.remui %v12_4, %v12_5 : index
    %v12_7 = tensor.extract %v8[%v12_3, %v12_6] : tensor<18333x2xf32>
    linalg.yield %v12_7 : f32
  } -> (tensor<5xf32, #npu.layout<SEGMENTED, tiles = [7]>>)
  %v14 = tensor.pad %v13 low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
  %v14_0 = arith.constant -2.0 : f32
    tensor.yield %v14_0 : f32
  } : tensor<2x7x6x5xf32> to tensor<2x9x8x5xf32>
  %v16_0 = arith.constant 0.0 : f32
  %v16_1 = tensor.empty() : tensor<2x8x6x2xf32>
  %v16_2 = linalg.fill ins(%v16_0 : f32) outs(%v16_1 : tensor<2x8x6x2xf32>) -> tensor<2x8x6x2xf32>
  %v16 = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : vector<2xi64>, dilations = dense<[1, 2]> : vector<2xi64>} ins(%v14, %v15 : tensor<2x9x8x5xf32>, tensor<2x2x5x2xf32>) outs(%v16_2 : tensor<2x8x6x2xf32>) -> tensor<2x8x6x2xf32>
  %v18_0 = tensor.empty() : tensor<2x8x6x2xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v16, %v17 : tensor<2x8x6x2xf32>, tensor<2xf32, #npu.layout<OVERLAPPED, compute = [[0:0], [0:2], [0:2], [2:2], [0:0]]>>) outs(%v18_0 : tensor<2x8x6x2xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %v18_1 = arith.addf %in0, %in1 : f32
    linalg.yield %v18_1 : f32
  } -> (tensor<2x8x6x2xf32>)
  %v19_0 = tensor.empty() : tensor<2x8x6x2xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [7, 1, 1, 1], split = ceil, align = [1, 1, 2, 4]>>
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v18 : tensor<2x8x6x2xf32>) outs(%v19_0 : tensor<2x8x6x2xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [7, 1, 1, 1], split = ceil, align = [1, 1, 2, 4]>>) {
  ^bb0(%in0: f32, %out: f32):
    %v19_1 = arith.negf %in0 : f32
    linalg.yield %v19_1 : f32
  } -> (tensor<2x8x6x2xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [7, 1, 1, 1], split = ceil, align = [1, 1, 2, 4]>>)
  %v21_0 = arith.constant -9.0 : f32
  %v21_1 = tensor.empty() : tensor<2x7x3x2xf32, #npu.layout<DUPLICATED, tiles = 1>>
  %v21_2 = linalg.fill ins(%v21_0 : f32) outs(%v21_1 : tensor<2x7x3x2xf32, #npu.layout<DUPLICATED, tiles = 1>>) -> tensor<2x7x3x2xf32, #npu.layout<DUPLICATED, tiles = 1>>
  %v21 = linalg.pooling_nhwc_max {strides = dense<[1, 2]> : vector<2xi64>, dilations = dense<[1, 1]> : vector<2xi64>} ins(%v19, %v20 : tensor<2x8x6x2xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [7, 1, 1, 1], split = ceil, align = [1, 1, 2, 4]>>, tensor<2x2xf32, #npu.layout<OVERLAPPED, tiles = [1, 3], split = ceil, align = [2, 2], window = [[1, 1, 3, 2, 0]]>>) outs(%v21_2 : tensor<2x7x3x2xf32, #npu.layout<DUPLICATED, tiles = 1>>) -> tensor<2x7x3x2xf32, #npu.layout<DUPLICATED, tiles = 1>>
  %v22_0 = tensor.empty() : tensor<2x8x6x2xf32, #npu.layout<SEGMENTED, compute = [[0:2, 0:5, 0:6, 0:2], [0:2, 5:8, 0:6, 0:2]], memory = [[0:2, 0:5, 0:6, 0:2], [0:2, 3:8, 0:6, 0:2]]>>
  %v22 = linalg.softmax dimension(0) ins(%v18 : tensor<2x8x6x2xf32>) outs(%v22_0 : tensor<2x8x6x2xf32, #npu.layout<SEGMENTED, compute = [[0:2, 0:5, 0:6, 0:2], [0:2, 5:8, 0:6, 0:2]], memory = [[0:2, 0:5, 0:6, 0:2], [0:2, 3:8, 0:6, 0:2]]>>) -> tensor<2x8x6x2xf32, #npu.layout<SEGMENTED, compute = [[0:2, 0:5, 0:6, 0:2], [0:2, 5:8, 0:6, 0:2]], memory = [[0:2, 0:5, 0:6, 0:2], [0:2, 3:8, 0:6, 0:2]]>>
  %v25_0 = arith.constant 0.0 : f32
  %v25_1 = tensor.empty() : tensor<20x3xf32, #npu.layout<SEGMENTED, tiles = [1, 2], align = [3, 4]>>
  %v25_2 = linalg.fill ins(%v25_0 : f32) outs(%v25_1 : tensor<20x3xf32, #npu.layout<SEGMENTED, tiles = [1, 2], align = [3, 4]>>) -> tensor<20x3xf32, #npu.layout<SEGMENTED, tiles = [1, 2], align = [3, 4]>>
  %v25 = linalg.matmul ins(%v23, %v24 : tensor<20x3xf32>, tensor<3x3xf32>) outs(%v25_2 : tensor<20x3xf32, #npu.layout<SEGMENTED, tiles = [1, 2], align = [3, 4]>>) -> tensor<20x3xf32, #npu.layout<SEGMENTED, tiles = [1, 2], align = [3, 4]>>
  %v26 = tensor.expand_shape %v25 [[0], [1, 2]] output_shape [20, 1, 3] : tensor<20x3xf32, #npu.layout<SEGMENTED, tiles = [1, 2], align = [3, 4]>> into tensor<20x1x3xf32>
  %v27_0 = tensor.empty() : tensor<1x20x3xf32>
  %v27 = linalg.transpose ins(%v26 : tensor<20x1x3xf32>) outs(%v27_0 : tensor<1x20x3xf32>) permutation = [1, 0, 2]
  %v29_0 = arith.constant 0.0 : f32
  %v29_1 = linalg.fill ins(%v29_0 : f32) outs(%v23 : tensor<20x3xf32>) -> tensor<20x3xf32>
  %v29 = linalg.matmul ins(%v23, %v28 : tensor<20x3xf32>, tensor<3x3xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 2], copies = 3>>) outs(%v29_1 : tensor<20x3xf32>) -> tensor<20x3xf32>
  %v30 = tensor.expand_shape %v29 [[0], [1, 2]] output_shape [20, 1, 3] : tensor<20x3xf32> into tensor<20x1x3xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1, 1], copies = 3, align = [3, 4, 3]>>
  %v31_0 = tensor.empty() : tensor<1x3x20xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3, 2], split = ceil>>
  %v31 = linalg.transpose ins(%v30 : tensor<20x1x3xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1, 1], copies = 3, align = [3, 4, 3]>>) outs(%v31_0 : tensor<1x3x20xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3, 2], split = ceil>>) permutation = [1, 2, 0]
  %v32_0 = arith.constant 0.0 : f32
  %v32_1 = tensor.empty() : tensor<1x20x20xf32>
  %v32_2 = linalg.fill ins(%v32_0 : f32) outs(%v32_1 : tensor<1x20x20xf32>) -> tensor<1x20x20xf32>
  %v32 = linalg.batch_matmul ins(%v27, %v31 : tensor<1x20x3xf32>, tensor<1x3x20xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3, 2], split = ceil>>) outs(%v32_2 : tensor<1x20x20xf32>) -> tensor<1x20x20xf32>
  %v33_0 = tensor.empty() : tensor<1x20x20xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 1, 6], split = ceil>>
  %v33 = linalg.softmax dimension(2) ins(%v32 : tensor<1x20x20xf32>) outs(%v33_0 : tensor<1x20x20xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 1, 6], split = ceil>>) -> tensor<1x20x20xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 1, 6], split = ceil>>
  %v34_0 = arith.constant 0.0 : f32
  %v34_1 = tensor.empty() : tensor<20x3xf32>
  %v34_2 = linalg.fill ins(%v34_0 : f32) outs(%v34_1 : tensor<20x3xf32>) -> tensor<20x3xf32>
  %v34 = linalg.matmul ins(%v23, %v24 : tensor<20x3xf32>, tensor<3x3xf32>) outs(%v34_2 : tensor<20x3xf32>) -> tensor<20x3xf32>
  %v35 = tensor.expand_shape %v34 [[0], [1, 2]] output_shape [20, 1, 3] : tensor<20x3xf32> into tensor<20x1x3xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1], copies = 3, split = ceil>>
  %v36_0 = tensor.empty() : tensor<1x20x3xf32, #npu.layout<OVERLAPPED, tiles = [1, 7, 1], split = ceil, align = [2, 2, 3], window = [[1, 2, 1, 2, 0], [2, 4, 3, 2, 0, 2]]>>
  %v36 = linalg.transpose ins(%v35 : tensor<20x1x3xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 1], copies = 3, split = ceil>>) outs(%v36_0 : tensor<1x20x3xf32, #npu.layout<OVERLAPPED, tiles = [1, 7, 1], split = ceil, align = [2, 2, 3], window = [[1, 2, 1, 2, 0], [2, 4, 3, 2, 0, 2]]>>) permutation = [1, 0, 2]
  %v37_0 = arith.constant 0.0 : f32
  %v37_1 = linalg.fill ins(%v37_0 : f32) outs(%v27 : tensor<1x20x3xf32>) -> tensor<1x20x3xf32>
  %v37 = linalg.batch_matmul ins(%v33, %v36 : tensor<1x20x20xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 1, 6], split = ceil>>, tensor<1x20x3xf32, #npu.layout<OVERLAPPED, tiles = [1, 7, 1], split = ceil, align = [2, 2, 3], window = [[1, 2, 1, 2, 0], [2, 4, 3, 2, 0, 2]]>>) outs(%v37_1 : tensor<1x20x3xf32>) -> tensor<1x20x3xf32>
  %v38_0 = tensor.empty() : tensor<20x1x3xf32, #npu.layout<DUPLICATED, tiles = 4>>
  %v38 = linalg.transpose ins(%v37 : tensor<1x20x3xf32>) outs(%v38_0 : tensor<20x1x3xf32, #npu.layout<DUPLICATED, tiles = 4>>) permutation = [1, 0, 2]
  %v39 = tensor.collapse_shape %v38 [[0], [1, 2]] : tensor<20x1x3xf32, #npu.layout<DUPLICATED, tiles = 4>> into tensor<20x3xf32, #npu.layout<SEGMENTED|MULTICASTED, compute = [[7:20, 0:0], [7:20, 0:0], [0:20, 0:0], [0:20, 0:3], [0:20, 0:0], [0:7, 0:0]]>>
  %v40_0 = tensor.empty() : tensor<20x3xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1], copies = 3, split = ceil, align = [3, 1]>>
  %v40 = linalg.add ins(%v23, %v39 : tensor<20x3xf32>, tensor<20x3xf32, #npu.layout<SEGMENTED|MULTICASTED, compute = [[7:20, 0:0], [7:20, 0:0], [0:20, 0:0], [0:20, 0:3], [0:20, 0:0], [0:7, 0:0]]>>) outs(%v40_0 : tensor<20x3xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1], copies = 3, split = ceil, align = [3, 1]>>) -> tensor<20x3xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1], copies = 3, split = ceil, align = [3, 1]>>
  return %v5, %v6, %v10, %v12, %v21, %v22, %v33, %v40 : tensor<18333xf32>, tensor<18333xf32>, tensor<18333x2xf32, #npu.layout<OVERLAPPED, tiles = [6, 1], split = ceil, align = [3, 4], window = [[0, 3, 1, 2, 2, 2]]>>, tensor<5xf32, #npu.layout<SEGMENTED, tiles = [7]>>, tensor<2x7x3x2xf32, #npu.layout<DUPLICATED, tiles = 1>>, tensor<2x8x6x2xf32, #npu.layout<SEGMENTED, compute = [[0:2, 0:5, 0:6, 0:2], [0:2, 5:8, 0:6, 0:2]], memory = [[0:2, 0:5, 0:6, 0:2], [0:2, 3:8, 0:6, 0:2]]>>, tensor<1x20x20xf32, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 1, 6], split = ceil>>, tensor<20x3xf32, #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1], copies = 3, split = ceil, align = [3, 1]>>
}
}
