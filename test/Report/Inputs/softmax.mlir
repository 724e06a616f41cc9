#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<16x64xf16>) -> tensor<16x64xf16> {
  %n0 = arith.constant dense<0.0> : tensor<16xf16>
  %empty = tensor.empty() : tensor<16x64xf16>
  %e = linalg.exp ins(%x : tensor<16x64xf16>) outs(%empty : tensor<16x64xf16>) -> tensor<16x64xf16> loc("net.Exp.0")
  %s = linalg.reduce { arith.addf } ins(%e : tensor<16x64xf16>) outs(%n0 : tensor<16xf16>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %s : tensor<16x64xf16>, tensor<16xf16>) outs(%empty : tensor<16x64xf16>) {
  ^bb0(%in: f16, %sum: f16, %out: f16):
    %d = arith.divf %in, %sum : f16
    linalg.yield %d : f16
  } -> tensor<16x64xf16> loc("net.Softmax.0")
  return %p : tensor<16x64xf16>
}
