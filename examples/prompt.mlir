// Attention of a prompt to itself in TOSA, for prompts of any length: dynamic dimensions
// are prompts (docs/padding.md, docs/your-model.md).

func.func @main(%x: tensor<1x?x8xf32>) -> tensor<1x?x8xf32> {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %turned = tosa.transpose %x {perms = array<i32: 0, 2, 1>} : (tensor<1x?x8xf32>) -> tensor<1x8x?xf32>
  %scores = tosa.matmul %x, %turned, %zero, %zero
      : (tensor<1x?x8xf32>, tensor<1x8x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x?xf32>
  %largest = tosa.reduce_max %scores {axis = 2 : i32} : (tensor<1x?x?xf32>) -> tensor<1x?x1xf32>
  %below = tosa.sub %scores, %largest : (tensor<1x?x?xf32>, tensor<1x?x1xf32>) -> tensor<1x?x?xf32>
  %weights = tosa.exp %below : (tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
  %sum = tosa.reduce_sum %weights {axis = 2 : i32} : (tensor<1x?x?xf32>) -> tensor<1x?x1xf32>
  %scale = tosa.reciprocal %sum : (tensor<1x?x1xf32>) -> tensor<1x?x1xf32>
  %softmax = tosa.mul %weights, %scale, %shift
      : (tensor<1x?x?xf32>, tensor<1x?x1xf32>, tensor<1xi8>) -> tensor<1x?x?xf32>
  %y = tosa.matmul %softmax, %x, %zero, %zero
      : (tensor<1x?x?xf32>, tensor<1x?x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x8xf32>
  return %y : tensor<1x?x8xf32>
}
