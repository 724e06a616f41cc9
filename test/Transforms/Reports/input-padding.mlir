// Zeros that a matrix engine adds while it reads cost nothing, where one window
// slides over them and nothing moves between. On a device whose figures are easy to
// count with: 1000 cycles before vector work, and one element loaded or stored in a
// cycle.
//
// RUN: npu-opt %s --npu-print-costs -o /dev/null 2>&1 | FileCheck %s
//
// On a device that adds none, every pad is a copy: 8 by 8 entries with 2 channels
// are read, and 10 by 10 are written.
// RUN: sed 's/"npu.vector_overhead"/"npu.input_padding" = 0, "npu.vector_overhead"/' %s | npu-opt --npu-print-costs -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-LABEL: function @convolved
// NONE: {{^}}    1328  operation  tensor.pad

#one = #npu.layout<DUPLICATED, tiles = 1>
#two = #npu.layout<DUPLICATED, tiles = 2>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "plain", "npu.like" = "npu4000", "npu.tiles" = 2, "npu.scratchpad_bytes" = 4096,
        "npu.vector_overhead" = 1000, "npu.vector_move_rate" = 1000>>} {

// CHECK-LABEL: function @convolved
// CHECK-NOT: tensor.pad
// CHECK: more of 0 cycles
func.func @convolved(%x: tensor<1x8x8x2xf16, #one>, %w: tensor<3x3x2x4xf16, #one>) -> tensor<1x8x8x4xf16, #one> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<1x8x8x2xf16, #one> to tensor<1x10x10x2xf16, #one>
  %e = tensor.empty() : tensor<1x8x8x4xf16, #one>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x8x4xf16, #one>) -> tensor<1x8x8x4xf16, #one>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x10x10x2xf16, #one>, tensor<3x3x2x4xf16, #one>) outs(%f : tensor<1x8x8x4xf16, #one>) -> tensor<1x8x8x4xf16, #one>
  return %r : tensor<1x8x8x4xf16, #one>
}

// A depthwise convolution, and integers.
// CHECK-LABEL: function @depthwise
// CHECK-NOT: tensor.pad
// CHECK: more of 0 cycles
func.func @depthwise(%x: tensor<1x8x8x2xi8, #one>, %w: tensor<3x3x2xi8, #one>) -> tensor<1x8x8x2xi32, #one> {
  %zero = arith.constant 0 : i8
  %none = arith.constant 0 : i32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : i8
  } : tensor<1x8x8x2xi8, #one> to tensor<1x10x10x2xi8, #one>
  %e = tensor.empty() : tensor<1x8x8x2xi32, #one>
  %f = linalg.fill ins(%none : i32) outs(%e : tensor<1x8x8x2xi32, #one>) -> tensor<1x8x8x2xi32, #one>
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%p, %w : tensor<1x10x10x2xi8, #one>, tensor<3x3x2xi8, #one>) outs(%f : tensor<1x8x8x2xi32, #one>) -> tensor<1x8x8x2xi32, #one>
  return %r : tensor<1x8x8x2xi32, #one>
}

// A pooling. A distribution_cast moves nothing.
// CHECK-LABEL: function @pooled
// CHECK-NOT: tensor.pad
// CHECK: more of 0 cycles
func.func @pooled(%x: tensor<1x8x8x2xf16, #one>, %w: tensor<3x3xf16, #one>) -> tensor<1x8x8x2xf16, #one> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<1x8x8x2xf16, #one> to tensor<1x10x10x2xf16, #one>
  %c = npu.distribution_cast %p : tensor<1x10x10x2xf16, #one> to tensor<1x10x10x2xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 1]>>
  %e = tensor.empty() : tensor<1x8x8x2xf16, #one>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x8x2xf16, #one>) -> tensor<1x8x8x2xf16, #one>
  %r = linalg.pooling_nhwc_max ins(%c, %w : tensor<1x10x10x2xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 1, 1]>>, tensor<3x3xf16, #one>) outs(%f : tensor<1x8x8x2xf16, #one>) -> tensor<1x8x8x2xf16, #one>
  return %r : tensor<1x8x8x2xf16, #one>
}

// Two rows are more than half of three.
// CHECK-LABEL: function @too_wide
// CHECK: {{^}}    1348  operation  tensor.pad
func.func @too_wide(%x: tensor<1x8x8x2xf16, #one>, %w: tensor<3x3x2x4xf16, #one>) -> tensor<1x9x8x4xf16, #one> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 2, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<1x8x8x2xf16, #one> to tensor<1x11x10x2xf16, #one>
  %e = tensor.empty() : tensor<1x9x8x4xf16, #one>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x9x8x4xf16, #one>) -> tensor<1x9x8x4xf16, #one>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x11x10x2xf16, #one>, tensor<3x3x2x4xf16, #one>) outs(%f : tensor<1x9x8x4xf16, #one>) -> tensor<1x9x8x4xf16, #one>
  return %r : tensor<1x9x8x4xf16, #one>
}

// No window slides over channels.
// CHECK-LABEL: function @channels
// CHECK: {{^}}    1320  operation  tensor.pad
func.func @channels(%x: tensor<1x8x8x2xf16, #one>, %w: tensor<1x1x3x4xf16, #one>) -> tensor<1x8x8x4xf16, #one> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<1x8x8x2xf16, #one> to tensor<1x8x8x3xf16, #one>
  %e = tensor.empty() : tensor<1x8x8x4xf16, #one>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x8x4xf16, #one>) -> tensor<1x8x8x4xf16, #one>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x8x8x3xf16, #one>, tensor<1x1x3x4xf16, #one>) outs(%f : tensor<1x8x8x4xf16, #one>) -> tensor<1x8x8x4xf16, #one>
  return %r : tensor<1x8x8x4xf16, #one>
}

// Another value, and a negative zero.
// CHECK-LABEL: function @other_values
// CHECK: {{^}}    1328  operation  tensor.pad
// CHECK: {{^}}    1328  operation  tensor.pad
func.func @other_values(%x: tensor<1x8x8x2xf16, #one>, %w: tensor<3x3x2x4xf16, #one>) -> (tensor<1x8x8x4xf16, #one>, tensor<1x8x8x4xf16, #one>) {
  %zero = arith.constant 0.0 : f16
  %least = arith.constant -65504.0 : f16
  %negative = arith.constant -0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %least : f16
  } : tensor<1x8x8x2xf16, #one> to tensor<1x10x10x2xf16, #one>
  %q = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %negative : f16
  } : tensor<1x8x8x2xf16, #one> to tensor<1x10x10x2xf16, #one>
  %e = tensor.empty() : tensor<1x8x8x4xf16, #one>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x8x4xf16, #one>) -> tensor<1x8x8x4xf16, #one>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x10x10x2xf16, #one>, tensor<3x3x2x4xf16, #one>) outs(%f : tensor<1x8x8x4xf16, #one>) -> tensor<1x8x8x4xf16, #one>
  %s = linalg.conv_2d_nhwc_hwcf ins(%q, %w : tensor<1x10x10x2xf16, #one>, tensor<3x3x2x4xf16, #one>) outs(%f : tensor<1x8x8x4xf16, #one>) -> tensor<1x8x8x4xf16, #one>
  return %r, %s : tensor<1x8x8x4xf16, #one>, tensor<1x8x8x4xf16, #one>
}

// Zeros that somebody else reads, and zeros that move, have to lie somewhere.
// CHECK-LABEL: function @read_twice
// CHECK: {{^}}    1328  operation  tensor.pad
func.func @read_twice(%x: tensor<1x8x8x2xf16, #one>, %w: tensor<3x3x2x4xf16, #one>) -> (tensor<1x8x8x4xf16, #one>, tensor<1x10x10x2xf16, #one>) {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<1x8x8x2xf16, #one> to tensor<1x10x10x2xf16, #one>
  %e = tensor.empty() : tensor<1x8x8x4xf16, #one>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x8x4xf16, #one>) -> tensor<1x8x8x4xf16, #one>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x10x10x2xf16, #one>, tensor<3x3x2x4xf16, #one>) outs(%f : tensor<1x8x8x4xf16, #one>) -> tensor<1x8x8x4xf16, #one>
  return %r, %p : tensor<1x8x8x4xf16, #one>, tensor<1x10x10x2xf16, #one>
}

// CHECK-LABEL: function @moved
// CHECK: {{^}}    1328  operation  tensor.pad
func.func @moved(%x: tensor<1x8x8x2xf16, #one>, %w: tensor<3x3x2x4xf16, #two>) -> tensor<1x8x8x4xf16, #two> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<1x8x8x2xf16, #one> to tensor<1x10x10x2xf16, #one>
  %m = npu.redistribute %p : tensor<1x10x10x2xf16, #one> to tensor<1x10x10x2xf16, #two>
  %e = tensor.empty() : tensor<1x8x8x4xf16, #two>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x8x4xf16, #two>) -> tensor<1x8x8x4xf16, #two>
  %r = linalg.conv_2d_nhwc_hwcf ins(%m, %w : tensor<1x10x10x2xf16, #two>, tensor<3x3x2x4xf16, #two>) outs(%f : tensor<1x8x8x4xf16, #two>) -> tensor<1x8x8x4xf16, #two>
  return %r : tensor<1x8x8x4xf16, #two>
}
}
