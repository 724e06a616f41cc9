// Two matmuls around a residual, without any layout: what npu-assign-distributions
// begins with (docs/assignment.md).
func.func @main(%x: tensor<128x256xf16>, %up: tensor<256x512xf16>, %down: tensor<512x256xf16>)
    -> tensor<128x256xf16> {
  %zero = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<128x512xf16>
  %f0 = linalg.fill ins(%zero : f16) outs(%e0 : tensor<128x512xf16>) -> tensor<128x512xf16>
  %h = linalg.matmul ins(%x, %up : tensor<128x256xf16>, tensor<256x512xf16>)
      outs(%f0 : tensor<128x512xf16>) -> tensor<128x512xf16>
  %t = linalg.tanh ins(%h : tensor<128x512xf16>) outs(%e0 : tensor<128x512xf16>) -> tensor<128x512xf16>
  %e1 = tensor.empty() : tensor<128x256xf16>
  %f1 = linalg.fill ins(%zero : f16) outs(%e1 : tensor<128x256xf16>) -> tensor<128x256xf16>
  %d = linalg.matmul ins(%t, %down : tensor<128x512xf16>, tensor<512x256xf16>)
      outs(%f1 : tensor<128x256xf16>) -> tensor<128x256xf16>
  %y = linalg.add ins(%d, %x : tensor<128x256xf16>, tensor<128x256xf16>)
      outs(%e1 : tensor<128x256xf16>) -> tensor<128x256xf16>
  return %y : tensor<128x256xf16>
}
