// Euclidean distances between the rows of two matrices by x^2 - 2xy + y^2: sums
// accumulate in f32, and norms and products are stored in f16, which holds no number
// above 65504.
#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<8x64xf16>, %y: tensor<8x64xf16>) -> tensor<8x8xf16> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %xx = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf16>) outs(%f1 : tensor<8xf32>) {
  ^bb0(%a: f16, %s: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8xf32>
  %yy = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<8x64xf16>) outs(%f1 : tensor<8xf32>) {
  ^bb0(%a: f16, %s: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8xf32>
  %e = tensor.empty() : tensor<64x8xf16>
  %yt = linalg.transpose ins(%y : tensor<8x64xf16>) outs(%e : tensor<64x8xf16>) permutation = [1, 0]
  %xy = linalg.matmul ins(%x, %yt : tensor<8x64xf16>, tensor<64x8xf16>) outs(%f2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %xs = arith.truncf %xx : tensor<8xf32> to tensor<8xf16>
  %ys = arith.truncf %yy : tensor<8xf32> to tensor<8xf16>
  %xys = arith.truncf %xy : tensor<8x8xf32> to tensor<8x8xf16>
  %e3 = tensor.empty() : tensor<8x8xf16>
  %two = arith.constant 2.0 : f16
  %none = arith.constant 0.0 : f16
  %r = linalg.generic {indexing_maps = [#row, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%xs, %ys, %xys : tensor<8xf16>, tensor<8xf16>, tensor<8x8xf16>) outs(%e3 : tensor<8x8xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %1 = arith.mulf %two, %c : f16
    %2 = arith.subf %a, %1 : f16
    %3 = arith.addf %2, %b : f16
    %4 = arith.maximumf %3, %none : f16
    %5 = math.sqrt %4 : f16
    linalg.yield %5 : f16
  } -> tensor<8x8xf16>
  return %r : tensor<8x8xf16>
}
