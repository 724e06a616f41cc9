// The prompt-336 failure with a real difference: the consumer wants its rows
// one further than the producer left them, 0:8, 8:15, 15:22 and 22:28 instead
// of 0:7, 7:14, 14:21 and 21:28. Tiles 0, 1 and 2 each lack one row of
// 128 x 336 f16 numbers, 86,016 bytes; tile 3 lacks nothing. The repair moves
// 258,048 bytes, which is also the least that suffices.

#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#one_further = #npu.layout<OVERLAPPED,
    compute = [[0:1, 0:128, 0:8, 0:336], [0:1, 0:128, 8:15, 0:336],
               [0:1, 0:128, 15:22, 0:336], [0:1, 0:128, 22:28, 0:336]],
    order = NHWC>

func.func @one_head_off(%heads: tensor<1x28x336x128xf16, #heads>)
    -> tensor<1x128x28x336xf16, #one_further> {
  %0 = npu.permute_cast %heads mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads>
     to tensor<1x128x28x336xf16, #one_further>
  return %0 : tensor<1x128x28x336xf16, #one_further>
}
