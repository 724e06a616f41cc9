// As an exporter writes it: a residual block in linalg, with a padding, a
// convolution, a folded normalization, and pooling, all with dense constants.
#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d1)>
module attributes {torch.debug_module_name = "Block"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<1x8x12x12xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x8xf32> {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %scale = arith.constant dense<[0.5, 0.25, 1.0, 0.75, 0.5, 0.25, 1.0, 0.75]> : tensor<8xf32>
    %area = arith.constant 36.0 : f32
    %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %zero : f32
    } : tensor<1x8x12x12xf32> to tensor<1x8x14x14xf32>
    %empty = tensor.empty() : tensor<1x8x12x12xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
    %conv = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
        ins(%padded, %w : tensor<1x8x14x14xf32>, tensor<8x8x3x3xf32>)
        outs(%init : tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
    %block = linalg.generic {indexing_maps = [#all, #channel, #all, #all],
                             iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%conv, %scale, %x : tensor<1x8x12x12xf32>, tensor<8xf32>, tensor<1x8x12x12xf32>)
        outs(%empty : tensor<1x8x12x12xf32>) {
    ^bb0(%c: f32, %s: f32, %r: f32, %o: f32):
      %scaled = arith.mulf %c, %s : f32
      %sum = arith.addf %scaled, %r : f32
      %positive = arith.cmpf ugt, %sum, %zero : f32
      %relu = arith.select %positive, %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<1x8x12x12xf32>
    %window = tensor.empty() : tensor<2x2xf32>
    %small = tensor.empty() : tensor<1x8x6x6xf32>
    %low = linalg.fill ins(%lowest : f32) outs(%small : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
    %pool = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
        ins(%block, %window : tensor<1x8x12x12xf32>, tensor<2x2xf32>)
        outs(%low : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
    %flat = tensor.empty() : tensor<1x8xf32>
    %none = linalg.fill ins(%zero : f32) outs(%flat : tensor<1x8xf32>) -> tensor<1x8xf32>
    %sums = linalg.reduce ins(%pool : tensor<1x8x6x6xf32>) outs(%none : tensor<1x8xf32>) dimensions = [2, 3]
      (%in: f32, %out: f32) {
        %add = arith.addf %in, %out : f32
        linalg.yield %add : f32
      }
    %mean = linalg.map ins(%sums : tensor<1x8xf32>) outs(%flat : tensor<1x8xf32>)
      (%in: f32, %init0: f32) {
        %divided = arith.divf %in, %area : f32
        linalg.yield %divided : f32
      }
    return %mean : tensor<1x8xf32>
  }
}
