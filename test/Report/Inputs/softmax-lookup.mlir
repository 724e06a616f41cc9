#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @main(%table: tensor<4096x64xf16>, %rows: tensor<4096x1xindex>) -> tensor<4096x64xf16> {
  %n0 = arith.constant dense<0.0> : tensor<4096xf16>
  %empty = tensor.empty() : tensor<4096x64xf16>
  %y = linalg.exp ins(%table : tensor<4096x64xf16>) outs(%empty : tensor<4096x64xf16>) -> tensor<4096x64xf16> loc("net.Exp.1")
  %x = tensor.gather %y[%rows] gather_dims([0]) : (tensor<4096x64xf16>, tensor<4096x1xindex>) -> tensor<4096x64xf16> loc("net.Gather.0")
  %e = linalg.exp ins(%x : tensor<4096x64xf16>) outs(%empty : tensor<4096x64xf16>) -> tensor<4096x64xf16> loc("net.Exp.0")
  %s = linalg.reduce { arith.addf } ins(%e : tensor<4096x64xf16>) outs(%n0 : tensor<4096xf16>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %s : tensor<4096x64xf16>, tensor<4096xf16>) outs(%empty : tensor<4096x64xf16>) {
  ^bb0(%in: f16, %sum: f16, %out: f16):
    %d = arith.divf %in, %sum : f16
    linalg.yield %d : f16
  } -> tensor<4096x64xf16> loc("net.Softmax.0")
  return %p : tensor<4096x64xf16>
}
