// What tiles make and need again only much later is stored and loaded again where
// scratchpads have no room to hold it: the skips of a U-Net of four, of which each takes
// 1024 bytes of a scratchpad.
//
// RUN: sed s/BYTES/3072/ %s > %t.mlir
// RUN: npu-opt %t.mlir --npu-assign-distributions | FileCheck %s --check-prefix=SPILLED
// RUN: npu-opt %t.mlir --npu-assign-distributions --npu-legalize-distributions --npu-lower-to-tiles --npu-to-buffers -o /dev/null
//
// Where all of them have room, nothing is.
//
// RUN: sed s/BYTES/16384/ %s > %t.large.mlir
// RUN: npu-opt %t.large.mlir --npu-assign-distributions | FileCheck %s --check-prefix=HELD
//
// Where not even an addition has room, the error says so.
//
// RUN: sed s/BYTES/1536/ %s > %t.small.mlir
// RUN: not npu-opt %t.small.mlir --npu-assign-distributions=in-steps=false 2>&1 | FileCheck %s --check-prefix=TOO-LARGE

// SPILLED:      %[[FIRST:.*]] = linalg.tanh
// SPILLED-NEXT: %[[STORED:.*]] = npu.redistribute %[[FIRST]] : {{.*}} to tensor<64x16xf32>{{$}}
// SPILLED:      %[[LOADED:.*]] = npu.redistribute %[[STORED]] : tensor<64x16xf32> to
// SPILLED:      linalg.add ins(%{{.*}}, %[[LOADED]]

// HELD:         npu.redistribute %arg0
// HELD-NOT:     npu.redistribute
// HELD:         linalg.add
// HELD-NOT:     npu.redistribute
// HELD:         npu.redistribute %{{.*}} : {{.*}} to tensor<64x16xf32>{{$}}
// HELD-NEXT:    return

// TOO-LARGE: error: no assignment of layouts fits the scratchpads of described, 1536 bytes each: 'linalg.add' takes at least 2048 bytes of one

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "described", "npu.like" = "npu4000", "npu.tiles" = 4 : i64, "npu.max_tiles" = 4 : i64, "npu.scratchpad_bytes" = BYTES : i64>>} {
func.func @skips(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %empty = tensor.empty() : tensor<64x16xf32>
  %d0 = linalg.tanh ins(%x : tensor<64x16xf32>) outs(%empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  %d1 = linalg.tanh ins(%d0 : tensor<64x16xf32>) outs(%empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  %d2 = linalg.tanh ins(%d1 : tensor<64x16xf32>) outs(%empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  %d3 = linalg.tanh ins(%d2 : tensor<64x16xf32>) outs(%empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  %m = linalg.tanh ins(%d3 : tensor<64x16xf32>) outs(%empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  %u3 = linalg.add ins(%m, %d3 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  %u2 = linalg.add ins(%u3, %d2 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  %u1 = linalg.add ins(%u2, %d1 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  %u0 = linalg.add ins(%u1, %d0 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%empty : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %u0 : tensor<64x16xf32>
}
}
