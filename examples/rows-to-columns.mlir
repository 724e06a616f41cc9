// The smallest function that needs every step of the compiler (docs/architecture.md):
// two tiles hold two rows each, and the result is wanted by columns. Each tile lacks a
// quarter of the tensor, 2x2 f32 numbers, 16 bytes.

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

func.func @main(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #columns> {
  %empty = tensor.empty() : tensor<4x4xf32, #columns>
  %exp = linalg.exp ins(%x : tensor<4x4xf32, #rows>)
      outs(%empty : tensor<4x4xf32, #columns>) -> tensor<4x4xf32, #columns>
  return %exp : tensor<4x4xf32, #columns>
}
