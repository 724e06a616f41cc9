// The operations of one tile stand together as far as tiles do not wait for each
// other, and each tile keeps its own order.
//
// RUN: npu-opt %s --npu-lower-to-tiles | FileCheck %s

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// Nothing is exchanged: all of one tile, then all of the other, its load and its
// store included.
// CHECK-LABEL: func.func @apart
// CHECK: from ddr to tile 0
// CHECK-NOT: tile 1{{$|[^0-9]}}
// CHECK: linalg.exp {npu.tile = 0
// CHECK-NOT: npu.tile = 1
// CHECK: linalg.tanh {npu.tile = 0
// CHECK-NOT: npu.tile = 1
// CHECK: from tile 0 to ddr
// CHECK: from ddr to tile 1
// CHECK-NOT: npu.tile = 0
// CHECK: linalg.exp {npu.tile = 1
// CHECK-NOT: npu.tile = 0
// CHECK: linalg.tanh {npu.tile = 1
// CHECK-NOT: npu.tile = 0
// CHECK: from tile 1 to ddr
func.func @apart(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows> {
  %e = tensor.empty() : tensor<4x4xf32, #rows>
  %0 = linalg.exp ins(%x : tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
  %1 = linalg.tanh ins(%0 : tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
  return %1 : tensor<4x4xf32, #rows>
}

// An exchange is where both tiles have come to it: after what each has done
// before, and before anything that each does after it.
// CHECK-LABEL: func.func @exchange
// CHECK: linalg.exp {npu.tile = 0
// CHECK: linalg.exp {npu.tile = 1
// CHECK: from tile 0 to tile 1
// CHECK: from tile 1 to tile 0
// CHECK: linalg.tanh {npu.tile = 1
// CHECK: linalg.sqrt {npu.tile = 1
// CHECK: linalg.tanh {npu.tile = 0
// CHECK: linalg.sqrt {npu.tile = 0
func.func @exchange(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #columns> {
  %e = tensor.empty() : tensor<4x4xf32, #rows>
  %f = tensor.empty() : tensor<4x4xf32, #columns>
  %0 = linalg.exp ins(%x : tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
  %1 = npu.redistribute %0 : tensor<4x4xf32, #rows> to tensor<4x4xf32, #columns>
  %2 = linalg.tanh ins(%1 : tensor<4x4xf32, #columns>) outs(%f : tensor<4x4xf32, #columns>) -> tensor<4x4xf32, #columns>
  %3 = linalg.sqrt ins(%2 : tensor<4x4xf32, #columns>) outs(%f : tensor<4x4xf32, #columns>) -> tensor<4x4xf32, #columns>
  return %3 : tensor<4x4xf32, #columns>
}

// What has effects keeps its order: the first assertion that fails ends the run.
// CHECK-LABEL: func.func @effects
// CHECK: cf.assert %{{.*}}, "first"
// CHECK: cf.assert %{{.*}}, "second"
func.func @effects(%x: tensor<4x4xf32, #rows>, %a: i1, %b: i1) -> tensor<4x4xf32, #rows> {
  cf.assert %a, "first"
  %e = tensor.empty() : tensor<4x4xf32, #rows>
  %0 = linalg.exp ins(%x : tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
  cf.assert %b, "second"
  return %0 : tensor<4x4xf32, #rows>
}
