func.func @main(%x: tensor<64x24x64xf32>) -> tensor<64x24x64xf32> {
  %e = tensor.empty() : tensor<64x24x64xf32>
  %0 = linalg.sub ins(%x, %x : tensor<64x24x64xf32>, tensor<64x24x64xf32>) outs(%e : tensor<64x24x64xf32>) -> tensor<64x24x64xf32>
  return %0 : tensor<64x24x64xf32>
}
