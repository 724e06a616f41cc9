// A product, rows of it that data choose, and a tanh. Tiles know how to do all but
// the lookup: which rows it reads is in its operand. What becomes of it on
// each device, docs/devices.md shows.
func.func @main(%x: tensor<64x48xf32>, %w: tensor<48x32xf32>, %rows: tensor<64x1xindex>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x48xf32>, tensor<48x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  %g = tensor.gather %y[%rows] gather_dims([0]) : (tensor<64x32xf32>, tensor<64x1xindex>) -> tensor<64x32xf32>
  %z = linalg.tanh ins(%g : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %z : tensor<64x32xf32>
}
