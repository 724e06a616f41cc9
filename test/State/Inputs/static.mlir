// A cache of static shape: its new row is put where an argument says.
func.func @main(%x: tensor<1x64xf32>, %w: tensor<64x64xf32>, %cache: tensor<1024x64xf32> {npu.cache = "#1", npu.cache_dim = 0}, %at: index {npu.cache_offset}) -> (tensor<1x1024xf32>, tensor<1024x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %row = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x64xf32>) outs(%z : tensor<1x64xf32>) -> tensor<1x64xf32>
  %updated = tensor.insert_slice %row into %cache[%at, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<1024x64xf32>
  %te = tensor.empty() : tensor<64x1024xf32>
  %t = linalg.transpose ins(%updated : tensor<1024x64xf32>) outs(%te : tensor<64x1024xf32>) permutation = [1, 0]
  %se = tensor.empty() : tensor<1x1024xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %s = linalg.matmul ins(%x, %t : tensor<1x64xf32>, tensor<64x1024xf32>) outs(%sz : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %s, %updated : tensor<1x1024xf32>, tensor<1024x64xf32>
}
