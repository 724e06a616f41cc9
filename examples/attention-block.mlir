// Prefill attention of Qwen2-7B: 28 heads of 128 that share 4 key and value
// heads, 336 tokens, on four tiles. Head groups are split: every tile has 7 heads
// and the one key and value head that they share, so nothing moves between tiles.
//
// Scores of a tile are 7x336x336 f16, 1543.5 KiB: more than the 1440 KiB of
// npu4000's scratchpads.
//
// For f32: sed 's/f16/f32/g; s/0xFC00/0xFF800000/'; for N tokens: sed 's/336/N/g'.

#heads = #npu.layout<SEGMENTED, tiles = [4, 1, 1]>
#groups = #npu.layout<SEGMENTED, tiles = [4, 1, 1, 1]>

func.func @main(%q: tensor<28x336x128xf16, #heads>, %k: tensor<4x336x128xf16, #heads>,
                %v: tensor<4x336x128xf16, #heads>) -> tensor<28x336x128xf16, #heads> {
  %zero = arith.constant 0.0 : f16
  %scale = arith.constant 0.08838834764 : f16
  %minus_infinity = arith.constant 0xFC00 : f16
  %grouped = tensor.expand_shape %q [[0, 1], [2], [3]] output_shape [4, 7, 336, 128]
      : tensor<28x336x128xf16, #heads> into tensor<4x7x336x128xf16, #groups>

  // Scores: every query with every key.
  %score_room = tensor.empty() : tensor<4x7x336x336xf16, #groups>
  %score_zero = linalg.fill ins(%zero : f16) outs(%score_room : tensor<4x7x336x336xf16, #groups>)
      -> tensor<4x7x336x336xf16, #groups>
  %products = linalg.generic {
      indexing_maps = [affine_map<(k, g, i, j, d) -> (k, g, i, d)>,
                       affine_map<(k, g, i, j, d) -> (k, j, d)>,
                       affine_map<(k, g, i, j, d) -> (k, g, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%grouped, %k : tensor<4x7x336x128xf16, #groups>, tensor<4x336x128xf16, #heads>)
      outs(%score_zero : tensor<4x7x336x336xf16, #groups>) {
  ^bb0(%a: f16, %b: f16, %sum: f16):
    %0 = arith.mulf %a, %b : f16
    %1 = arith.addf %sum, %0 : f16
    linalg.yield %1 : f16
  } -> tensor<4x7x336x336xf16, #groups>

  // Scaled, and no token sees a later one.
  %scores = linalg.generic {
      indexing_maps = [affine_map<(k, g, i, j) -> (k, g, i, j)>,
                       affine_map<(k, g, i, j) -> (k, g, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products : tensor<4x7x336x336xf16, #groups>)
      outs(%score_room : tensor<4x7x336x336xf16, #groups>) {
  ^bb0(%a: f16, %o: f16):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %seen = arith.cmpi ule, %j, %i : index
    %0 = arith.mulf %a, %scale : f16
    %1 = arith.select %seen, %0, %minus_infinity : f16
    linalg.yield %1 : f16
  } -> tensor<4x7x336x336xf16, #groups>

  // Softmax over the keys.
  %row_room = tensor.empty() : tensor<4x7x336xf16, #heads>
  %max_start = linalg.fill ins(%minus_infinity : f16) outs(%row_room : tensor<4x7x336xf16, #heads>)
      -> tensor<4x7x336xf16, #heads>
  %max = linalg.generic {
      indexing_maps = [affine_map<(k, g, i, j) -> (k, g, i, j)>,
                       affine_map<(k, g, i, j) -> (k, g, i)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%scores : tensor<4x7x336x336xf16, #groups>)
      outs(%max_start : tensor<4x7x336xf16, #heads>) {
  ^bb0(%a: f16, %m: f16):
    %0 = arith.maximumf %a, %m : f16
    linalg.yield %0 : f16
  } -> tensor<4x7x336xf16, #heads>
  %weights = linalg.generic {
      indexing_maps = [affine_map<(k, g, i, j) -> (k, g, i, j)>,
                       affine_map<(k, g, i, j) -> (k, g, i)>,
                       affine_map<(k, g, i, j) -> (k, g, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scores, %max : tensor<4x7x336x336xf16, #groups>, tensor<4x7x336xf16, #heads>)
      outs(%score_room : tensor<4x7x336x336xf16, #groups>) {
  ^bb0(%a: f16, %m: f16, %o: f16):
    %0 = arith.subf %a, %m : f16
    %1 = math.exp %0 : f16
    linalg.yield %1 : f16
  } -> tensor<4x7x336x336xf16, #groups>
  %sum_start = linalg.fill ins(%zero : f16) outs(%row_room : tensor<4x7x336xf16, #heads>)
      -> tensor<4x7x336xf16, #heads>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(k, g, i, j) -> (k, g, i, j)>,
                       affine_map<(k, g, i, j) -> (k, g, i)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<4x7x336x336xf16, #groups>)
      outs(%sum_start : tensor<4x7x336xf16, #heads>) {
  ^bb0(%a: f16, %s: f16):
    %0 = arith.addf %a, %s : f16
    linalg.yield %0 : f16
  } -> tensor<4x7x336xf16, #heads>
  %softmax = linalg.generic {
      indexing_maps = [affine_map<(k, g, i, j) -> (k, g, i, j)>,
                       affine_map<(k, g, i, j) -> (k, g, i)>,
                       affine_map<(k, g, i, j) -> (k, g, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<4x7x336x336xf16, #groups>, tensor<4x7x336xf16, #heads>)
      outs(%score_room : tensor<4x7x336x336xf16, #groups>) {
  ^bb0(%a: f16, %s: f16, %o: f16):
    %0 = arith.divf %a, %s : f16
    linalg.yield %0 : f16
  } -> tensor<4x7x336x336xf16, #groups>

  // Values, weighted.
  %out_room = tensor.empty() : tensor<4x7x336x128xf16, #groups>
  %out_zero = linalg.fill ins(%zero : f16) outs(%out_room : tensor<4x7x336x128xf16, #groups>)
      -> tensor<4x7x336x128xf16, #groups>
  %out = linalg.generic {
      indexing_maps = [affine_map<(k, g, i, d, j) -> (k, g, i, j)>,
                       affine_map<(k, g, i, d, j) -> (k, j, d)>,
                       affine_map<(k, g, i, d, j) -> (k, g, i, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%softmax, %v : tensor<4x7x336x336xf16, #groups>, tensor<4x336x128xf16, #heads>)
      outs(%out_zero : tensor<4x7x336x128xf16, #groups>) {
  ^bb0(%a: f16, %b: f16, %sum_so_far: f16):
    %0 = arith.mulf %a, %b : f16
    %1 = arith.addf %sum_so_far, %0 : f16
    linalg.yield %1 : f16
  } -> tensor<4x7x336x128xf16, #groups>
  %result = tensor.collapse_shape %out [[0, 1], [2], [3]]
      : tensor<4x7x336x128xf16, #groups> into tensor<28x336x128xf16, #heads>
  return %result : tensor<28x336x128xf16, #heads>
}
