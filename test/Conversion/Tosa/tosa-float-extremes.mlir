// Maxima and minima of floats begin at an infinity: upstream begins at the largest
// finite number, and a maximum of -inf alone is finite there. What ignores NaN asks
// where there are numbers.
//
// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-prepare-tosa,npu-lower-tosa))' --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @maximum
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[BEGIN:.*]] = linalg.fill ins(%[[LEAST]] : f32)
// CHECK: linalg.reduce ins(%arg0 : tensor<3x?xf32>) outs(%[[BEGIN]] : tensor<?xf32>) dimensions = [0]
// CHECK: arith.maximumf
// CHECK: tensor.expand_shape {{.*}} {{\[}}[0, 1]] {{.*}} : tensor<?xf32> into tensor<1x?xf32>
func.func @maximum(%x: tensor<3x?xf32>) -> tensor<1x?xf32> {
  %r = tosa.reduce_max %x {axis = 0 : i32} : (tensor<3x?xf32>) -> tensor<1x?xf32>
  return %r : tensor<1x?xf32>
}

// -----

// CHECK-LABEL: func.func @minimum
// CHECK: %[[MOST:.*]] = arith.constant 0x7C00 : f16
// CHECK: linalg.fill ins(%[[MOST]] : f16)
// CHECK: arith.minimumf
// CHECK: tensor.expand_shape {{.*}} [] {{.*}} : tensor<f16> into tensor<1xf16>
func.func @minimum(%x: tensor<3xf16>) -> tensor<1xf16> {
  %r = tosa.reduce_min %x {axis = 0 : i32} : (tensor<3xf16>) -> tensor<1xf16>
  return %r : tensor<1xf16>
}

// -----

// CHECK-LABEL: func.func @ignores_nan
// CHECK: arith.cmpf oeq
// CHECK: arith.select
// CHECK: arith.ori
// CHECK: arith.maximumf
// CHECK: arith.select
func.func @ignores_nan(%x: tensor<3x4xf32>) -> tensor<3x1xf32> {
  %r = tosa.reduce_max %x {axis = 1 : i32, nan_mode = IGNORE} : (tensor<3x4xf32>) -> tensor<3x1xf32>
  return %r : tensor<3x1xf32>
}

// -----

// Padding is no entry that could be the largest.
// CHECK-LABEL: func.func @pool
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF80 : bf16
// CHECK: %[[PADDED:.*]] = tensor.pad %arg0 low[0, 1, 0, 0] high[0, 0, 1, 0]
// CHECK: tensor.yield %[[LEAST]] : bf16
// CHECK: %[[BEGIN:.*]] = linalg.fill ins(%[[LEAST]] : bf16)
// CHECK: linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>} ins(%[[PADDED]], {{.*}}) outs(%[[BEGIN]] : tensor<?x2x4x2xbf16>)
func.func @pool(%x: tensor<?x4x4x2xbf16>) -> tensor<?x2x4x2xbf16> {
  %r = tosa.max_pool2d %x {kernel = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 0, 0, 1>} : (tensor<?x4x4x2xbf16>) -> tensor<?x2x4x2xbf16>
  return %r : tensor<?x2x4x2xbf16>
}

// -----

// Integers have no infinities, and upstream's lowering holds.
// CHECK-LABEL: func.func @integers
// CHECK: arith.constant -2147483648 : i32
// CHECK: arith.maxsi
func.func @integers(%x: tensor<3x4xi32>) -> tensor<3x1xi32> {
  %r = tosa.reduce_max %x {axis = 1 : i32} : (tensor<3x4xi32>) -> tensor<3x1xi32>
  return %r : tensor<3x1xi32>
}
