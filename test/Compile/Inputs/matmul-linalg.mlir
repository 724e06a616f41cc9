func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x12xf32>) -> tensor<8x12xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x12xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x12xf32>) -> tensor<8x12xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x12xf32>)
      outs(%filled : tensor<8x12xf32>) -> tensor<8x12xf32>
  %1 = math.exp %0 : tensor<8x12xf32>
  return %1 : tensor<8x12xf32>
}
