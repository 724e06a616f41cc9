// A product, rows of it that data choose, and a tanh. Tiles do all but the lookup: any row
// may be asked for, and a tile's scratchpad does not hold all of them beside the rest. What
// becomes of it on each device, docs/devices.md shows.
func.func @main(%x: tensor<4096x48xf32>, %w: tensor<48x32xf32>, %rows: tensor<4096x1xindex>) -> tensor<4096x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4096x48xf32>, tensor<48x32xf32>) outs(%f : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  %g = tensor.gather %y[%rows] gather_dims([0]) : (tensor<4096x32xf32>, tensor<4096x1xindex>) -> tensor<4096x32xf32>
  %z = linalg.tanh ins(%g : tensor<4096x32xf32>) outs(%e : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  return %z : tensor<4096x32xf32>
}
