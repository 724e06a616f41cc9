// What npu-print-costs says of every row, on a device whose figures are easy to
// count with: a byte per cycle everywhere, 16 products per cycle, 100 cycles
// before matrix work, 1000 before vector work, which loads and stores two elements
// per cycle and adds one, 10 before a load, 20 before a
// store, 30 before a transfer between tiles.
//
// RUN: npu-opt %s --npu-print-costs -o /dev/null 2>&1 | FileCheck %s
// RUN: npu-opt %s --npu-print-costs=format=json -o /dev/null 2>/dev/null > %t.json
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: npu-opt %s --npu-print-transfers=format=json -o /dev/null > %t.transfers
// RUN: %python %S/Inputs/check_costs.py %t.json %t.transfers
// RUN: npu-opt %s --npu-print-costs=largest-first -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=LARGEST
// RUN: npu-opt %s '--npu-print-costs=output-file=%t.txt' > %t.out.mlir 2>/dev/null
// RUN: FileCheck %s < %t.txt
// RUN: npu-opt %s | diff - %t.out.mlir
//
// With the figures of another device instead.
// RUN: npu-opt %s --npu-print-costs=target=npu3720 -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=OTHER
// OTHER: function @matmul on npu3720
// OTHER: {{^}}     744  movement   npu.redistribute     0     64

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "plain", "npu.like" = "npu4000", "npu.tiles" = 2, "npu.scratchpad_bytes" = 4096,
        "npu.dma_ports" = 2, "npu.macs_per_cycle_f16" = 16, "npu.input_granule_f16" = 1,
        "npu.row_granule" = 1, "npu.output_granule" = 1, "npu.contraction_overhead_f16" = 100,
        "npu.contraction_read_f16" = 1000000, "npu.contraction_write_f16" = 1000,
        "npu.elementwise_overhead_f16" = 100, "npu.elementwise_rate_f16" = 1000, "npu.elementwise_least_pixels_f16" = 1,
        "npu.ddr_to_tile_latency" = 10, "npu.ddr_to_tile_rate" = 1000, "npu.tile_to_ddr_latency" = 20,
        "npu.tile_to_ddr_rate" = 1000, "npu.tile_to_tile_latency" = 30, "npu.tile_to_tile_rate" = 1000,
        "npu.ddr_to_ddr_latency" = 40, "npu.ddr_to_ddr_rate" = 1000, "npu.vector_overhead" = 1000, "npu.vector_move_rate" = 2000,
        "npu.vector_simple_rate" = 1000, "npu.vector_special_rate" = 500, "npu.vector_divide_rate" = 250,
        "npu.vector_reduce_rate" = 100, "npu.vector_softmax_rate" = 125>>} {

// Each tile loads 32 bytes on a port of its own, then both one multicast of 48.
// A tile has 4 rows: 96 products are 6 cycles, and 24 results 48. The store is 48
// bytes of each tile.
// CHECK-LABEL: function @matmul on plain
// CHECK-NEXT: {{^}}  cycles  kind       name              tile  bytes  at
// CHECK-NEXT: {{^}}      42  movement   npu.redistribute     0     64  {{.*}}print-costs.mlir:[[@LINE+48]]:9
// CHECK-NEXT: {{^}}      58  movement   npu.redistribute     0     48  {{.*}}print-costs.mlir:[[@LINE+48]]:9
// CHECK-NEXT: {{^}}     154  operation  linalg.matmul        0      0  {{.*}}print-costs.mlir:[[@LINE+50]]:8
// CHECK-NEXT: {{^}}      68  movement   npu.redistribute     0     96  {{.*}}print-costs.mlir:[[@LINE+50]]:9
// CHECK-NEXT: {{^}}     154  operations
// CHECK-NEXT: {{^}}     168  movements
// CHECK-NEXT: {{^}}     322  total
// CHECK-NEXT: {{^}}  208 bytes from and to DDR, at least 208 (arguments, constants and results once): 1.00 times
// CHECK-NEXT: {{^}}  2 more of 0 cycles
//
// JSON: {
// JSON-NEXT: "functions": [
// JSON: "name": "matmul",
// JSON-NEXT: "target": "plain",
// JSON: "total": 322,
// JSON-NEXT: "ddr_bytes": 208,
// JSON-NEXT: "ddr_bytes_bound": 208,
// JSON-NEXT: "rows": [
// JSON-NEXT: {
// JSON-NEXT: "kind": "movement",
// JSON-NEXT: "op": "npu.redistribute",
// JSON-NEXT: "location": "{{.*}}print-costs.mlir:[[@LINE+27]]:9",
// JSON-NEXT: "cycles": 42,
// JSON-NEXT: "tile": 0,
// JSON-NEXT: "bytes": 64,
// JSON-NEXT: "ddr_bytes": 64
// JSON: "kind": "operation",
// JSON-NEXT: "op": "tensor.empty",
// JSON: "kind": "operation",
// JSON-NEXT: "op": "linalg.fill",
// JSON: "cycles": 0,
// JSON: "kind": "operation",
// JSON-NEXT: "op": "linalg.matmul",
// JSON-NEXT: "location"
// JSON-NEXT: "cycles": 154,
// JSON-NEXT: "tile": 0,
// JSON-NEXT: "bytes": 0,
// JSON-NEXT: "ddr_bytes": 0
//
// LARGEST-LABEL: function @matmul on plain
// LARGEST-NEXT: cycles
// LARGEST-NEXT: 154 {{.*}} linalg.matmul
// LARGEST-NEXT: 68
// LARGEST-NEXT: 58
// LARGEST-NEXT: 42
// LARGEST-NEXT: 154 operations
func.func @matmul(%a: tensor<8x4xf16>, %b: tensor<4x6xf16>) -> tensor<8x6xf16> {
  %zero = arith.constant 0.0 : f16
  %ta = npu.redistribute %a : tensor<8x4xf16> to tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  %tb = npu.redistribute %b : tensor<4x6xf16> to tensor<4x6xf16, #npu.layout<DUPLICATED, tiles = 2>>
  %e = tensor.empty() : tensor<8x6xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x6xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) -> tensor<8x6xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  %c = linalg.matmul ins(%ta, %tb : tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>, tensor<4x6xf16, #npu.layout<DUPLICATED, tiles = 2>>) outs(%f : tensor<8x6xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) -> tensor<8x6xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  %dc = npu.redistribute %c : tensor<8x6xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>> to tensor<8x6xf16>
  return %dc : tensor<8x6xf16>
}

// Arguments and results with a layout lie where they are. A softmax of 4 rows of
// 8, 8 cycles for each entry.
// CHECK-LABEL: function @softmax
// CHECK: {{^}}    1256  operation  linalg.softmax
// CHECK-NEXT: {{^}}    1256  operations
// CHECK-NEXT: {{^}}       0  movements
// CHECK-NEXT: {{^}}    1256  total
func.func @softmax(%x: tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) -> tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>> {
  %e = tensor.empty() : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  %r = linalg.softmax dimension(1) ins(%x : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) outs(%e : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) -> tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  return %r : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
}

// A row of 8 elements to the other tile, in both directions at the same time:
// 16 bytes, 30 + 16. Then another order, within each tile: 32 elements.
// CHECK-LABEL: function @movements
// CHECK: {{^}}      46  movement   npu.redistribute     0     32
// CHECK-NEXT: {{^}}    1032  movement   npu.redistribute     0      0
// CHECK-NEXT: 0 operations
// CHECK-NEXT: 1078 movements
func.func @movements(%x: tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) {
  %halo = npu.redistribute %x : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>> to tensor<8x8xf16, #npu.layout<OVERLAPPED, compute = [[0:4, 0:8], [4:8, 0:8]], memory = [[0:5, 0:8], [3:8, 0:8]]>>
  %order = npu.redistribute %x : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>> to tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>>
  %same = npu.distribution_cast %halo : tensor<8x8xf16, #npu.layout<OVERLAPPED, compute = [[0:4, 0:8], [4:8, 0:8]], memory = [[0:5, 0:8], [3:8, 0:8]]>> to tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  %cast = npu.permute_cast %order mem_perm = [0, 1] : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>> to tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [1, 2]>>
  return
}

// Done in DDR: 64 bytes of each tile are stored there, 128 copied, and 64 loaded
// to each tile.
// CHECK-LABEL: function @gathered
// CHECK: {{^}}      84  movement   tosa.add      0    128
// CHECK-NEXT: {{^}}     168  operation  tosa.add      0    128
// CHECK-NEXT: {{^}}      74  movement   tosa.add      0    128
// CHECK-NEXT: 168 operations
// CHECK-NEXT: 158 movements
func.func @gathered(%x: tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) -> tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>> {
  %r = tosa.add %x, %x : (tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>, tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) -> tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  return %r : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
}

// A constant of several values is loaded: two bytes to each tile. One value is
// made where it is used.
// CHECK-LABEL: function @constants
// CHECK: {{^}}      12  movement   arith.constant     0      4
// CHECK-NEXT: 0 operations
func.func @constants() -> (tensor<2xf16, #npu.layout<SEGMENTED, tiles = [2]>>, tensor<2xf16, #npu.layout<SEGMENTED, tiles = [2]>>) {
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf16, #npu.layout<SEGMENTED, tiles = [2]>>
  %1 = arith.constant dense<1.0> : tensor<2xf16, #npu.layout<SEGMENTED, tiles = [2]>>
  return %0, %1 : tensor<2xf16, #npu.layout<SEGMENTED, tiles = [2]>>, tensor<2xf16, #npu.layout<SEGMENTED, tiles = [2]>>
}

// A tensor that nobody has written is made where it goes.
// CHECK-LABEL: function @unwritten
// CHECK-NOT: movement {{.*}}npu.redistribute
// CHECK: {{^}}       0  total
func.func @unwritten() {
  %e = tensor.empty() : tensor<8x8xf16>
  %r = npu.redistribute %e : tensor<8x8xf16> to tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  return
}

// 3 rounds of 5 additions: 100 + 32 elements each.
// CHECK-LABEL: function @known_rounds
// CHECK: {{^}}    1980  operation  arith.addf
// CHECK: 1980 total
func.func @known_rounds(%x: tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) -> tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>> {
    %s = scf.for %j = %c0 to %c9 step %c2 iter_args(%z = %y) -> tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>> {
      %t = arith.addf %z, %z : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
      scf.yield %t : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
    }
    scf.yield %s : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  }
  return %r : tensor<8x8xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
}

// What is done in DDR is copied within DDR: 128 bytes.
// CHECK-LABEL: function @in_ddr
// CHECK: {{^}}     168  operation  math.exp     0    128
func.func @in_ddr(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %r = math.exp %x : tensor<8x8xf16>
  return %r : tensor<8x8xf16>
}
}
