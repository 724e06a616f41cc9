// Names with layers, and with what formats have to escape.
func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = npu.redistribute %a : tensor<4x4xf32> to tensor<4x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>> loc("/model/layers.0/mlp/Load")
  %1 = npu.redistribute %0 : tensor<4x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>> to tensor<4x4xf32, #npu.layout<SEGMENTED, tiles = [1, 2]>> loc("encoder.layers.1.turn")
  %2 = npu.redistribute %1 : tensor<4x4xf32, #npu.layout<SEGMENTED, tiles = [1, 2]>> to tensor<4x4xf32> loc("a \"name\" with \\ and \0A and </script>")
  return %2 : tensor<4x4xf32>
}
