// Tile counts per dimension under DUPLICATED count as their product: every tile
// holds the whole tensor, and no dimension is split. The list is kept as it is
// written.
//
// RUN: npu-opt %s --npu-print-distributions | FileCheck %s

// CHECK: %arg0 : tensor<8x4xf16, #npu.layout<DUPLICATED, tiles = [4, 1]>>
// CHECK-NEXT: tile 0: compute [0:8, 0:4]
// CHECK-NEXT: tile 1: compute [0:8, 0:4]
// CHECK-NEXT: tile 2: compute [0:8, 0:4]
// CHECK-NEXT: tile 3: compute [0:8, 0:4]
// CHECK-NOT: tile 4
// CHECK: #npu.layout<DUPLICATED, tiles = [4, 1]>
func.func @main(%x: tensor<8x4xf16, #npu.layout<DUPLICATED, tiles = [4, 1]>>) {
  return
}
