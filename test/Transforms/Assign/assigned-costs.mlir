// What an assignment is said to cost is what npu-print-costs says of its result,
// whatever strategy it is from, on both built-in devices.
//
// RUN: %python %S/../../Inputs/check_assigned_costs.py npu-opt %s %t

func.func @softmax(%x: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %e = tensor.empty() : tensor<64x128xf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) -> tensor<64x128xf16>
  return %r : tensor<64x128xf16>
}

func.func @constants(%x: tensor<4x2xf16>) -> tensor<4x2xf16> {
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16>
  %d = arith.constant dense<2.0> : tensor<4x2xf16>
  %0 = arith.mulf %x, %c : tensor<4x2xf16>
  %1 = arith.addf %0, %d : tensor<4x2xf16>
  return %1 : tensor<4x2xf16>
}

func.func @slices(%x: tensor<64x128xf16>, %y: tensor<16x128xf16>) -> (tensor<64x128xf16>, tensor<32x128xf16>) {
  %0 = math.exp %x : tensor<64x128xf16>
  %z = math.exp %y : tensor<16x128xf16>
  %1 = tensor.insert_slice %z into %0[24, 0] [16, 128] [1, 1] : tensor<16x128xf16> into tensor<64x128xf16>
  %2 = tensor.extract_slice %1[0, 0] [32, 128] [1, 1] : tensor<64x128xf16> to tensor<32x128xf16>
  %3 = math.tanh %2 : tensor<32x128xf16>
  return %1, %3 : tensor<64x128xf16>, tensor<32x128xf16>
}

func.func @unknown(%x: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = math.exp %x : tensor<64x128xf16>
  %1 = tosa.abs %0 : (tensor<64x128xf16>) -> tensor<64x128xf16>
  %2 = math.exp %1 : tensor<64x128xf16>
  return %2 : tensor<64x128xf16>
}

func.func @convolution(%x: tensor<1x30x30x32xf16>, %w: tensor<3x3x32x64xf16>, %p: tensor<2x2xf16>) -> tensor<1x14x14x64xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x28x28x64xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x28x28x64xf16>) -> tensor<1x28x28x64xf16>
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x30x30x32xf16>, tensor<3x3x32x64xf16>) outs(%f : tensor<1x28x28x64xf16>) -> tensor<1x28x28x64xf16>
  %e2 = tensor.empty() : tensor<1x14x14x64xf16>
  %f2 = linalg.fill ins(%zero : f16) outs(%e2 : tensor<1x14x14x64xf16>) -> tensor<1x14x14x64xf16>
  %q = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%c, %p : tensor<1x28x28x64xf16>, tensor<2x2xf16>) outs(%f2 : tensor<1x14x14x64xf16>) -> tensor<1x14x14x64xf16>
  return %q : tensor<1x14x14x64xf16>
}

// Zeros that the engine adds while it reads: of rows that tiles have halos of, in a
// loop, and where the convolution's tiles have other parts than the pad's.
func.func @padded(%x: tensor<1x28x28x32xf16>, %w: tensor<3x3x32x32xf16>, %v: tensor<3x3x32xf16>) -> tensor<1x28x28x32xf16> {
  %zero = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<1x28x28x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x28x28x32xf16>) -> tensor<1x28x28x32xf16>
  %r = scf.for %n = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<1x28x28x32xf16> {
    %p = tensor.pad %y low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %zero : f16
    } : tensor<1x28x28x32xf16> to tensor<1x30x30x32xf16>
    %c = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x30x30x32xf16>, tensor<3x3x32x32xf16>) outs(%f : tensor<1x28x28x32xf16>) -> tensor<1x28x28x32xf16>
    scf.yield %c : tensor<1x28x28x32xf16>
  }
  %t = math.tanh %r : tensor<1x28x28x32xf16>
  %q = tensor.pad %t low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<1x28x28x32xf16> to tensor<1x30x30x32xf16>
  %d = linalg.depthwise_conv_2d_nhwc_hwc ins(%q, %v : tensor<1x30x30x32xf16>, tensor<3x3x32xf16>) outs(%f : tensor<1x28x28x32xf16>) -> tensor<1x28x28x32xf16>
  return %d : tensor<1x28x28x32xf16>
}

func.func @loop(%x: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%y = %x) -> tensor<64x128xf16> {
    %0 = math.exp %y : tensor<64x128xf16>
    scf.yield %0 : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}

func.func @transposed(%x: tensor<64x128xf16>) -> tensor<128x64xf16> {
  %0 = math.exp %x : tensor<64x128xf16>
  %e = tensor.empty() : tensor<128x64xf16>
  %t = linalg.transpose ins(%0 : tensor<64x128xf16>) outs(%e : tensor<128x64xf16>) permutation = [1, 0]
  %1 = math.exp %t : tensor<128x64xf16>
  return %1 : tensor<128x64xf16>
}

#map = affine_map<(d0, d1) -> (d0, d1)>
#channel = affine_map<(d0, d1) -> (d1)>

// A bias in the output stage, and one before a sum of tensors and a bound.
func.func @staged(%x: tensor<64x128xf16>, %w: tensor<128x96xf16>, %v: tensor<96x96xf16>, %b: tensor<96xf16>) -> tensor<64x96xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x96xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x96xf16>) -> tensor<64x96xf16>
  %m = linalg.matmul ins(%x, %w : tensor<64x128xf16>, tensor<128x96xf16>) outs(%f : tensor<64x96xf16>) -> tensor<64x96xf16>
  %0 = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<64x96xf16>, tensor<96xf16>) outs(%e : tensor<64x96xf16>) {
  ^bb0(%a0: f16, %a1: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    linalg.yield %s : f16
  } -> tensor<64x96xf16>
  %n = linalg.matmul ins(%0, %v : tensor<64x96xf16>, tensor<96x96xf16>) outs(%f : tensor<64x96xf16>) -> tensor<64x96xf16>
  %1 = linalg.generic {indexing_maps = [#map, #channel, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%n, %b, %0 : tensor<64x96xf16>, tensor<96xf16>, tensor<64x96xf16>) outs(%e : tensor<64x96xf16>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    %t = arith.addf %s, %a2 : f16
    %u = arith.maximumf %t, %zero : f16
    linalg.yield %u : f16
  } -> tensor<64x96xf16>
  return %1 : tensor<64x96xf16>
}

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

func.func private @called(%x: tensor<64x128xf16, #rows>, %s: f16) -> (tensor<64x128xf16, #rows>, f16) {
  return %x, %s : tensor<64x128xf16, #rows>, f16
}

// What the call returns is only written over.
func.func @overwritten(%x: tensor<64x128xf16, #rows>, %s: f16) -> tensor<64x128xf16, #rows> {
  %r:2 = func.call @called(%x, %s) : (tensor<64x128xf16, #rows>, f16) -> (tensor<64x128xf16, #rows>, f16)
  %1 = linalg.exp ins(%x : tensor<64x128xf16, #rows>) outs(%r#0 : tensor<64x128xf16, #rows>) -> tensor<64x128xf16, #rows>
  return %1 : tensor<64x128xf16, #rows>
}
