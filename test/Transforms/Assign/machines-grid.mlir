// Two products on two machines of eight tiles. The grids of sixteen tiles that
// one machine gets are as square as can be, four by four. On two machines there
// is also one of two by eight: each machine computes half of the rows, and each
// of its tiles columns of these, so that less crosses. Without it four by four
// would be the least on two machines as well, at the price of COSTS-LINKED.
// Both run to the same bits.
//
// RUN: npu-opt %s --npu-assign-distributions -o %t.two.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,TWO < %t.two.mlir
// RUN: npu-run -O0 %t.two.mlir --reference=%s | FileCheck %s --check-prefix=SAME
//
// RUN: sed 's/"npu.machine[a-z_]*" = [0-9]*,//g' %s > %t.mlir
// RUN: npu-opt %t.mlir --npu-assign-distributions -o %t.one.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,ONE < %t.one.mlir
// RUN: npu-run -O0 %t.one.mlir --reference=%t.mlir | FileCheck %s --check-prefix=SAME
//
// RUN: npu-opt %t.two.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS-TWO
// RUN: sed 's/"npu.like"/"npu.machine_tiles" = 8, "npu.machine_link_latency" = 500, "npu.machine_link_rate" = 4000, &/' %t.one.mlir > %t.linked.mlir
// RUN: npu-opt %t.linked.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS-LINKED
// COSTS-TWO: 28121 total
// COSTS-LINKED: 32675 total
//
// SAME: 0 different
// SAME: {{^}}equal

// TWO-DAG: [[LAYOUT:#[a-z0-9_]+]] = #npu.layout<SEGMENTED, tiles = [2, 8]>
// ONE-DAG: [[LAYOUT:#[a-z0-9_]+]] = #npu.layout<SEGMENTED, tiles = [4, 4]>
// CHECK: linalg.matmul{{.*}} -> tensor<64x512xf16, [[LAYOUT]]>
// CHECK: linalg.tanh{{.*}} -> tensor<64x512xf16, [[LAYOUT]]>
// CHECK: linalg.matmul{{.*}} -> tensor<64x512xf16, [[LAYOUT]]>

#columns = #npu.layout<SEGMENTED, tiles = [1, 16]>
#everywhere = #npu.layout<DUPLICATED, tiles = 16>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "two", "npu.like" = "npu4000", "npu.tiles" = 16,
        "npu.machine_tiles" = 8, "npu.machine_link_latency" = 500, "npu.machine_link_rate" = 4000,
        "npu.dma_ports" = 2>>} {

func.func @main(%x: tensor<64x512xf16> {npu.layout = #columns}, %w: tensor<512x512xf16> {npu.layout = #everywhere},
                %v: tensor<512x512xf16> {npu.layout = #everywhere}) -> (tensor<64x512xf16> {npu.layout = #columns}) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x512xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x512xf16>) -> tensor<64x512xf16>
  %0 = linalg.matmul ins(%x, %w : tensor<64x512xf16>, tensor<512x512xf16>) outs(%f : tensor<64x512xf16>) -> tensor<64x512xf16>
  %1 = linalg.tanh ins(%0 : tensor<64x512xf16>) outs(%e : tensor<64x512xf16>) -> tensor<64x512xf16>
  %2 = linalg.matmul ins(%1, %v : tensor<64x512xf16>, tensor<512x512xf16>) outs(%f : tensor<64x512xf16>) -> tensor<64x512xf16>
  return %2 : tensor<64x512xf16>
}

}
