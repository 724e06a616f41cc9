// Of a tensor of rank 0 every box is all of it, and still a tile may have nothing
// to do with it: who reads, holds and gets it is told apart.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict | FileCheck %s
// RUN: npu-opt %s --npu-legalize-distributions --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=BYTES

#columns = #npu.layout<SEGMENTED, tiles = [1, 3]>
#two = #npu.layout<DUPLICATED, tiles = 2>
#three = #npu.layout<DUPLICATED, tiles = 3>

// One column on tile 0, wanted on three tiles: two of them get 2 bytes.
// CHECK-LABEL: func.func @slice
// CHECK: npu.redistribute
// BYTES-LABEL: function @slice
// BYTES: received 4 (at least 4)
func.func @slice(%x: tensor<1x1xf16, #columns>) -> tensor<f16, #three> {
  %0 = tensor.extract_slice %x[0, 0] [1, 1] [1, 1] : tensor<1x1xf16, #columns> to tensor<f16, #three>
  return %0 : tensor<f16, #three>
}

// Two tiles have it, three want it.
// CHECK-LABEL: func.func @more_tiles
// CHECK: npu.redistribute
// BYTES-LABEL: function @more_tiles
// BYTES: received 2 (at least 2)
func.func @more_tiles(%x: tensor<f16, #two>, %e: tensor<f16, #three>) -> tensor<f16, #three> {
  %0 = linalg.exp ins(%x : tensor<f16, #two>) outs(%e : tensor<f16, #three>) -> tensor<f16, #three>
  return %0 : tensor<f16, #three>
}

// The sum of two columns of two tiles; tile 1 sends the sum of its own.
// CHECK-LABEL: func.func @reduce
// BYTES-LABEL: function @reduce
// BYTES: received 2 (at least 2)
func.func @reduce(%x: tensor<4x2xf16, #npu.layout<SEGMENTED, tiles = [1, 2]>>, %e: tensor<f16, #npu.layout<DUPLICATED, tiles = 1>>) -> tensor<f16, #npu.layout<DUPLICATED, tiles = 1>> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x2xf16, #npu.layout<SEGMENTED, tiles = [1, 2]>>) outs(%e : tensor<f16, #npu.layout<DUPLICATED, tiles = 1>>) dimensions = [0, 1]
  return %0 : tensor<f16, #npu.layout<DUPLICATED, tiles = 1>>
}
