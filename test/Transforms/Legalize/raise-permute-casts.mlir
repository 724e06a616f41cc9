// A transpose or a pair of reshapes that moves no byte, in memory and between
// tiles, is a permute_cast; all others stay as they are, and say why.
//
// RUN: npu-opt %s --npu-raise-permute-casts --verify-diagnostics \
// RUN:   --remarks-filter=npu --remark-format=emitRemark | FileCheck %s
// What was raised needs no more than the rest does, and a second run changes nothing.
// RUN: npu-opt %s --npu-raise-permute-casts --npu-legalize-distributions --npu-verify-distributions=strict -o /dev/null
// RUN: npu-opt %s --npu-raise-permute-casts > %t.once
// RUN: npu-opt %t.once --npu-raise-permute-casts > %t.twice
// RUN: diff %t.once %t.twice

#nhcw = #npu.layout<order = NHCW>
#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#heads_nhcw = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHCW>
#heads_overlapped = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHCW>
#sequence_nhcw = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1], order = NHCW>

// Memory in NHCW order has heads and sequence swapped already.
// CHECK-LABEL: func.func @order
func.func @order(%x: tensor<1x28x336x128xf16>) -> tensor<1x336x28x128xf16, #nhcw> {
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 mem_perm = [0, 1, 2, 3] : tensor<1x28x336x128xf16> to tensor<1x336x28x128xf16, #nhcw>
  // CHECK-NEXT: return %[[CAST]]
  %e = tensor.empty() : tensor<1x336x28x128xf16, #nhcw>
  // expected-remark@+1 {{[Passed] raise | Category:npu | Function=order | Reason="it only re-reads memory", bytes=0}}
  %0 = linalg.transpose ins(%x : tensor<1x28x336x128xf16>) outs(%e : tensor<1x336x28x128xf16, #nhcw>) permutation = [0, 2, 1, 3]
  return %0 : tensor<1x336x28x128xf16, #nhcw>
}

// CHECK-LABEL: func.func @moves_bytes
func.func @moves_bytes(%x: tensor<1x28x336x128xf16>, %e: tensor<1x336x28x128xf16>) -> tensor<1x336x28x128xf16> {
  // CHECK-NEXT: linalg.transpose
  // expected-remark@+1 {{[Analysis] left-alone | Category:npu | Function=moves_bytes | Reason="its bytes change their order", bytes=0}}
  %0 = linalg.transpose ins(%x : tensor<1x28x336x128xf16>) outs(%e : tensor<1x336x28x128xf16>) permutation = [0, 2, 1, 3]
  return %0 : tensor<1x336x28x128xf16>
}

// Only a dimension of extent 1 changes its place.
// CHECK-LABEL: func.func @unit_dimension
func.func @unit_dimension(%x: tensor<1x28x336xf16>, %e: tensor<28x1x336xf16>) -> tensor<28x1x336xf16> {
  // CHECK-NEXT: npu.permute_cast %arg0 mem_perm = [1, 0, 2] : tensor<1x28x336xf16> to tensor<28x1x336xf16>
  // expected-remark@+1 {{raise}}
  %0 = linalg.transpose ins(%x : tensor<1x28x336xf16>) outs(%e : tensor<28x1x336xf16>) permutation = [1, 0, 2]
  return %0 : tensor<28x1x336xf16>
}

// A dynamic extent may be 1, but is not known to be.
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%x: tensor<1x?x336xf16>, %e: tensor<?x1x336xf16>, %f: tensor<1x336x?xf16>) -> (tensor<?x1x336xf16>, tensor<1x336x?xf16>) {
  // CHECK-NEXT: npu.permute_cast %arg0 mem_perm = [1, 0, 2]
  // expected-remark@+1 {{raise}}
  %0 = linalg.transpose ins(%x : tensor<1x?x336xf16>) outs(%e : tensor<?x1x336xf16>) permutation = [1, 0, 2]
  // CHECK-NEXT: linalg.transpose
  // expected-remark@+1 {{its bytes change their order}}
  %1 = linalg.transpose ins(%x : tensor<1x?x336xf16>) outs(%f : tensor<1x336x?xf16>) permutation = [0, 2, 1]
  return %0, %1 : tensor<?x1x336xf16>, tensor<1x336x?xf16>
}

// With distributions: every tile keeps what it has, says it in other words, or
// would have to get something.
// CHECK-LABEL: func.func @tiles
func.func @tiles(%x: tensor<1x28x336x128xf16, #heads>, %e: tensor<1x336x28x128xf16, #heads_nhcw>, %f: tensor<1x336x28x128xf16, #heads_overlapped>, %g: tensor<1x336x28x128xf16, #sequence_nhcw>)
    -> (tensor<1x336x28x128xf16, #heads_nhcw>, tensor<1x336x28x128xf16, #heads_overlapped>, tensor<1x336x28x128xf16, #sequence_nhcw>) {
  // CHECK-NEXT: %[[SAME:.+]] = npu.permute_cast %arg0 mem_perm = [0, 1, 2, 3]
  // expected-remark@+1 {{raise}}
  %0 = linalg.transpose ins(%x : tensor<1x28x336x128xf16, #heads>) outs(%e : tensor<1x336x28x128xf16, #heads_nhcw>) permutation = [0, 2, 1, 3]
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 mem_perm = [0, 1, 2, 3]
  // CHECK-NEXT: %[[LABEL:.+]] = npu.distribution_cast %[[CAST]]
  // expected-remark@+1 {{raise}}
  %1 = linalg.transpose ins(%x : tensor<1x28x336x128xf16, #heads>) outs(%f : tensor<1x336x28x128xf16, #heads_overlapped>) permutation = [0, 2, 1, 3]
  // CHECK-NEXT: %[[MOVES:.+]] = linalg.transpose
  // expected-remark@+1 {{left-alone | Category:npu | Function=tiles | Reason="data moves between tiles", bytes=0}}
  %2 = linalg.transpose ins(%x : tensor<1x28x336x128xf16, #heads>) outs(%g : tensor<1x336x28x128xf16, #sequence_nhcw>) permutation = [0, 2, 1, 3]
  // CHECK-NEXT: return %[[SAME]], %[[LABEL]], %[[MOVES]]
  return %0, %1, %2 : tensor<1x336x28x128xf16, #heads_nhcw>, tensor<1x336x28x128xf16, #heads_overlapped>, tensor<1x336x28x128xf16, #sequence_nhcw>
}

#first = #npu.layout<SEGMENTED, tiles = [4, 1, 1]>
#second = #npu.layout<SEGMENTED, tiles = [1, 4, 1]>
#third = #npu.layout<SEGMENTED, tiles = [1, 1, 4]>
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#everywhere = #npu.layout<DUPLICATED, tiles = 4>

// A dimension of extent 1 is dropped here and added there.
// CHECK-LABEL: func.func @reshape_pair
func.func @reshape_pair(%x: tensor<1x28x336xf16>) -> tensor<28x1x336xf16> {
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 mem_perm = [1, 0, 2] : tensor<1x28x336xf16> to tensor<28x1x336xf16>
  // CHECK-NEXT: return %[[CAST]]
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x28x336xf16> into tensor<28x336xf16>
  // expected-remark@+1 {{raise}}
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [28, 1, 336] : tensor<28x336xf16> into tensor<28x1x336xf16>
  return %1 : tensor<28x1x336xf16>
}

// On tiles, and somebody else wants the value in the middle.
// CHECK-LABEL: func.func @reshape_pair_on_tiles
func.func @reshape_pair_on_tiles(%x: tensor<1x28x336xf16, #second>) -> (tensor<28x1x336xf16, #first>, tensor<28x336xf16, #rows>) {
  // CHECK-NEXT: %[[MIDDLE:.+]] = tensor.collapse_shape
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 mem_perm = [1, 0, 2]
  // CHECK-NEXT: return %[[CAST]], %[[MIDDLE]]
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x28x336xf16, #second> into tensor<28x336xf16, #rows>
  // expected-remark@+1 {{raise}}
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [28, 1, 336] : tensor<28x336xf16, #rows> into tensor<28x1x336xf16, #first>
  return %1, %0 : tensor<28x1x336xf16, #first>, tensor<28x336xf16, #rows>
}

// What its tiles lack is not skipped over: the value in the middle has all of it
// on every tile, which the first one does not.
// CHECK-LABEL: func.func @step_that_moves
func.func @step_that_moves(%x: tensor<1x28x336xf16, #second>) -> tensor<28x1x336xf16, #third> {
  // CHECK-NEXT: tensor.collapse_shape
  // CHECK-NEXT: tensor.expand_shape
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x28x336xf16, #second> into tensor<28x336xf16, #everywhere>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [28, 1, 336] : tensor<28x336xf16, #everywhere> into tensor<28x1x336xf16, #third>
  return %1 : tensor<28x1x336xf16, #third>
}

// Other extents than 1 are not a matter of reading: 4x7 is not 7x4. Nor is there
// a cast that changes the rank.
// CHECK-LABEL: func.func @other_reshapes
func.func @other_reshapes(%x: tensor<4x7x336xf16>, %y: tensor<28x336xf16>) -> (tensor<7x4x336xf16>, tensor<28x1x336xf16>) {
  // CHECK-NEXT: tensor.collapse_shape
  // CHECK-NEXT: tensor.expand_shape
  // CHECK-NEXT: tensor.expand_shape
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x7x336xf16> into tensor<28x336xf16>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [7, 4, 336] : tensor<28x336xf16> into tensor<7x4x336xf16>
  %2 = tensor.expand_shape %y [[0], [1, 2]] output_shape [28, 1, 336] : tensor<28x336xf16> into tensor<28x1x336xf16>
  return %1, %2 : tensor<7x4x336xf16>, tensor<28x1x336xf16>
}

// What was dead before is none of its business.
// CHECK-LABEL: func.func @dead
func.func @dead(%x: tensor<1x28x336xf16>, %e: tensor<28x1x336xf16>) {
  // CHECK-NEXT: linalg.transpose
  %0 = linalg.transpose ins(%x : tensor<1x28x336xf16>) outs(%e : tensor<28x1x336xf16>) permutation = [1, 0, 2]
  return
}
