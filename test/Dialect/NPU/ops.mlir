// The three operations parse, print and survive the bytecode, a mismatch of
// distributions included: it must parse in order to be explained and repaired.
//
// RUN: npu-opt %s | npu-opt | FileCheck %s
// RUN: npu-opt %s -emit-bytecode | npu-opt | FileCheck %s
// RUN: npu-opt %s --mlir-print-op-generic | npu-opt | FileCheck %s

#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>
#rows_overlapped = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>
#sequence = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1]>
#everywhere = #npu.layout<DUPLICATED, tiles = 4>

// CHECK-LABEL: func.func @permute_cast
func.func @permute_cast(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #rows> {
  // CHECK: npu.permute_cast %{{.*}} mem_perm = [0, 1, 2, 3] : tensor<1x28x336x128xf16, #segmented> to tensor<1x128x28x336xf16, #segmented1>
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows>
  return %0 : tensor<1x128x28x336xf16, #rows>
}

// CHECK-LABEL: func.func @mismatch
func.func @mismatch(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #rows_overlapped> {
  // CHECK: npu.permute_cast
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3] {note = "kept"}
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows_overlapped>
  return %0 : tensor<1x128x28x336xf16, #rows_overlapped>
}

// CHECK-LABEL: func.func @relabel_and_narrow
func.func @relabel_and_narrow(%x: tensor<1x28x336x128xf16, #everywhere>) -> tensor<1x28x336x128xf16, #sequence> {
  // CHECK: npu.distribution_cast
  %0 = npu.distribution_cast %x
      : tensor<1x28x336x128xf16, #everywhere> to tensor<1x28x336x128xf16, #sequence>
  return %0 : tensor<1x28x336x128xf16, #sequence>
}

// CHECK-LABEL: func.func @load_move_store
func.func @load_move_store(%x: tensor<1x28x336x128xf16>) -> tensor<1x28x336x128xf16> {
  // CHECK-COUNT-3: npu.redistribute
  %0 = npu.redistribute %x : tensor<1x28x336x128xf16> to tensor<1x28x336x128xf16, #heads>
  %1 = npu.redistribute %0 : tensor<1x28x336x128xf16, #heads> to tensor<1x28x336x128xf16, #sequence>
  %2 = npu.redistribute %1 : tensor<1x28x336x128xf16, #sequence> to tensor<1x28x336x128xf16>
  return %2 : tensor<1x28x336x128xf16>
}

// Dynamic shapes are fine where nothing is distributed.
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%x: tensor<1x28x?x128xf16>) -> tensor<1x128x28x?xf16, #npu.layout<order = NHWC>> {
  // CHECK: npu.permute_cast
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x?x128xf16> to tensor<1x128x28x?xf16, #npu.layout<order = NHWC>>
  return %0 : tensor<1x128x28x?xf16, #npu.layout<order = NHWC>>
}

// Upstream drops a result that nobody uses and keeps the attribute: it says nothing then.
// CHECK-LABEL: func.func @one_of_two
func.func @one_of_two(%x: tensor<8xf16>) -> tensor<8xf16> {
  // CHECK: npu.padding = {{\[\[\[}}0, 5, 8]], {{\[\[}}0, 5, 8]]]
  %0 = math.absf %x {npu.padding = [[[0, 5, 8]], [[0, 5, 8]]]} : tensor<8xf16>
  return %0 : tensor<8xf16>
}
