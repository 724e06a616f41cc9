// A product with weights of 4 bits, 32 of which have a scale (docs/quantized.md).

#weights = affine_map<(n, g, k) -> (n, g, k)>
#groups = affine_map<(n, g, k) -> (n, g)>

func.func @main(%x: tensor<4x64xf16>, %w: tensor<32x2x32xi4>, %s: tensor<32x2xf16>) -> tensor<4x32xf16> {
  %e = tensor.empty() : tensor<32x2x32xf16>
  %wide = linalg.generic {indexing_maps = [#weights, #groups, #weights], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w, %s : tensor<32x2x32xi4>, tensor<32x2xf16>) outs(%e : tensor<32x2x32xf16>) {
  ^bb0(%q: i4, %scale: f16, %out: f16):
    %number = arith.sitofp %q : i4 to f16
    %scaled = arith.mulf %number, %scale : f16
    linalg.yield %scaled : f16
  } -> tensor<32x2x32xf16>
  %rows = tensor.collapse_shape %wide [[0], [1, 2]] : tensor<32x2x32xf16> into tensor<32x64xf16>
  %te = tensor.empty() : tensor<64x32xf16>
  %columns = linalg.transpose ins(%rows : tensor<32x64xf16>) outs(%te : tensor<64x32xf16>) permutation = [1, 0]
  %zero = arith.constant 0.0 : f16
  %ye = tensor.empty() : tensor<4x32xf16>
  %init = linalg.fill ins(%zero : f16) outs(%ye : tensor<4x32xf16>) -> tensor<4x32xf16>
  %y = linalg.matmul ins(%x, %columns : tensor<4x64xf16>, tensor<64x32xf16>) outs(%init : tensor<4x32xf16>) -> tensor<4x32xf16>
  return %y : tensor<4x32xf16>
}
