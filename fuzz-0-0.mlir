// Seed 0, case 0: crashed.
// Made by: npu-fuzz --assign --seed=0 --case=0 -O0
// Run this file:
//   npu-opt FILE --npu-assign-distributions='strategy=least' -o legal.mlir
//   npu-run legal.mlir --reference=FILE --inputs=random --seed=0 -O0
// | not done within 60 s
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "npu4000", "npu.scratchpad_bytes" = 1516 : i64, "npu.channels_innermost" = 1 : i64>>} {
func.func @main(%v0: tensor<7x8x1xbf16> {npu.layout = #npu.layout<SEGMENTED|MULTICASTED, compute = [[0:7, 0:8, 0:1]], order = [2, 1, 0]>},
    %v1: tensor<4x1x6x8xbf16>,
    %v4: tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>,
    %v5: tensor<12x12xbf16>,
    %v14: tensor<12x12xbf16, #npu.layout<DUPLICATED, tiles = 6>>,
    %v21: tensor<12x12xbf16> {npu.layout = #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 6], split = ceil>},
    %v24: tensor<31x20xbf16>)
    -> (tensor<6x2x1xbf16>,
        tensor<1x1x1xbf16>,
        tensor<9x12xbf16>,
        tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>,
        tensor<2x6x9xbf16> {npu.layout = #npu.layout<SEGMENTED, tiles = [1, 3, 2], split = ceil>},
        tensor<2x9x9xbf16>,
        tensor<9x12xbf16>,
        tensor<31x20xbf16>) {
  %v2 = tensor.extract_slice %v0[0, 4, 0] [6, 2, 1] [1, 2, 1] : tensor<7x8x1xbf16> to tensor<6x2x1xbf16>
  %v3 = tensor.extract_slice %v1[2, 0, 5, 7] [1, 1, 1, 1] [2, 1, 1, 1] : tensor<4x1x6x8xbf16> to tensor<1x1x1xbf16>
  %v6_0 = arith.constant 0.0 : bf16
  %v6_1 = tensor.empty() : tensor<9x12xbf16>
  %v6_2 = linalg.fill ins(%v6_0 : bf16) outs(%v6_1 : tensor<9x12xbf16>) -> tensor<9x12xbf16>
  %v6 = linalg.matmul ins(%v4, %v5 : tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>, tensor<12x12xbf16>) outs(%v6_2 : tensor<9x12xbf16>) -> tensor<9x12xbf16>
  %v7 = tensor.expand_shape %v6 [[0], [1, 2]] output_shape [9, 2, 6] : tensor<9x12xbf16> into tensor<9x2x6xbf16>
  %v8_0 = tensor.empty() : tensor<2x9x6xbf16>
  %v8 = linalg.transpose ins(%v7 : tensor<9x2x6xbf16>) outs(%v8_0 : tensor<2x9x6xbf16>) permutation = [1, 0, 2]
  %v9_0 = arith.constant 0.0 : bf16
  %v9_1 = linalg.fill ins(%v9_0 : bf16) outs(%v4 : tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>) -> tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>
  %v9 = linalg.matmul ins(%v4, %v5 : tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>, tensor<12x12xbf16>) outs(%v9_1 : tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>) -> tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>
  %v10 = tensor.expand_shape %v9 [[0], [1, 2]] output_shape [9, 2, 6] : tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>> into tensor<9x2x6xbf16, #npu.layout<OVERLAPPED, compute = [[7:7, 0:2, 0:6], [7:9, 0:2, 0:6], [0:7, 0:2, 0:6]], memory = [[5:9, 0:2, 0:6], [7:9, 0:2, 0:6], [0:8, 0:2, 0:6]]>>
  %v11_0 = tensor.empty() : tensor<2x6x9xbf16>
  %v11 = linalg.transpose ins(%v10 : tensor<9x2x6xbf16, #npu.layout<OVERLAPPED, compute = [[7:7, 0:2, 0:6], [7:9, 0:2, 0:6], [0:7, 0:2, 0:6]], memory = [[5:9, 0:2, 0:6], [7:9, 0:2, 0:6], [0:8, 0:2, 0:6]]>>) outs(%v11_0 : tensor<2x6x9xbf16>) permutation = [1, 2, 0]
  %v12_0 = arith.constant 0.0 : bf16
  %v12_1 = tensor.empty() : tensor<2x9x9xbf16>
  %v12_2 = linalg.fill ins(%v12_0 : bf16) outs(%v12_1 : tensor<2x9x9xbf16>) -> tensor<2x9x9xbf16>
  %v12 = linalg.batch_matmul ins(%v8, %v11 : tensor<2x9x6xbf16>, tensor<2x6x9xbf16>) outs(%v12_2 : tensor<2x9x9xbf16>) -> tensor<2x9x9xbf16>
  %v13 = linalg.softmax dimension(2) ins(%v12 : tensor<2x9x9xbf16>) outs(%v12 : tensor<2x9x9xbf16>) -> tensor<2x9x9xbf16>
  %v15_0 = arith.constant 0.0 : bf16
  %v15_1 = tensor.empty() : tensor<9x12xbf16, #npu.layout<DUPLICATED, compute = [[0:6, 0:11], [6:9, 0:11], [0:9, 0:11], [4:9, 0:11], [0:4, 0:11], [0:9, 11:12]], memory = [[0:7, 0:11], [6:9, 0:12], [0:9, 0:11], [3:9, 0:11], [0:5, 0:11], [0:9, 9:12]]>>
  %v15_2 = linalg.fill ins(%v15_0 : bf16) outs(%v15_1 : tensor<9x12xbf16, #npu.layout<DUPLICATED, compute = [[0:6, 0:11], [6:9, 0:11], [0:9, 0:11], [4:9, 0:11], [0:4, 0:11], [0:9, 11:12]], memory = [[0:7, 0:11], [6:9, 0:12], [0:9, 0:11], [3:9, 0:11], [0:5, 0:11], [0:9, 9:12]]>>) -> tensor<9x12xbf16, #npu.layout<DUPLICATED, compute = [[0:6, 0:11], [6:9, 0:11], [0:9, 0:11], [4:9, 0:11], [0:4, 0:11], [0:9, 11:12]], memory = [[0:7, 0:11], [6:9, 0:12], [0:9, 0:11], [3:9, 0:11], [0:5, 0:11], [0:9, 9:12]]>>
  %v15 = linalg.matmul ins(%v4, %v14 : tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>, tensor<12x12xbf16, #npu.layout<DUPLICATED, tiles = 6>>) outs(%v15_2 : tensor<9x12xbf16, #npu.layout<DUPLICATED, compute = [[0:6, 0:11], [6:9, 0:11], [0:9, 0:11], [4:9, 0:11], [0:4, 0:11], [0:9, 11:12]], memory = [[0:7, 0:11], [6:9, 0:12], [0:9, 0:11], [3:9, 0:11], [0:5, 0:11], [0:9, 9:12]]>>) -> tensor<9x12xbf16, #npu.layout<DUPLICATED, compute = [[0:6, 0:11], [6:9, 0:11], [0:9, 0:11], [4:9, 0:11], [0:4, 0:11], [0:9, 11:12]], memory = [[0:7, 0:11], [6:9, 0:12], [0:9, 0:11], [3:9, 0:11], [0:5, 0:11], [0:9, 9:12]]>>
  %v16 = tensor.expand_shape %v15 [[0], [1, 2]] output_shape [9, 2, 6] : tensor<9x12xbf16, #npu.layout<DUPLICATED, compute = [[0:6, 0:11], [6:9, 0:11], [0:9, 0:11], [4:9, 0:11], [0:4, 0:11], [0:9, 11:12]], memory = [[0:7, 0:11], [6:9, 0:12], [0:9, 0:11], [3:9, 0:11], [0:5, 0:11], [0:9, 9:12]]>> into tensor<9x2x6xbf16, #npu.layout<SEGMENTED, tiles = [1, 2, 3], major = [2, 1], order = [0, 2, 1]>>
  %v17 = linalg.transpose ins(%v16 : tensor<9x2x6xbf16, #npu.layout<SEGMENTED, tiles = [1, 2, 3], major = [2, 1], order = [0, 2, 1]>>) outs(%v8 : tensor<2x9x6xbf16>) permutation = [1, 0, 2]
  %v18_0 = arith.constant 0.0 : bf16
  %v18_1 = tensor.empty() : tensor<2x9x6xbf16>
  %v18_2 = linalg.fill ins(%v18_0 : bf16) outs(%v18_1 : tensor<2x9x6xbf16>) -> tensor<2x9x6xbf16>
  %v18 = linalg.batch_matmul ins(%v13, %v17 : tensor<2x9x9xbf16>, tensor<2x9x6xbf16>) outs(%v18_2 : tensor<2x9x6xbf16>) -> tensor<2x9x6xbf16>
  %v19_0 = tensor.empty() : tensor<9x2x6xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 2, 1], copies = 3>>
  %v19 = linalg.transpose ins(%v18 : tensor<2x9x6xbf16>) outs(%v19_0 : tensor<9x2x6xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 2, 1], copies = 3>>) permutation = [1, 0, 2]
  %v20 = tensor.collapse_shape %v19 [[0], [1, 2]] : tensor<9x2x6xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 2, 1], copies = 3>> into tensor<9x12xbf16>
  %v22_0 = arith.constant 0.0 : bf16
  %v22_1 = tensor.empty() : tensor<9x12xbf16>
  %v22_2 = linalg.fill ins(%v22_0 : bf16) outs(%v22_1 : tensor<9x12xbf16>) -> tensor<9x12xbf16>
  %v22 = linalg.matmul ins(%v20, %v21 : tensor<9x12xbf16>, tensor<12x12xbf16>) outs(%v22_2 : tensor<9x12xbf16>) -> tensor<9x12xbf16>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v4, %v22 : tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>, tensor<9x12xbf16>) outs(%v22 : tensor<9x12xbf16>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: bf16):
    %v23_0 = arith.addf %in0, %in1 : bf16
    linalg.yield %v23_0 : bf16
  } -> (tensor<9x12xbf16>)
  %v25_0 = arith.constant -9.0 : bf16
  %v25_1 = tensor.empty() : tensor<20xbf16>
  %v25_2 = linalg.fill ins(%v25_0 : bf16) outs(%v25_1 : tensor<20xbf16>) -> tensor<20xbf16>
  %v25 = linalg.reduce { arith.maximumf } ins(%v24 : tensor<31x20xbf16>) outs(%v25_2 : tensor<20xbf16>) dimensions = [0]
  %v26_0 = tensor.empty() : tensor<31x20xbf16>
  %v26 = linalg.broadcast ins(%v25 : tensor<20xbf16>) outs(%v26_0 : tensor<31x20xbf16>) dimensions = [0]
  %v27 = linalg.sub ins(%v24, %v26 : tensor<31x20xbf16>, tensor<31x20xbf16>) outs(%v26 : tensor<31x20xbf16>) -> tensor<31x20xbf16>
  return %v2, %v3, %v6, %v9, %v11, %v13, %v23, %v27 : tensor<6x2x1xbf16>, tensor<1x1x1xbf16>, tensor<9x12xbf16>, tensor<9x12xbf16, #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 3], split = ceil, align = [3, 4]>>, tensor<2x6x9xbf16>, tensor<2x9x9xbf16>, tensor<9x12xbf16>, tensor<31x20xbf16>
}
}
