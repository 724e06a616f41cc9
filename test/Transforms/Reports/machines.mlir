// Two machines of two tiles: what moves within a machine and what crosses, in
// bytes that can be counted by hand, what it costs, and that a tile program
// moves as much.
//
// RUN: npu-opt %s --npu-print-transfers -o /dev/null | FileCheck %s
// RUN: npu-opt %s --npu-print-transfers=format=json -o /dev/null | FileCheck %s --check-prefix=JSON
// RUN: npu-opt %s --npu-print-costs -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-opt %s --npu-lower-to-tiles --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=TILES
// RUN: npu-run %s --reference=%s | FileCheck %s --check-prefix=SAME
//
// On one machine nothing is said of machines.
// RUN: sed 's/"npu.machine[a-z_]*" = [0-9]*,//g' %s > %t.one.mlir
// RUN: npu-opt %t.one.mlir --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=ONE --implicit-check-not="between machines"
// ONE: received 24576
// ONE: total

// What is not known of a link is an error for whoever asks for machines.
// RUN: sed 's/, "npu.machine_link_rate" = 1000//; s/^func.func @main/func.func private @other()\n&/' %s > %t.less.mlir
// RUN: not npu-opt %t.less.mlir --npu-print-transfers -o /dev/null 2>&1 | FileCheck %s --check-prefix=LESS --implicit-check-not=error:
// RUN: not npu-opt %t.less.mlir --npu-lower-to-tiles=verify-before=false -o /dev/null 2>&1 | FileCheck %s --check-prefix=LESS --implicit-check-not=error:
// RUN: not npu-opt %t.less.mlir --npu-legalize-distributions -o /dev/null 2>&1 | FileCheck %s --check-prefix=LESS --implicit-check-not=error:
// LESS: error: target description: target 'two': expected all figures of several machines ({{.*}}) or none, got none for 'machine_link_rate'

// SAME-COUNT-4: 0 different
// SAME: {{^}}equal

// Each tile has 16 of 64 rows and gets 64 of 256 columns: three times 2048 bytes
// from others, two of them on the other machine.
// CHECK: npu.redistribute
// CHECK-NEXT: received                  24576  (at least 24576)
// CHECK-NEXT: max tile received          6144  (at least 6144)
// CHECK-NEXT: injected                  24576  (at least 24576)
// CHECK-NEXT: max tile sent              6144  (at least 6144)
// CHECK-NEXT: between machines          16384  (at least 16384)
// CHECK-NEXT: ddr                           0
// Everything to all tiles: each half crosses once, to two tiles.
// CHECK: npu.redistribute
// CHECK-NEXT: received                  98304  (at least 98304)
// CHECK-NEXT: max tile received         24576  (at least 24576)
// CHECK-NEXT: injected                  65536  (at least 65536)
// CHECK-NEXT: max tile sent             16384  (at least 16384)
// CHECK-NEXT: between machines          32768  (at least 32768)
// CHECK: 0 -> 1 : [0:16, 0:256], 8192 bytes
// CHECK-NEXT: 0 -> 2, 3 : [0:16, 0:256], 8192 bytes
// A load crosses once, and a store does not where the first machine has all.
// CHECK: npu.redistribute
// CHECK: between machines          32768  (at least 32768)
// CHECK-NEXT: ddr                       32768
// CHECK: npu.redistribute
// CHECK: between machines              0  (at least 0)
// CHECK-NEXT: ddr                       32768
// The argument on tiles is loaded, of which half crosses, and so are stored two
// of the three results on tiles that are not on all.
// CHECK: total
// CHECK: between machines         114688  (at least 114688)
// CHECK-NEXT: ddr

// JSON: "bytes_between_machines": 16384,
// JSON-NEXT: "bytes_between_machines_bound": 16384,
// JSON: "totals"
// JSON: "bytes_between_machines": 114688,
// JSON-NEXT: "bytes_between_machines_bound": 114688,

// 2000 cycles, and a byte per cycle, for each of four transfers of 2048 bytes
// that leave a machine.
// COSTS: function @main on two
// COSTS: 16192 movement npu.redistribute
// Two crossings of 8192 bytes each, one after the other, and what comes from the
// other tile of the machine; of the load, one crossing of all.
// COSTS-NEXT: 20877 movement npu.redistribute
// COSTS-NEXT: 34768 movement npu.redistribute
// COSTS-NEXT: 874 movement npu.redistribute

// TILES: total
// TILES: between machines         114688
// TILES-NEXT: ddr

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#everywhere = #npu.layout<DUPLICATED, tiles = 4>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "two", "npu.like" = "npu4000", "npu.tiles" = 4,
        "npu.machine_tiles" = 2, "npu.machine_link_latency" = 2000, "npu.machine_link_rate" = 1000,
        "npu.dma_ports" = 2>>} {

func.func @main(%x: tensor<64x256xf16, #rows>, %d: tensor<64x256xf16>)
    -> (tensor<64x256xf16, #columns>, tensor<64x256xf16, #everywhere>,
        tensor<64x256xf16, #everywhere>, tensor<64x256xf16>) {
  %move = npu.redistribute %x : tensor<64x256xf16, #rows> to tensor<64x256xf16, #columns>
  %all = npu.redistribute %x : tensor<64x256xf16, #rows> to tensor<64x256xf16, #everywhere>
  %load = npu.redistribute %d : tensor<64x256xf16> to tensor<64x256xf16, #everywhere>
  %store = npu.redistribute %load : tensor<64x256xf16, #everywhere> to tensor<64x256xf16>
  return %move, %all, %load, %store
      : tensor<64x256xf16, #columns>, tensor<64x256xf16, #everywhere>,
        tensor<64x256xf16, #everywhere>, tensor<64x256xf16>
}

}
