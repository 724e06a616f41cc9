// The transfers report: every field of the contract, in its order, with figures
// that can be counted by hand, for a move, a multicast, a load, a store, a
// change of order and a cast.
//
// RUN: npu-opt %s --npu-print-transfers=format=json -o /dev/null > %t.json
// RUN: %python %S/Inputs/check_transfers.py %t.json
// RUN: npu-opt %s --npu-print-transfers="format=json output-file=%t.file" -o /dev/null
// RUN: diff %t.json %t.file
// RUN: npu-opt %s --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=TEXT
// RUN: not npu-opt %s --npu-print-transfers=format=xml 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not npu-opt %s --npu-print-transfers=output-file=%t.missing/file -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE

// FORMAT: error: npu-print-transfers: unknown format 'xml', expected text, json or picture
// FILE: print-transfers.mlir:{{[0-9]+}}:{{[0-9]+}}: error: cannot open output file
// TEXT: function @main
// TEXT: npu.redistribute at {{.*}}print-transfers.mlir:{{[0-9]+}}:11
// TEXT: received 32 (at least 32)
// TEXT: 0 -> 1 : [0:2, 2:4], 16 bytes
// TEXT: npu.distribution_cast
// TEXT-NEXT: moves nothing

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#transposed = #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>

func.func @main(%x: tensor<4x4xf32, #rows>, %d: tensor<4x4xf32>, %n: tensor<8x4xi4, #rows>) {
  // Each tile keeps its 2x2 corner and sends the other one: 16 bytes each way.
  %move = npu.redistribute %x : tensor<4x4xf32, #rows> to tensor<4x4xf32, #columns>
  // Each tile sends its half to the other one.
  %all = npu.redistribute %x : tensor<4x4xf32, #rows> to tensor<4x4xf32, #everywhere>
  // One load for both.
  %load = npu.redistribute %d : tensor<4x4xf32> to tensor<4x4xf32, #everywhere>
  %store = npu.redistribute %x : tensor<4x4xf32, #rows> to tensor<4x4xf32>
  // The same boxes, laid out anew.
  %relaid = npu.redistribute %x : tensor<4x4xf32, #rows> to tensor<4x4xf32, #transposed>
  %cast = npu.distribution_cast %load : tensor<4x4xf32, #everywhere> to tensor<4x4xf32, #rows>
  // Half a byte per element: 8 elements each way.
  %small = npu.redistribute %n : tensor<8x4xi4, #rows> to tensor<8x4xi4, #columns>
  return
}
