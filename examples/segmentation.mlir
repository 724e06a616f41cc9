// A segmentation network on an image of 144x256: two convolutions with their
// biases and activations, a classifier, and the class of every pixel. In f16:
// sed s/f32/f16/g examples/segmentation.mlir

#all = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
#pixel = affine_map<(n, h, w, c) -> (n, h, w)>
#class = affine_map<(n, h, w, c) -> (n, c, h, w)>

func.func private @activate(%x: tensor<1x16x144x256xf32>, %bias: tensor<16xf32>) -> tensor<1x16x144x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x144x256xf32>
  %0 = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %bias : tensor<1x16x144x256xf32>, tensor<16xf32>) outs(%e : tensor<1x16x144x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.maximumf %1, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<1x16x144x256xf32>
  return %0 : tensor<1x16x144x256xf32>
}

func.func @main(%image: tensor<1x3x144x256xf32>, %w0: tensor<16x3x3x3xf32>, %b0: tensor<16xf32>,
                %w1: tensor<16x16x3x3xf32>, %b1: tensor<16xf32>, %w2: tensor<6x16x1x1xf32>) -> tensor<1x144x256xi32> {
  %zero = arith.constant 0.0 : f32
  %e16 = tensor.empty() : tensor<1x16x144x256xf32>
  %none16 = linalg.fill ins(%zero : f32) outs(%e16 : tensor<1x16x144x256xf32>) -> tensor<1x16x144x256xf32>

  %p0 = tensor.pad %image low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero : f32
  } : tensor<1x3x144x256xf32> to tensor<1x3x146x258xf32>
  %c0 = linalg.conv_2d_nchw_fchw ins(%p0, %w0 : tensor<1x3x146x258xf32>, tensor<16x3x3x3xf32>)
      outs(%none16 : tensor<1x16x144x256xf32>) -> tensor<1x16x144x256xf32>
  %a0 = func.call @activate(%c0, %b0) : (tensor<1x16x144x256xf32>, tensor<16xf32>) -> tensor<1x16x144x256xf32>

  %p1 = tensor.pad %a0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero : f32
  } : tensor<1x16x144x256xf32> to tensor<1x16x146x258xf32>
  %c1 = linalg.conv_2d_nchw_fchw ins(%p1, %w1 : tensor<1x16x146x258xf32>, tensor<16x16x3x3xf32>)
      outs(%none16 : tensor<1x16x144x256xf32>) -> tensor<1x16x144x256xf32>
  %a1 = func.call @activate(%c1, %b1) : (tensor<1x16x144x256xf32>, tensor<16xf32>) -> tensor<1x16x144x256xf32>

  %e6 = tensor.empty() : tensor<1x6x144x256xf32>
  %none6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<1x6x144x256xf32>) -> tensor<1x6x144x256xf32>
  %logits = linalg.conv_2d_nchw_fchw ins(%a1, %w2 : tensor<1x16x144x256xf32>, tensor<6x16x1x1xf32>)
      outs(%none6 : tensor<1x6x144x256xf32>) -> tensor<1x6x144x256xf32>

  // The first of the classes with the largest logit.
  %least = arith.constant -6.0e+04 : f32
  %none = arith.constant 0 : i32
  %ev = tensor.empty() : tensor<1x144x256xf32>
  %ei = tensor.empty() : tensor<1x144x256xi32>
  %v = linalg.fill ins(%least : f32) outs(%ev : tensor<1x144x256xf32>) -> tensor<1x144x256xf32>
  %i = linalg.fill ins(%none : i32) outs(%ei : tensor<1x144x256xi32>) -> tensor<1x144x256xi32>
  %best:2 = linalg.generic {indexing_maps = [#class, #pixel, #pixel], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%logits : tensor<1x6x144x256xf32>) outs(%v, %i : tensor<1x144x256xf32>, tensor<1x144x256xi32>) {
  ^bb0(%logit: f32, %value: f32, %class: i32):
    %at = linalg.index 3 : index
    %this = arith.index_cast %at : index to i32
    %isMore = arith.cmpf ogt, %logit, %value : f32
    %newValue = arith.select %isMore, %logit, %value : f32
    %newClass = arith.select %isMore, %this, %class : i32
    linalg.yield %newValue, %newClass : f32, i32
  } -> (tensor<1x144x256xf32>, tensor<1x144x256xi32>)
  return %best#1 : tensor<1x144x256xi32>
}
