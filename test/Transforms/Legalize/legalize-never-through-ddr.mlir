// What a tile holds is sent by tiles, also where DDR has a copy of it from which
// a multicast load would count fewer bytes.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict | FileCheck %s

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#everywhere = #npu.layout<DUPLICATED, tiles = 4>

// CHECK-DAG: #[[ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [4, 1]>
// CHECK-DAG: #[[ALL:.+]] = #npu.layout<DUPLICATED, tiles = 4>

// CHECK-LABEL: func.func @stored_before
// CHECK-DAG: npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16>
// CHECK-DAG: npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[ALL]]>
// CHECK: return
func.func @stored_before(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #everywhere>) -> (tensor<8x4xf16>, tensor<8x4xf16, #everywhere>) {
  %0 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16>
  %1 = linalg.softmax dimension(0) ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #everywhere>) -> tensor<8x4xf16, #everywhere>
  return %0, %1 : tensor<8x4xf16>, tensor<8x4xf16, #everywhere>
}

// CHECK-LABEL: func.func @loaded_before
// CHECK-NEXT: %[[LOADED:.+]] = npu.redistribute %arg0 : tensor<8x4xf16> to tensor<8x4xf16, #[[ROWS]]>
// CHECK-NEXT: npu.redistribute %[[LOADED]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[ALL]]>
func.func @loaded_before(%x: tensor<8x4xf16>, %e: tensor<8x4xf16, #rows>, %f: tensor<8x4xf16, #everywhere>) -> (tensor<8x4xf16, #rows>, tensor<8x4xf16, #everywhere>) {
  %0 = linalg.exp ins(%x : tensor<8x4xf16>) outs(%e : tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows>
  %1 = linalg.softmax dimension(0) ins(%x : tensor<8x4xf16>) outs(%f : tensor<8x4xf16, #everywhere>) -> tensor<8x4xf16, #everywhere>
  return %0, %1 : tensor<8x4xf16, #rows>, tensor<8x4xf16, #everywhere>
}

// There and back, with nobody looking at it in DDR: straight.
// CHECK-LABEL: func.func @there_and_back
// CHECK-NEXT: npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[ALL]]>
// CHECK-NEXT: return
func.func @there_and_back(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #everywhere> {
  %0 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16>
  %1 = tensor.cast %0 : tensor<8x4xf16> to tensor<8x4xf16, #everywhere>
  return %1 : tensor<8x4xf16, #everywhere>
}
