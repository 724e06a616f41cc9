func.func @main(%x: tensor<ROWSxDEPTHxf16>, %y: tensor<ROWSxDEPTHxf16>) -> tensor<ROWSxROWSxRESULT> {
  %n0 = arith.constant dense<0.0> : tensor<ROWSxf16>
  %p0 = arith.constant dense<0.0> : tensor<ROWSxROWSxf16>
  %two = arith.constant 2.0 : f16
  %empty = tensor.empty() : tensor<ROWSxROWSxRESULT>
  %xx = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<ROWSxDEPTHxf16>) outs(%n0 : tensor<ROWSxf16>) {
  ^bb0(%in: f16, %out: f16):
    %square = arith.mulf %in, %in : f16
    %sum = arith.addf %out, %square : f16
    linalg.yield %sum : f16
  } -> tensor<ROWSxf16>
  %yy = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<ROWSxDEPTHxf16>) outs(%n0 : tensor<ROWSxf16>) {
  ^bb0(%in: f16, %out: f16):
    %square = arith.mulf %in, %in : f16
    %sum = arith.addf %out, %square : f16
    linalg.yield %sum : f16
  } -> tensor<ROWSxf16>
  %xy = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%x, %y : tensor<ROWSxDEPTHxf16>, tensor<ROWSxDEPTHxf16>) outs(%p0 : tensor<ROWSxROWSxf16>) -> tensor<ROWSxROWSxf16>
  %distances = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%xx, %yy, %xy : tensor<ROWSxf16>, tensor<ROWSxf16>, tensor<ROWSxROWSxf16>) outs(%empty : tensor<ROWSxROWSxRESULT>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %out: RESULT):
    %twice = arith.mulf %two, %c : f16
    %apart = arith.subf %a, %twice : f16
    %distance = arith.addf %apart, %b : f16
    CAST
    linalg.yield %result : RESULT
  } -> tensor<ROWSxROWSxRESULT>
  return %distances : tensor<ROWSxROWSxRESULT>
}
