// Steps on two machines, whose link is so slow that only the tiles of the first
// one, to which DDR belongs, take part. Slices are as large as two tiles hold,
// and not as four would: of d2 there are 64 at once.
//
// RUN: npu-opt %s --npu-assign-distributions -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: npu-opt %t.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-run %t.mlir --reference=%s | FileCheck %s --check-prefix=SAME
// COSTS: 136889 total
// SAME: 0 different
// SAME: {{^}}equal

// CHECK-DAG: [[ROWS:#[a-z0-9_]+]] = #npu.layout<SEGMENTED, tiles = [2, 1]>
// CHECK-DAG: [[BOTH:#[a-z0-9_]+]] = #npu.layout<DUPLICATED, tiles = 2>
// CHECK: linalg.matmul {npu.steps = {layouts = {{\[}}[[ROWS]], [[BOTH]], [[ROWS]]], loops = array<i64: 1, 2>, sizes = array<i64: 176, 64>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "two", "npu.like" = "npu4000", "npu.tiles" = 4,
        "npu.scratchpad_bytes" = 131072, "npu.machine_tiles" = 2, "npu.machine_link_latency" = 34000, "npu.machine_link_rate" = 735,
        "npu.dma_ports" = 2>>} {
func.func @main(%x: tensor<256x1024xf16>, %w: tensor<1024x512xf16>) -> tensor<256x512xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<256x512xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<256x512xf16>) -> tensor<256x512xf16>
  %0 = linalg.matmul ins(%x, %w : tensor<256x1024xf16>, tensor<1024x512xf16>) outs(%f : tensor<256x512xf16>) -> tensor<256x512xf16>
  return %0 : tensor<256x512xf16>
}
}
