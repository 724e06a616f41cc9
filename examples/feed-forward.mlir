// A step of a feed-forward network in TOSA, without any layout, as exporters write it:
// what npu-compile (docs/compile.md) takes.

func.func @main(%x: tensor<1x64x48xf32>, %w: tensor<1x48x96xf32>) -> tensor<1x64x96xf32> {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.matmul %x, %w, %zero, %zero
      : (tensor<1x64x48xf32>, tensor<1x48x96xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x96xf32>
  %1 = tosa.tanh %0 : (tensor<1x64x96xf32>) -> tensor<1x64x96xf32>
  return %1 : tensor<1x64x96xf32>
}
