// Three machines of two tiles: what leaves a machine waits for what left it before,
// whichever tiles send and receive; the other direction, and what stays inside,
// does not.

// RUN: npu-opt %s --npu-print-schedule="rows=100" -o /dev/null | FileCheck %s
// RUN: npu-opt %s --npu-print-schedule="format=json output-file=%t.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: %S/../../check_schedule.py %t.json | FileCheck %s --check-prefix=CHECKED
// CHECKED: nothing wrong

// A crossing takes 1000 cycles, and 1000 for its bytes; a multicast to two tiles
// of a machine one crossing, and a load to a third machine likewise.
// CHECK: function @main on two
// CHECK: total 8000 cycles
// CHECK: machines 1280 bytes from one to another
// CHECK: 0 2000 {{.*}} move
// CHECK-NEXT: 0 2000 {{.*}} move
// CHECK-NEXT: 0 273 {{.*}} move
// CHECK-NEXT: 2000 4000 {{.*}} move
// CHECK-NEXT: 4000 6000 {{.*}} move
// CHECK-NEXT: 6000 8000 dma 0 load

// JSON: "ddr_bytes_bound": 256,
// JSON-NEXT: "bytes_between_machines": 1280,

// Rows that a tile of another machine loads cross as well: four of them, each
// 1000 cycles and 1000 for its bytes, where the first machine's take 826.
// RUN: sed 's/"npu.name" = "npu4000"/&, "npu.machine_tiles" = 1, "npu.machine_link_latency" = 1000, "npu.machine_link_rate" = 2048/' %S/embedding.mlir > %t.mlir
// RUN: npu-opt %t.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=ROWS
// ROWS: function @rows on npu4000
// ROWS: 8000 operation linalg.generic 1 16384
// RUN: npu-opt %t.mlir --npu-compile="compile-from=legal compile-to=scratchpad" --npu-print-schedule="format=json output-file=%t.rows.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=ROWS-JSON < %t.rows.json
// ROWS-JSON: "name": "rows"
// ROWS-JSON: "bytes_between_machines": 8192,

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "two", "npu.like" = "npu4000", "npu.tiles" = 6,
        "npu.machine_tiles" = 2, "npu.machine_link_latency" = 1000, "npu.machine_link_rate" = 256>>} {
  func.func @main(%x: memref<64xf32>,
                  %tile0: memref<768xi8, 1> {npu.arena = 0 : i64}, %tile1: memref<768xi8, 2> {npu.arena = 1 : i64},
                  %tile2: memref<768xi8, 3> {npu.arena = 2 : i64}, %tile3: memref<768xi8, 4> {npu.arena = 3 : i64},
                  %tile4: memref<256xi8, 5> {npu.arena = 4 : i64}, %tile5: memref<512xi8, 6> {npu.arena = 5 : i64}) {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c512 = arith.constant 512 : index
    %a0 = memref.view %tile0[%c0][] : memref<768xi8, 1> to memref<64xf32, 1>
    %a1 = memref.view %tile1[%c0][] : memref<768xi8, 2> to memref<64xf32, 2>
    %a2 = memref.view %tile2[%c0][] : memref<768xi8, 3> to memref<64xf32, 3>
    %b0 = memref.view %tile0[%c256][] : memref<768xi8, 1> to memref<64xf32, 1>
    %b1 = memref.view %tile1[%c256][] : memref<768xi8, 2> to memref<64xf32, 2>
    %b2 = memref.view %tile2[%c256][] : memref<768xi8, 3> to memref<64xf32, 3>
    %b3 = memref.view %tile3[%c256][] : memref<768xi8, 4> to memref<64xf32, 4>
    %c2 = memref.view %tile2[%c512][] : memref<768xi8, 3> to memref<64xf32, 3>
    %c3 = memref.view %tile3[%c512][] : memref<768xi8, 4> to memref<64xf32, 4>
    %a4 = memref.view %tile4[%c0][] : memref<256xi8, 5> to memref<64xf32, 5>
    %a5 = memref.view %tile5[%c0][] : memref<512xi8, 6> to memref<64xf32, 6>
    %b5 = memref.view %tile5[%c256][] : memref<512xi8, 6> to memref<64xf32, 6>
    npu.transfer %a0[0] from tile 0 to tile 2 into %b2[0] box [0:64] bytes = 256 : memref<64xf32, 1> to memref<64xf32, 3>
    npu.transfer %a1[0] from tile 1 to tile 3 into %b3[0] box [0:64] bytes = 256 : memref<64xf32, 2> to memref<64xf32, 4>
    npu.transfer %a2[0] from tile 2 to tile 0 into %b0[0] box [0:64] bytes = 256 : memref<64xf32, 3> to memref<64xf32, 1>
    npu.transfer %a1[0] from tile 1 to tile 2, tile 3 into %c2[0], %c3[0] box [0:64] bytes = 256 : memref<64xf32, 2> to memref<64xf32, 3>, memref<64xf32, 4>
    npu.transfer %a4[0] from tile 4 to tile 5 into %a5[0] box [0:64] bytes = 256 : memref<64xf32, 5> to memref<64xf32, 6>
    npu.transfer %x[0] from ddr to tile 5 into %b5[0] box [0:64] bytes = 256 : memref<64xf32> to memref<64xf32, 6>
    return
  }
}
