#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1]>
#rows = #npu.layout<OVERLAPPED, tiles = [1, 4, 1]>
func.func @f(%a: tensor<1x28x8xf16, #heads>) -> tensor<1x28x8xf16, #rows> {
  %b = npu.permute_cast %a mem_perm = [0, 1, 2]
      : tensor<1x28x8xf16, #heads> to tensor<1x28x8xf16, #rows>
  return %b : tensor<1x28x8xf16, #rows>
}
