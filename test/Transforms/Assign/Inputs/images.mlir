// A device that prefers images: its convolutions take nothing else, and its
// reductions none.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mychip", "npu.like" = "npu4000",
      "npu.storage_kinds" = ["tiled2d", "linear"],
      "npu.kernels" = #npu.kernels<
        {op = "convolution", storage = ["tiled2d"]}, {op = "elementwise"}, {op = "movement"},
        {op = "reduction", storage = ["linear"]}>>>} {
  func.func @main(%image: tensor<1x8x16x16xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<8x16x16xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x8x16x16xf32>
    %none = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
    %c = linalg.conv_2d_nchw_fchw ins(%image, %w : tensor<1x8x16x16xf32>, tensor<8x8x1x1xf32>)
        outs(%none : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
    %x = linalg.exp ins(%c : tensor<1x8x16x16xf32>) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
    %e3 = tensor.empty() : tensor<8x16x16xf32>
    %none3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %r = linalg.reduce {arith.addf} ins(%x : tensor<1x8x16x16xf32>) outs(%none3 : tensor<8x16x16xf32>) dimensions = [0]
    return %r : tensor<8x16x16xf32>
  }
}
