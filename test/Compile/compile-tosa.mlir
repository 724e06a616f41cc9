// TOSA that upstream's passes refuse, or that its pipeline lowers in another order
// than ours, compiles and computes what it computes undistributed. What the
// specification says of the values is checked by test/tosa_operations.py.
//
// RUN: npu-opt %s --npu-compile="compile-to=legal tiles=4 strategy=rows gather=allow" -o %t
// RUN: %python %S/../Inputs/run_every_entry.py %t %s | FileCheck %s
// CHECK-NOT: : {{[^e]}}
// CHECK: folded: equal

// A shape that the pattern of tosa.tile makes has to be legal beside it.
func.func @tile(%x: tensor<1x9x13x1xf32>) -> tensor<2x9x13x3xf32> {
  %times = tosa.const_shape {values = dense<[2, 1, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %r = tosa.tile %x, %times : (tensor<1x9x13x1xf32>, !tosa.shape<4>) -> tensor<2x9x13x3xf32>
  return %r : tensor<2x9x13x3xf32>
}

// A scatter becomes loops, with and without other control flow beside it.
func.func @scatter(%x: tensor<2x5x3xf32>, %u: tensor<2x2x3xf32>) -> tensor<2x5x3xf32> {
  %i = "tosa.const"() <{values = dense<[[0, 3], [4, 1]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
  %r = tosa.scatter %x, %i, %u : (tensor<2x5x3xf32>, tensor<2x2xi32>, tensor<2x2x3xf32>) -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

// Upstream pads the converted input with a zero point of the input's type.
func.func @depthwise_1x1(%x: tensor<1x4x4x3xi8>, %w: tensor<1x1x3x2xi8>, %b: tensor<6xi32>) -> tensor<1x4x6x6xi32> {
  %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 2, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>, tensor<1x1x3x2xi8>, tensor<6xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x6x6xi32>
  return %r : tensor<1x4x6x6xi32>
}

// Upstream pads the weights with a zero point of the input's type.
func.func @strided_transposed(%x: tensor<1x4x3x3xi8>, %w: tensor<4x3x2x3xi8>, %b: tensor<4xi32>) -> tensor<1x9x8x4xi32> {
  %narrow = arith.trunci %w : tensor<4x3x2x3xi8> to tensor<4x3x2x3xi4>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = "tosa.const"() <{values = dense<0> : tensor<1xi4>}> : () -> tensor<1xi4>
  %r = tosa.transpose_conv2d %x, %narrow, %b, %z, %y {acc_type = i32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 3>} : (tensor<1x4x3x3xi8>, tensor<4x3x2x3xi4>, tensor<4xi32>, tensor<1xi8>, tensor<1xi4>) -> tensor<1x9x8x4xi32>
  return %r : tensor<1x9x8x4xi32>
}

// Which rounding that is, the specification leaves open.
func.func @inexact(%x: tensor<2x8xi32>) -> tensor<2x8xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %x, %m, %s, %i, %o {scale32 = true, rounding_mode = INEXACT_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x8xi8>
  return %r : tensor<2x8xi8>
}

// Shapes that are computed from known ones are known.
func.func @shapes(%x: tensor<2x12xf32>) -> tensor<4x6xf32> {
  %a = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s = tosa.mul_shape %a, %b : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %r = tosa.reshape %x, %s : (tensor<2x12xf32>, !tosa.shape<2>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Upstream converts f16 to bf16 by an operation that has no such types.
func.func @between_shorts(%x: tensor<4x8xf16>) -> tensor<4x8xbf16> {
  %r = tosa.cast %x : (tensor<4x8xf16>) -> tensor<4x8xbf16>
  return %r : tensor<4x8xbf16>
}

// Of one entry, upstream multiplies an i48 by an i32.
func.func @one_short(%x: tensor<2x1x1x3xi16>) -> tensor<2x2x2x3xi64> {
  %a = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %c = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %a, %b, %c {mode = BILINEAR} : (tensor<2x1x1x3xi16>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x2x2x3xi48>
  %w = arith.extsi %r : tensor<2x2x2x3xi48> to tensor<2x2x2x3xi64>
  return %w : tensor<2x2x2x3xi64>
}

// A constant that nothing lowers has to be lowered for its users alone, and this one
// folds away.
func.func @folded(%x: tensor<2x3xui8>) -> tensor<2x3xui8> {
  %s = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %z = "tosa.const"() <{values = dense<1> : tensor<1xui8>}> : () -> tensor<1xui8>
  %r = tosa.pad %x, %s, %z : (tensor<2x3xui8>, !tosa.shape<4>, tensor<1xui8>) -> tensor<2x3xui8>
  return %r : tensor<2x3xui8>
}
