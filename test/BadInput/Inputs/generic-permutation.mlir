// An operation that is not upstream's may have an empty permutation.

func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %t = "my.transpose"(%a, %e) <{permutation = array<i64>}> ({
  ^bb0(%x: f32, %y: f32):
    "my.yield"(%x) : (f32) -> ()
  }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t : tensor<f32>
}
