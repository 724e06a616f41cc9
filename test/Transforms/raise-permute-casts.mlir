// Transposes and reshapes that only re-read memory become permute_casts; those
// that move bytes, inside a tile or between tiles, stay.
//
// RUN: npu-opt %s --npu-raise-permute-casts --npu-verify-distributions | FileCheck %s

// In row-major memory a transpose moves bytes, but for dimensions of extent 1.
// CHECK-LABEL: func.func @moves_bytes
// CHECK: linalg.transpose
func.func @moves_bytes(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %0 = linalg.transpose ins(%x : tensor<4x6xf32>) outs(%e : tensor<6x4xf32>) permutation = [1, 0]
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @unit_dimension
// CHECK-NOT: linalg.transpose
// CHECK: npu.permute_cast %{{.*}} mem_perm = [1, 0, 2] : tensor<1x4x6xf32> to tensor<4x1x6xf32>
func.func @unit_dimension(%x: tensor<1x4x6xf32>) -> tensor<4x1x6xf32> {
  %e = tensor.empty() : tensor<4x1x6xf32>
  %0 = linalg.transpose ins(%x : tensor<1x4x6xf32>) outs(%e : tensor<4x1x6xf32>) permutation = [1, 0, 2]
  return %0 : tensor<4x1x6xf32>
}

// The pass description's example: NHCW memory holds heads and sequence swapped.
#nhcw = #npu.layout<order = NHCW>
// CHECK-LABEL: func.func @orders_agree
// CHECK-NOT: linalg.transpose
// CHECK: npu.permute_cast %{{.*}} mem_perm = [0, 1, 2, 3] : tensor<1x28x336x128xf16> to tensor<1x336x28x128xf16, #nhcw>
func.func @orders_agree(%x: tensor<1x28x336x128xf16>) -> tensor<1x336x28x128xf16, #nhcw> {
  %e = tensor.empty() : tensor<1x336x28x128xf16, #nhcw>
  %0 = linalg.transpose ins(%x : tensor<1x28x336x128xf16>) outs(%e : tensor<1x336x28x128xf16, #nhcw>)
      permutation = [0, 2, 1, 3]
  return %0 : tensor<1x336x28x128xf16, #nhcw>
}

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns_of_columns = #npu.layout<SEGMENTED, tiles = [1, 2], order = [1, 0]>
#columns_overlapped = #npu.layout<OVERLAPPED, tiles = [1, 2], order = [1, 0]>
#rows_of_columns = #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>

// CHECK-LABEL: func.func @same_boxes
// CHECK-NOT: linalg.transpose
// CHECK: npu.permute_cast
// CHECK-NOT: npu.distribution_cast
// CHECK: return
func.func @same_boxes(%x: tensor<4x6xf32, #rows>) -> tensor<6x4xf32, #columns_of_columns> {
  %e = tensor.empty() : tensor<6x4xf32, #columns_of_columns>
  %0 = linalg.transpose ins(%x : tensor<4x6xf32, #rows>) outs(%e : tensor<6x4xf32, #columns_of_columns>)
      permutation = [1, 0]
  return %0 : tensor<6x4xf32, #columns_of_columns>
}

// The same boxes in other words.
// CHECK-LABEL: func.func @other_label
// CHECK: npu.permute_cast
// CHECK: npu.distribution_cast
func.func @other_label(%x: tensor<4x6xf32, #rows>) -> tensor<6x4xf32, #columns_overlapped> {
  %e = tensor.empty() : tensor<6x4xf32, #columns_overlapped>
  %0 = linalg.transpose ins(%x : tensor<4x6xf32, #rows>) outs(%e : tensor<6x4xf32, #columns_overlapped>)
      permutation = [1, 0]
  return %0 : tensor<6x4xf32, #columns_overlapped>
}

// A chain of reshapes that only takes a dimension of extent 1 to another place.
// CHECK-LABEL: func.func @reshapes
// CHECK-NOT: tensor.collapse_shape
// CHECK-NOT: tensor.expand_shape
// CHECK: npu.permute_cast %{{.*}} mem_perm = [1, 0, 2] : tensor<1x4x6xf32> to tensor<4x1x6xf32>
func.func @reshapes(%x: tensor<1x4x6xf32>) -> tensor<4x1x6xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x4x6xf32> into tensor<4x6xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [4, 1, 6] : tensor<4x6xf32> into tensor<4x1x6xf32>
  return %1 : tensor<4x1x6xf32>
}

// Splitting a dimension is no permutation, and a change of rank is none either.
// CHECK-LABEL: func.func @real_reshapes
// CHECK: tensor.expand_shape
// CHECK: tensor.collapse_shape
func.func @real_reshapes(%x: tensor<1x4x6xf32>) -> tensor<1x2x12xf32> {
  %0 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [1, 2, 2, 6] : tensor<1x4x6xf32> into tensor<1x2x2x6xf32>
  %1 = tensor.collapse_shape %0 [[0], [1], [2, 3]] : tensor<1x2x2x6xf32> into tensor<1x2x12xf32>
  return %1 : tensor<1x2x12xf32>
}
