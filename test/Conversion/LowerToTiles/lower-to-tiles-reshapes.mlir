// A slice in front of a reshape says where it begins, because nothing after the
// reshape does.
//
// RUN: npu-opt %s --npu-lower-to-tiles | FileCheck %s

#whole = #npu.layout<DUPLICATED, tiles = 2>
#rows = #npu.layout<SEGMENTED, tiles = [2]>

// CHECK-LABEL: func.func @collapsed
// CHECK: %[[S1:.*]] = tensor.extract_slice %{{.*}}[2, 0] [2, 5] [1, 1] {npu.begin = array<i64: 2, 0>, npu.tile = 1 : i64}
// CHECK: tensor.collapse_shape %[[S1]] {{.*}}npu.begin = array<i64: 10>, npu.tile = 1
// CHECK: %[[S0:.*]] = tensor.extract_slice %{{.*}}[0, 0] [2, 5] [1, 1] {npu.begin = array<i64: 0, 0>, npu.tile = 0 : i64}
// CHECK: tensor.collapse_shape %[[S0]] {{.*}}npu.begin = array<i64: 0>, npu.tile = 0
func.func @collapsed(%x: tensor<4x5xf32, #whole>) -> tensor<20xf32, #rows> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x5xf32, #whole> into tensor<20xf32, #rows>
  return %0 : tensor<20xf32, #rows>
}
