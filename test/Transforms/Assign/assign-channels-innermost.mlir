// On a device that says so, contractions read operands whose input channels lie
// innermost in memory, and write results whose output channels do.
//
// RUN: npu-opt %s --npu-assign-distributions -o %t.mlir
// RUN: %python %S/Inputs/memory_orders.py < %t.mlir | FileCheck %s
// RUN: npu-opt %t.mlir --npu-verify-distributions=strict -o /dev/null
// RUN: npu-opt %t.mlir --npu-legalize-distributions | diff %t.mlir -
// RUN: npu-run -O0 %t.mlir --entry=matmul --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=keys --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=values --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=biased_values --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=nchw --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=around --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=groups --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=depthwise --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=batches --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=added --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=padded --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=twice --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=reshaped --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=table --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=cache --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=constant --reference=%s | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal
//
// What that costs is counted.
// RUN: %python %S/../../Inputs/check_assigned_costs.py npu-opt %s %t mine
//
// Where it does not, matmuls read whatever there is.
// RUN: sed 's/, "npu.channels_innermost" = 1//' %s | npu-opt --npu-assign-distributions \
// RUN:   | %python %S/Inputs/memory_orders.py | FileCheck %s --check-prefix=ANY
// RUN: sed 's/"npu.channels_innermost" = 1/"npu.channels_innermost" = 0/' %s | npu-opt --npu-assign-distributions \
// RUN:   | %python %S/Inputs/memory_orders.py | FileCheck %s --check-prefix=ANY

#left = affine_map<(b, m, n, k) -> (k, b, m)>
#right = affine_map<(b, m, n, k) -> (k, b, n)>
#out = affine_map<(b, m, n, k) -> (n, b, m)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (n, m)>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 4, "npu.scratchpad_bytes" = 1048576, "npu.channels_innermost" = 1>>} {

// The weights are loaded with the rows that are summed up innermost.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<64x32xf16>, %[[W:[a-z0-9]+]]:
// CHECK-DAG:     %[[WEIGHTS:.*]] = npu.redistribute %[[W]] : tensor<32x96xf16> to tensor<32x96xf16, tiles [1, 0]>
// CHECK-DAG:     %[[ROWS:.*]] = npu.redistribute %[[X]] : tensor<64x32xf16> to tensor<64x32xf16, tiles>
// CHECK:         linalg.matmul ins(%[[ROWS]], %[[WEIGHTS]] : {{.*}} -> tensor<64x96xf16, tiles>
// CHECK:         return
//
// ANY-LABEL: func.func @matmul(
// ANY:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x32xf16, tiles>, tensor<32x96xf16, tiles>)
// ANY:         return
func.func @matmul(%x: tensor<64x32xf16>, %w: tensor<32x96xf16>) -> tensor<64x96xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x96xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x96xf16>) -> tensor<64x96xf16>
  %y = linalg.matmul ins(%x, %w : tensor<64x32xf16>, tensor<32x96xf16>) outs(%f : tensor<64x96xf16>) -> tensor<64x96xf16>
  return %y : tensor<64x96xf16>
}

// Keys are made and turned around for a product: no tile moves or copies them.
// CHECK-LABEL: func.func @keys(
// CHECK:         %[[K:.*]] = linalg.matmul
// CHECK:         %[[T:.*]] = npu.permute_cast %[[K]] {{.*}} to tensor<32x64xf16, tiles [1, 0]>
// CHECK-NOT:     npu.redistribute %[[K]]
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x32xf16, {{.*}}>, tensor<32x64xf16, tiles [1, 0]>)
// CHECK:         return
func.func @keys(%x: tensor<64x48xf16>, %w: tensor<48x32xf16>, %q: tensor<64x32xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x32xf16>) -> tensor<64x32xf16>
  %k = linalg.matmul ins(%x, %w : tensor<64x48xf16>, tensor<48x32xf16>) outs(%f : tensor<64x32xf16>) -> tensor<64x32xf16>
  %te = tensor.empty() : tensor<32x64xf16>
  %t = linalg.transpose ins(%k : tensor<64x32xf16>) outs(%te : tensor<32x64xf16>) permutation = [1, 0]
  %se = tensor.empty() : tensor<64x64xf16>
  %sf = linalg.fill ins(%zero : f16) outs(%se : tensor<64x64xf16>) -> tensor<64x64xf16>
  %s = linalg.matmul ins(%q, %t : tensor<64x32xf16>, tensor<32x64xf16>) outs(%sf : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %s : tensor<64x64xf16>
}

// Values are made with their channels innermost and read with their rows
// innermost: one tile after the other puts them into that order.
// CHECK-LABEL: func.func @values(
// CHECK:         %[[V:.*]] = linalg.matmul {{.*}} -> tensor<64x32xf16, tiles>
// CHECK:         %[[TURNED:.*]] = npu.redistribute %[[V]] : {{.*}} to tensor<64x32xf16, tiles [1, 0]>
// CHECK:         linalg.matmul ins(%{{.*}}, %[[TURNED]] :
// CHECK:         return
//
// ANY-LABEL: func.func @values(
// ANY:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x64xf16, tiles>, tensor<64x32xf16, tiles>)
// ANY:         return
func.func @values(%x: tensor<64x48xf16>, %w: tensor<48x32xf16>, %s: tensor<64x64xf16>) -> tensor<64x32xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x32xf16>) -> tensor<64x32xf16>
  %v = linalg.matmul ins(%x, %w : tensor<64x48xf16>, tensor<48x32xf16>) outs(%f : tensor<64x32xf16>) -> tensor<64x32xf16>
  %p = linalg.matmul ins(%s, %v : tensor<64x64xf16>, tensor<64x32xf16>) outs(%f : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %p : tensor<64x32xf16>
}

// What adds the bias writes in that order at once.
// CHECK-LABEL: func.func @biased_values(
// CHECK:         %[[V:.*]] = linalg.matmul
// CHECK:         %[[B:.*]] = linalg.add {{.*}} -> tensor<64x32xf16, tiles [1, 0]>
// CHECK-NOT:     npu.redistribute %[[B]]
// CHECK:         linalg.matmul
// CHECK:         return
func.func @biased_values(%x: tensor<64x48xf16>, %w: tensor<48x32xf16>, %b: tensor<64x32xf16>, %s: tensor<64x64xf16>) -> tensor<64x32xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x32xf16>) -> tensor<64x32xf16>
  %m = linalg.matmul ins(%x, %w : tensor<64x48xf16>, tensor<48x32xf16>) outs(%f : tensor<64x32xf16>) -> tensor<64x32xf16>
  %v = linalg.add ins(%m, %b : tensor<64x32xf16>, tensor<64x32xf16>) outs(%e : tensor<64x32xf16>) -> tensor<64x32xf16>
  %p = linalg.matmul ins(%s, %v : tensor<64x64xf16>, tensor<64x32xf16>) outs(%f : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %p : tensor<64x32xf16>
}

// CHECK-LABEL: func.func @nchw(
// CHECK:         %[[I:.*]] = linalg.exp {{.*}} -> tensor<1x16x10x10xf16, tiles NHWC>
// CHECK:         linalg.conv_2d_nchw_fchw ins(%{{.*}}, %{{.*}} : tensor<1x16x10x10xf16, tiles NHWC>, tensor<32x16x3x3xf16, tiles NHWC>) outs({{.*}}) -> tensor<1x32x8x8xf16, tiles NHWC>
// CHECK:         return
//
// ANY-LABEL: func.func @nchw(
// ANY:         linalg.conv_2d_nchw_fchw ins(%{{.*}}, %{{.*}} : tensor<1x16x10x10xf16, tiles>, tensor<32x16x3x3xf16, tiles>)
// ANY:         return
func.func @nchw(%x: tensor<1x16x10x10xf16>, %w: tensor<32x16x3x3xf16>) -> tensor<1x32x8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %xe = tensor.empty() : tensor<1x16x10x10xf16>
  %i = linalg.exp ins(%x : tensor<1x16x10x10xf16>) outs(%xe : tensor<1x16x10x10xf16>) -> tensor<1x16x10x10xf16>
  %e = tensor.empty() : tensor<1x32x8x8xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x32x8x8xf16>) -> tensor<1x32x8x8xf16>
  %y = linalg.conv_2d_nchw_fchw ins(%i, %w : tensor<1x16x10x10xf16>, tensor<32x16x3x3xf16>) outs(%f : tensor<1x32x8x8xf16>) -> tensor<1x32x8x8xf16>
  return %y : tensor<1x32x8x8xf16>
}

// The image is loaded in the order that the convolution wants, and both
// transposes only read it otherwise. HWCF filters have no channel innermost.
// CHECK-LABEL: func.func @around(
// CHECK-NOT:     linalg.transpose
// CHECK:         npu.permute_cast
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.conv_2d_nhwc_hwcf ins(%{{.*}}, %{{.*}} : tensor<1x10x10x16xf16, tiles>, tensor<3x3x16x32xf16, tiles NCWH>) outs({{.*}}) -> tensor<1x8x8x32xf16, tiles>
// CHECK-NOT:     linalg.transpose
// CHECK:         npu.permute_cast
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @around(%x: tensor<1x16x10x10xf16>, %w: tensor<3x3x16x32xf16>) -> tensor<1x32x8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %te = tensor.empty() : tensor<1x10x10x16xf16>
  %t = linalg.transpose ins(%x : tensor<1x16x10x10xf16>) outs(%te : tensor<1x10x10x16xf16>) permutation = [0, 2, 3, 1]
  %e = tensor.empty() : tensor<1x8x8x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x8x32xf16>) -> tensor<1x8x8x32xf16>
  %y = linalg.conv_2d_nhwc_hwcf ins(%t, %w : tensor<1x10x10x16xf16>, tensor<3x3x16x32xf16>) outs(%f : tensor<1x8x8x32xf16>) -> tensor<1x8x8x32xf16>
  %be = tensor.empty() : tensor<1x32x8x8xf16>
  %b = linalg.transpose ins(%y : tensor<1x8x8x32xf16>) outs(%be : tensor<1x32x8x8xf16>) permutation = [0, 3, 1, 2]
  return %b : tensor<1x32x8x8xf16>
}

// Channels of one group lie together; the group stays where it is.
// CHECK-LABEL: func.func @groups(
// CHECK:         linalg.conv_2d_ngchw_fgchw {{.*}}ins(%{{.*}}, %{{.*}} : tensor<1x2x8x10x10xf16, tiles GNHWC>, tensor<8x2x8x3x3xf16, tiles GNHWC>) outs({{.*}}) -> tensor<1x2x8x8x8xf16, tiles GNHWC>
// CHECK:         return
func.func @groups(%x: tensor<1x2x8x10x10xf16>, %w: tensor<8x2x8x3x3xf16>) -> tensor<1x2x8x8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x2x8x8x8xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x2x8x8x8xf16>) -> tensor<1x2x8x8x8xf16>
  %y = linalg.conv_2d_ngchw_fgchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x2x8x10x10xf16>, tensor<8x2x8x3x3xf16>) outs(%f : tensor<1x2x8x8x8xf16>) -> tensor<1x2x8x8x8xf16>
  return %y : tensor<1x2x8x8x8xf16>
}

// Channels of a depthwise convolution are its groups.
// CHECK-LABEL: func.func @depthwise(
// CHECK:         linalg.depthwise_conv_2d_nchw_chw ins(%{{.*}}, %{{.*}} : tensor<1x32x10x10xf16, tiles NHWC>, tensor<32x3x3xf16, tiles [1, 2, 0]>) outs({{.*}}) -> tensor<1x32x8x8xf16, tiles NHWC>
// CHECK:         return
func.func @depthwise(%x: tensor<1x32x10x10xf16>, %w: tensor<32x3x3xf16>) -> tensor<1x32x8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x32x8x8xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x32x8x8xf16>) -> tensor<1x32x8x8xf16>
  %y = linalg.depthwise_conv_2d_nchw_chw ins(%x, %w : tensor<1x32x10x10xf16>, tensor<32x3x3xf16>) outs(%f : tensor<1x32x8x8xf16>) -> tensor<1x32x8x8xf16>
  return %y : tensor<1x32x8x8xf16>
}

// A product of any name, with batches in the middle.
// CHECK-LABEL: func.func @batches(
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<32x4x16xf16, tiles [1, 2, 0]>, tensor<32x4x24xf16, tiles [1, 2, 0]>) outs(%{{.*}} : tensor<24x4x16xf16, tiles [1, 2, 0]>)
// CHECK:         return
func.func @batches(%x: tensor<32x4x16xf16>, %w: tensor<32x4x24xf16>) -> tensor<24x4x16xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<24x4x16xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<24x4x16xf16>) -> tensor<24x4x16xf16>
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<32x4x16xf16>, tensor<32x4x24xf16>) outs(%f : tensor<24x4x16xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %p = arith.mulf %a, %b : f16
    %s = arith.addf %c, %p : f16
    linalg.yield %s : f16
  } -> tensor<24x4x16xf16>
  return %y : tensor<24x4x16xf16>
}

// What a product is added to is made in the order of its result, and read in it
// by others.
// CHECK-LABEL: func.func @added(
// CHECK:         linalg.exp {{.*}} -> tensor<24x16xf16, tiles [1, 0]>
// CHECK-NOT:     tiles> to tensor<24x16xf16, tiles [1, 0]>
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%{{.*}} : tensor<24x16xf16, tiles [1, 0]>)
// CHECK:         linalg.tanh ins(%{{.*}} : tensor<24x16xf16, tiles [1, 0]>)
// CHECK:         return
func.func @added(%x: tensor<16x32xf16>, %w: tensor<24x32xf16>, %z: tensor<24x16xf16>) -> (tensor<24x16xf16>, tensor<24x16xf16>) {
  %e = tensor.empty() : tensor<24x16xf16>
  %f = linalg.exp ins(%z : tensor<24x16xf16>) outs(%e : tensor<24x16xf16>) -> tensor<24x16xf16>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<16x32xf16>, tensor<24x32xf16>) outs(%f : tensor<24x16xf16>) {
  ^bb0(%l: f16, %r: f16, %o: f16):
    %p = arith.mulf %l, %r : f16
    %s = arith.addf %o, %p : f16
    linalg.yield %s : f16
  } -> tensor<24x16xf16>
  %g = linalg.tanh ins(%f : tensor<24x16xf16>) outs(%e : tensor<24x16xf16>) -> tensor<24x16xf16>
  return %y, %g : tensor<24x16xf16>, tensor<24x16xf16>
}

// Constants are loaded in the order, after a transpose as well.
// CHECK-LABEL: func.func @constant(
// CHECK:         npu.redistribute %{{.*}} : tensor<4x2xf16> to tensor<4x2xf16, tiles>
// CHECK:         npu.permute_cast {{.*}} to tensor<2x4xf16, tiles [1, 0]>
// CHECK:         linalg.matmul
// CHECK:         return
func.func @constant(%x: tensor<64x2xf16>) -> tensor<64x4xf16> {
  %zero = arith.constant 0.0 : f16
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16>
  %te = tensor.empty() : tensor<2x4xf16>
  %t = linalg.transpose ins(%w : tensor<4x2xf16>) outs(%te : tensor<2x4xf16>) permutation = [1, 0]
  %e = tensor.empty() : tensor<64x4xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x4xf16>) -> tensor<64x4xf16>
  %y = linalg.matmul ins(%x, %t : tensor<64x2xf16>, tensor<2x4xf16>) outs(%f : tensor<64x4xf16>) -> tensor<64x4xf16>
  return %y : tensor<64x4xf16>
}

// Padding writes the order that the convolution reads.
// CHECK-LABEL: func.func @padded(
// CHECK:         tensor.pad
// CHECK:         } : tensor<1x16x64x64xf16, tiles> to tensor<1x16x66x66xf16, tiles NHWC>
// CHECK:         linalg.conv_2d_nchw_fchw
// CHECK:         return
func.func @padded(%x: tensor<1x16x64x64xf16>, %w: tensor<32x16x3x3xf16>) -> tensor<1x32x64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %xe = tensor.empty() : tensor<1x16x64x64xf16>
  %i = linalg.exp ins(%x : tensor<1x16x64x64xf16>) outs(%xe : tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16>
  %p = tensor.pad %i low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f16
  } : tensor<1x16x64x64xf16> to tensor<1x16x66x66xf16>
  %e = tensor.empty() : tensor<1x32x64x64xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x32x64x64xf16>) -> tensor<1x32x64x64xf16>
  %y = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x16x66x66xf16>, tensor<32x16x3x3xf16>) outs(%f : tensor<1x32x64x64xf16>) -> tensor<1x32x64x64xf16>
  return %y : tensor<1x32x64x64xf16>
}

// Two products want one value in two orders. The second one's is that of the
// value, but it is less to turn around what tiles hold for it.
// CHECK-LABEL: func.func @twice(
// CHECK:         %[[V:.*]] = linalg.exp {{.*}} -> tensor<128x128xf16, tiles>
// CHECK:         linalg.matmul ins(%[[V]], %{{.*}} :
// CHECK:         %[[TURNED:.*]] = npu.redistribute %[[V]] : {{.*}} to tensor<128x128xf16, tiles [1, 0]>
// CHECK:         linalg.matmul ins(%{{.*}}, %[[TURNED]] :
// CHECK:         return
func.func @twice(%x: tensor<128x128xf16>, %w: tensor<128x128xf16>, %s: tensor<128x128xf16>) -> (tensor<128x128xf16>, tensor<128x128xf16>) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<128x128xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<128x128xf16>) -> tensor<128x128xf16>
  %v = linalg.exp ins(%x : tensor<128x128xf16>) outs(%e : tensor<128x128xf16>) -> tensor<128x128xf16>
  %a = linalg.matmul ins(%v, %w : tensor<128x128xf16>, tensor<128x128xf16>) outs(%f : tensor<128x128xf16>) -> tensor<128x128xf16>
  %b = linalg.matmul ins(%s, %v : tensor<128x128xf16>, tensor<128x128xf16>) outs(%f : tensor<128x128xf16>) -> tensor<128x128xf16>
  return %a, %b : tensor<128x128xf16>, tensor<128x128xf16>
}

// What is reshaped and turned around is loaded so that both only read it.
// CHECK-LABEL: func.func @reshaped(
// CHECK-NOT:     linalg.transpose
// CHECK:         tensor.expand_shape
// CHECK:         %[[X:.*]] = npu.redistribute %{{.*}} : tensor<1x16x10x10xf16> to tensor<1x16x10x10xf16, tiles NHWC>
// CHECK:         npu.permute_cast %[[X]] {{.*}} to tensor<1x10x10x16xf16, tiles>
// CHECK:         linalg.conv_2d_nhwc_fhwc
// CHECK:         return
func.func @reshaped(%x: tensor<1x16x100xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x32xf16> {
  %zero = arith.constant 0.0 : f16
  %r = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [1, 16, 10, 10] : tensor<1x16x100xf16> into tensor<1x16x10x10xf16>
  %te = tensor.empty() : tensor<1x10x10x16xf16>
  %t = linalg.transpose ins(%r : tensor<1x16x10x10xf16>) outs(%te : tensor<1x10x10x16xf16>) permutation = [0, 2, 3, 1]
  %e = tensor.empty() : tensor<1x8x8x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x8x32xf16>) -> tensor<1x8x8x32xf16>
  %y = linalg.conv_2d_nhwc_fhwc ins(%t, %w : tensor<1x10x10x16xf16>, tensor<32x3x3x16xf16>) outs(%f : tensor<1x8x8x32xf16>) -> tensor<1x8x8x32xf16>
  return %y : tensor<1x8x8x32xf16>
}

// A table that one product reads turned around, and another one as it is, is
// loaded in two orders, and moved by no tile.
// CHECK-LABEL: func.func @table(
// CHECK-SAME:    , %[[W:[a-z0-9]+]]: tensor<64x32xf16>)
// CHECK-DAG:     npu.redistribute %[[W]] : tensor<64x32xf16> to tensor<64x32xf16, tiles>
// CHECK-DAG:     npu.redistribute %[[W]] : tensor<64x32xf16> to tensor<64x32xf16, tiles [1, 0]>
// CHECK-DAG:     npu.permute_cast %{{.*}} : tensor<64x32xf16, tiles> to tensor<32x64xf16, tiles [1, 0]>
// CHECK:         return
func.func @table(%x: tensor<64x32xf16>, %w: tensor<64x32xf16>) -> tensor<64x32xf16> {
  %zero = arith.constant 0.0 : f16
  %te = tensor.empty() : tensor<32x64xf16>
  %t = linalg.transpose ins(%w : tensor<64x32xf16>) outs(%te : tensor<32x64xf16>) permutation = [1, 0]
  %se = tensor.empty() : tensor<64x64xf16>
  %sf = linalg.fill ins(%zero : f16) outs(%se : tensor<64x64xf16>) -> tensor<64x64xf16>
  %s = linalg.matmul ins(%x, %t : tensor<64x32xf16>, tensor<32x64xf16>) outs(%sf : tensor<64x64xf16>) -> tensor<64x64xf16>
  %e = tensor.empty() : tensor<64x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x32xf16>) -> tensor<64x32xf16>
  %y = linalg.matmul ins(%s, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%f : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %y : tensor<64x32xf16>
}

// A cache is made in the order that a product reads, and what is new is put into
// that.
// CHECK-LABEL: func.func @cache(
// CHECK-NOT:     tiles> to tensor<64x32xf16, tiles [1, 0]>
// CHECK:         tensor.insert_slice {{.*}} into tensor<64x32xf16, tiles [1, 0]>
// CHECK-NOT:     tiles> to tensor<64x32xf16, tiles [1, 0]>
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x64xf16, tiles>, tensor<64x32xf16, tiles [1, 0]>)
// CHECK:         linalg.tanh ins(%{{.*}} : tensor<64x32xf16, tiles [1, 0]>)
// CHECK:         return
func.func @cache(%x: tensor<1x32xf16>, %w: tensor<64x32xf16>, %s: tensor<64x64xf16>) -> (tensor<64x32xf16>, tensor<64x32xf16>) {
  %zero = arith.constant 0.0 : f16
  %ne = tensor.empty() : tensor<1x32xf16>
  %n = linalg.exp ins(%x : tensor<1x32xf16>) outs(%ne : tensor<1x32xf16>) -> tensor<1x32xf16>
  %ce = tensor.empty() : tensor<64x32xf16>
  %old = linalg.exp ins(%w : tensor<64x32xf16>) outs(%ce : tensor<64x32xf16>) -> tensor<64x32xf16>
  %c = tensor.insert_slice %n into %old[7, 0] [1, 32] [1, 1] : tensor<1x32xf16> into tensor<64x32xf16>
  %e = tensor.empty() : tensor<64x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x32xf16>) -> tensor<64x32xf16>
  %y = linalg.matmul ins(%s, %c : tensor<64x64xf16>, tensor<64x32xf16>) outs(%f : tensor<64x32xf16>) -> tensor<64x32xf16>
  %g = linalg.tanh ins(%old : tensor<64x32xf16>) outs(%ce : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %y, %g : tensor<64x32xf16>, tensor<64x32xf16>
}

}
