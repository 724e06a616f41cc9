// Two products whose weights are on all of four tiles. On one machine each tile
// computes rows. As two machines of two tiles, each machine computes rows, and
// its tiles columns of them: then nothing between the two products crosses the
// link, and what comes and goes crosses in fewer transfers. Both run to the same
// bits.
//
// RUN: npu-opt %s --npu-assign-distributions -o %t.two.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,TWO < %t.two.mlir
// RUN: npu-opt %t.two.mlir --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=MOVES
// RUN: npu-run -O0 %t.two.mlir --reference=%s | FileCheck %s --check-prefix=SAME
//
// RUN: sed 's/"npu.machine[a-z_]*" = [0-9]*,//g' %s > %t.mlir
// RUN: npu-opt %t.mlir --npu-assign-distributions -o %t.one.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,ONE < %t.one.mlir
// RUN: npu-run -O0 %t.one.mlir --reference=%t.mlir | FileCheck %s --check-prefix=SAME
//
// The layouts of one machine would cost more with the link, and those of two
// machines more on one.
// RUN: npu-opt %t.two.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS-TWO
// RUN: sed 's/"npu.like"/"npu.machine_tiles" = 2, "npu.machine_link_latency" = 500, "npu.machine_link_rate" = 4000, &/' %t.one.mlir > %t.linked.mlir
// RUN: npu-opt %t.linked.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS-LINKED
// RUN: npu-opt %t.one.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS-ONE
// COSTS-TWO: 25815 total
// COSTS-LINKED: 27367 total
// COSTS-ONE: 17449 total
//
// SAME: 0 different
// SAME: {{^}}equal

// ONE-DAG: [[LAYOUT:#[a-z0-9_]+]] = #npu.layout<SEGMENTED, tiles = [4, 1]>
// TWO-DAG: [[LAYOUT:#[a-z0-9_]+]] = #npu.layout<SEGMENTED, tiles = [2, 2]>
// CHECK: linalg.matmul{{.*}} -> tensor<64x512xf16, [[LAYOUT]]>
// CHECK: linalg.tanh{{.*}} -> tensor<64x512xf16, [[LAYOUT]]>
// CHECK: linalg.matmul{{.*}} -> tensor<64x512xf16, [[LAYOUT]]>

// MOVES: received 98304
// MOVES: between machines 32768
// MOVES: received 65536
// MOVES: between machines 0
// MOVES: received 49152
// MOVES: between machines 32768
// MOVES: total

#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#everywhere = #npu.layout<DUPLICATED, tiles = 4>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "two", "npu.like" = "npu4000", "npu.tiles" = 4,
        "npu.machine_tiles" = 2, "npu.machine_link_latency" = 500, "npu.machine_link_rate" = 4000,
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
