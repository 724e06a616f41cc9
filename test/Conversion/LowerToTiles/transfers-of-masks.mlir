// A transfer of i1 counts a byte for each element, as the buffers that it goes
// through have them: 56 of the 98 elements lie in the first tile's part, and 42
// in the second's, and each tile receives what the other one has. Before, the
// bits were counted, and a transfer said 7 bytes of a buffer of 56.
//
// RUN: npu-opt %s --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=REPORT
// RUN: npu-opt %s --npu-lower-to-tiles | FileCheck %s --check-prefix=TILES

// REPORT: received 98 (at least 98)
// TILES: from tile 0 to tile 1 {{.*}} bytes = 56
// TILES: from tile 1 to tile 0 {{.*}} bytes = 42

func.func @main(%x: tensor<7x7x2xi1, #npu.layout<SEGMENTED, tiles = [2, 1, 1]>>) -> tensor<7x7x2xi1, #npu.layout<DUPLICATED, tiles = 2>> {
  %0 = npu.redistribute %x : tensor<7x7x2xi1, #npu.layout<SEGMENTED, tiles = [2, 1, 1]>> to tensor<7x7x2xi1, #npu.layout<DUPLICATED, tiles = 2>>
  return %0 : tensor<7x7x2xi1, #npu.layout<DUPLICATED, tiles = 2>>
}
