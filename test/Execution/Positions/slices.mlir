// Constant positions that form a box are slices; all others stay.
//
// RUN: npu-opt %s --canonicalize --split-input-file | FileCheck %s
// RUN: npu-opt %s --split-input-file --npu-compile="target=npu4000 tiles=2 compile-to=legal" | FileCheck %s --check-prefix=LEGAL --implicit-check-not="npu.scatter %{{.*}}dense"

// Kokoro's assignment to a slice: rows 2, 4 and 6 are the first of rows 1 to 3 of pairs.
// CHECK-LABEL: @strided
// CHECK: %[[PAIRS:.*]] = tensor.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [5, 2, 8]
// CHECK: tensor.insert_slice %arg0 into %[[PAIRS]][1, 0, 0] [3, 1, 8] [1, 1, 1] : tensor<3x8xf16> into tensor<5x2x8xf16>
// CHECK: tensor.collapse_shape
// LEGAL: tensor.insert_slice
func.func @strided(%new: tensor<3x8xf16>, %x: tensor<10x8xf16>) -> tensor<10x8xf16> {
  %at = arith.constant dense<[[2], [-6], [6]]> : tensor<3x1xi64>
  %0 = npu.scatter %new into %x at %at : tensor<3x8xf16>, tensor<10x8xf16>, tensor<3x1xi64> -> tensor<10x8xf16>
  return %0 : tensor<10x8xf16>
}

// -----

// Nine rows are no pairs.
// CHECK-LABEL: @odd
// CHECK: npu.scatter
func.func @odd(%new: tensor<3x8xf16>, %x: tensor<9x8xf16>) -> tensor<9x8xf16> {
  %at = arith.constant dense<[[2], [4], [6]]> : tensor<3x1xi64>
  %0 = npu.scatter %new into %x at %at : tensor<3x8xf16>, tensor<9x8xf16>, tensor<3x1xi64> -> tensor<9x8xf16>
  return %0 : tensor<9x8xf16>
}

// -----

// Coordinates of dimensions 0 and 1, of which dimension 0 has one.
// CHECK-LABEL: @row
// CHECK: tensor.extract_slice %arg0[3, 1, 0] [1, 3, 8] [1, 1, 1] : tensor<4x5x8xf32> to tensor<3x8xf32>
func.func @row(%x: tensor<4x5x8xf32>) -> tensor<3x8xf32> {
  %at = arith.constant dense<[[3, 1], [3, 2], [3, 3]]> : tensor<3x2xi32>
  %0 = npu.gather %x at %at : tensor<4x5x8xf32>, tensor<3x2xi32> -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

// CHECK-LABEL: @box
// CHECK: tensor.expand_shape %arg1 {{\[\[}}0], [1, 2]] output_shape [3, 3, 2]
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[1, 0, 0] [2, 3, 1] [1, 1, 1]
func.func @box(%new: tensor<2x3xi8>, %x: tensor<3x6xi8>) -> tensor<3x6xi8> {
  %at = arith.constant dense<[[[1, 0], [1, 2], [1, 4]], [[2, 0], [2, 2], [2, 4]]]> : tensor<2x3x2xi32>
  %0 = npu.scatter %new into %x at %at : tensor<2x3xi8>, tensor<3x6xi8>, tensor<2x3x2xi32> -> tensor<3x6xi8>
  return %0 : tensor<3x6xi8>
}

// -----

// The model says -1 of dimension 1, whose extent is 2.
// CHECK-LABEL: @last
// CHECK: tensor.insert_slice %arg0 into %arg1[0, 1, 0, 0] [1, 1, 3, 5] [1, 1, 1, 1]
func.func @last(%new: tensor<1x3x5xf16>, %x: tensor<1x2x3x5xf16>) -> tensor<1x2x3x5xf16> {
  %at = arith.constant dense<[[0, -1]]> : tensor<1x2xi64>
  %0 = npu.scatter %new into %x at %at : tensor<1x3x5xf16>, tensor<1x2x3x5xf16>, tensor<1x2xi64> -> tensor<1x2x3x5xf16>
  return %0 : tensor<1x2x3x5xf16>
}

// -----

// CHECK-LABEL: @nothing
// CHECK-NEXT: return %arg1
func.func @nothing(%new: tensor<0x8xf16>, %x: tensor<9x8xf16>) -> tensor<9x8xf16> {
  %at = arith.constant dense<> : tensor<0x1xi64>
  %0 = npu.scatter %new into %x at %at : tensor<0x8xf16>, tensor<9x8xf16>, tensor<0x1xi64> -> tensor<9x8xf16>
  return %0 : tensor<9x8xf16>
}

// -----

// Backwards, twice the same row, and columns before rows.
// CHECK-LABEL: @no_slices
// CHECK-COUNT-3: npu.gather
func.func @no_slices(%x: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>) {
  %back = arith.constant dense<[[2], [1]]> : tensor<2x1xi32>
  %0 = npu.gather %x at %back : tensor<4x4xf32>, tensor<2x1xi32> -> tensor<2x4xf32>
  %twice = arith.constant dense<[[1], [1]]> : tensor<2x1xi32>
  %1 = npu.gather %x at %twice : tensor<4x4xf32>, tensor<2x1xi32> -> tensor<2x4xf32>
  %columns = arith.constant dense<[[[0, 0], [1, 0]], [[0, 1], [1, 1]]]> : tensor<2x2x2xi32>
  %2 = npu.gather %x at %columns : tensor<4x4xf32>, tensor<2x2x2xi32> -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
}
