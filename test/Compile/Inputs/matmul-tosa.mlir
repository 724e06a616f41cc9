func.func @main(%a: tensor<1x8x16xf32>, %b: tensor<1x16x12xf32>) -> tensor<1x8x12xf32> {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %zero, %zero : (tensor<1x8x16xf32>, tensor<1x16x12xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x12xf32>
  %1 = tosa.exp %0 : (tensor<1x8x12xf32>) -> tensor<1x8x12xf32>
  return %1 : tensor<1x8x12xf32>
}
