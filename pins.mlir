#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#cols = #npu.layout<SEGMENTED, tiles = [1, 4]>
func.func @main(%a: tensor<64x32xf32> {npu.layout = #cols}, %b: tensor<32x48xf32>) -> (tensor<64x48xf32> {npu.layout = #cols}, tensor<64x48xf32>) {
  %e = tensor.empty() : tensor<64x48xf32>
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %m = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %er = tensor.empty() : tensor<64x48xf32>
  %x = linalg.exp ins(%m : tensor<64x48xf32>) outs(%er : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = func.call @callee(%x) : (tensor<64x48xf32>) -> tensor<64x48xf32>
  return %x, %y : tensor<64x48xf32>, tensor<64x48xf32>
}
func.func @callee(%x: tensor<64x48xf32> {npu.layout = #rows}) -> (tensor<64x48xf32> {npu.layout = #rows}) {
  %e = tensor.empty() : tensor<64x48xf32>
  %y = linalg.exp ins(%x : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}
