// The squared distances of 8 rows and 6 rows of 512 numbers, as
// |x|^2 - 2xy + |y|^2 in f16; see docs/precision.md.
#rows = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#left = affine_map<(i, j) -> (i)>
#above = affine_map<(i, j) -> (j)>

func.func @main(%x: tensor<8x512xf16>, %y: tensor<6x512xf16>) -> tensor<8x6xf16> {
  %nx0 = arith.constant dense<0.0> : tensor<8xf16>
  %ny0 = arith.constant dense<0.0> : tensor<6xf16>
  %xy0 = arith.constant dense<0.0> : tensor<8x6xf16>
  %two = arith.constant 2.0 : f16
  %empty = tensor.empty() : tensor<8x6xf16>
  %xx = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x512xf16>) outs(%nx0 : tensor<8xf16>) {
  ^bb0(%in: f16, %out: f16):
    %square = arith.mulf %in, %in : f16
    %sum = arith.addf %out, %square : f16
    linalg.yield %sum : f16
  } -> tensor<8xf16>
  %yy = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<6x512xf16>) outs(%ny0 : tensor<6xf16>) {
  ^bb0(%in: f16, %out: f16):
    %square = arith.mulf %in, %in : f16
    %sum = arith.addf %out, %square : f16
    linalg.yield %sum : f16
  } -> tensor<6xf16>
  %xy = linalg.matmul
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %y : tensor<8x512xf16>, tensor<6x512xf16>) outs(%xy0 : tensor<8x6xf16>) -> tensor<8x6xf16>
  %distances = linalg.generic {indexing_maps = [#left, #above, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%xx, %yy, %xy : tensor<8xf16>, tensor<6xf16>, tensor<8x6xf16>) outs(%empty : tensor<8x6xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
    %twice = arith.mulf %two, %c : f16
    %apart = arith.subf %a, %twice : f16
    %distance = arith.addf %apart, %b : f16
    linalg.yield %distance : f16
  } -> tensor<8x6xf16>
  return %distances : tensor<8x6xf16>
}
