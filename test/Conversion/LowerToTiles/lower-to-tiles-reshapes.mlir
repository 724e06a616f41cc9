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

// A part of one shape that has its dimension of 1 elsewhere than the tensor it comes
// from is seen as a part of the other tensor: the sum takes the whole of its row.
//
// RUN: npu-opt %s --npu-lower-to-tiles --npu-verify-tile-program -o /dev/null

#columns = #npu.layout<SEGMENTED, compute = [[1:2, 0:1], [0:1, 0:1]]>
#moved = #npu.layout<SEGMENTED, compute = [[0:1, 1:2], [0:1, 0:1]]>

// CHECK-LABEL: func.func @unit_dimension_moves
// CHECK: linalg.reduce
func.func @unit_dimension_moves(%x: tensor<2x1xf32, #columns>, %y: tensor<f32, #whole>) -> tensor<f32, #whole> {
  %0 = npu.permute_cast %x mem_perm = [1, 0] : tensor<2x1xf32, #columns> to tensor<1x2xf32, #moved>
  %1 = npu.redistribute %0 : tensor<1x2xf32, #moved> to tensor<1x2xf32, #whole>
  %2 = linalg.reduce ins(%1 : tensor<1x2xf32, #whole>) outs(%y : tensor<f32, #whole>) dimensions = [0, 1]
    (%in: f32, %out: f32) { linalg.yield %in : f32 }
  return %2 : tensor<f32, #whole>
}

// What lies in another order is reshaped as it lies, where dimensions that become
// each other stay together; a dimension is taken apart in the logical order.
#heads = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], order = CHNW>
#merged = #npu.layout<SEGMENTED, tiles = [1, 2, 1], order = [1, 0, 2]>
#parts = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], order = HNCW>
#apart = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], order = NHCW>

// CHECK-LABEL: func.func @collapsed_in_order
// CHECK-NOT: linalg.transpose
// CHECK: tensor.collapse_shape {{.*}} {{\[\[}}0, 1], [2], [3]] {{.*}} into tensor<4x6x2xf32>
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @collapsed_in_order(%x: tensor<6x1x8x2xf32, #heads>) -> tensor<6x8x2xf32, #merged> {
  %0 = tensor.collapse_shape %x [[0], [1, 2], [3]] : tensor<6x1x8x2xf32, #heads> into tensor<6x8x2xf32, #merged>
  return %0 : tensor<6x8x2xf32, #merged>
}

// CHECK-LABEL: func.func @expanded_in_order
// CHECK-NOT: linalg.transpose
// CHECK: tensor.expand_shape {{.*}} into tensor<4x2x3x2xf32>
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @expanded_in_order(%x: tensor<6x8x2xf32, #merged>) -> tensor<2x3x8x2xf32, #parts> {
  %0 = tensor.expand_shape %x [[0, 1], [2], [3]] output_shape [2, 3, 8, 2] : tensor<6x8x2xf32, #merged> into tensor<2x3x8x2xf32, #parts>
  return %0 : tensor<2x3x8x2xf32, #parts>
}

// CHECK-LABEL: func.func @taken_apart
// CHECK: linalg.transpose {{.*}}permutation = [1, 0, 2]
// CHECK: linalg.transpose {{.*}}permutation = [0, 2, 1, 3]
// CHECK: return
func.func @taken_apart(%x: tensor<6x8x2xf32, #merged>) -> tensor<2x3x8x2xf32, #apart> {
  %0 = tensor.expand_shape %x [[0, 1], [2], [3]] output_shape [2, 3, 8, 2] : tensor<6x8x2xf32, #merged> into tensor<2x3x8x2xf32, #apart>
  return %0 : tensor<2x3x8x2xf32, #apart>
}
// RUN: npu-run %s --entry=collapsed_in_order --compare | FileCheck %s --check-prefix=SAME
// RUN: npu-run %s --entry=expanded_in_order --compare | FileCheck %s --check-prefix=SAME
// RUN: npu-run %s --entry=taken_apart --compare | FileCheck %s --check-prefix=SAME
// SAME: {{^}}equal
