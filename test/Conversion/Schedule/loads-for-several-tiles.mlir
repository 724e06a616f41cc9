// A load for two tiles waits for its places on both. It holds back neither the
// loads of a tile that come after it nor the work that does not read it.

// RUN: npu-opt %s --npu-print-schedule="rows=100" -o /dev/null | FileCheck %s

// Tile 0 works from its own load on, beside tile 1, whose work the load for both
// waits for: its place on tile 1 is where that work reads.
// CHECK: total 19546 cycles
// CHECK: 0 773 dma 0 load
// CHECK: 0 773 dma 1 load
// CHECK: 773 10773 tile 1 vector linalg.exp
// CHECK: 773 10773 tile 0 vector linalg.exp
// CHECK: 10773 11546 dma 0 load

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {
  func.func @two(%x: memref<64xf32>, %y: memref<64xf32>, %both: memref<64xf32>,
                 %tile0: memref<768xi8, 1> {npu.arena = 0 : i64}, %tile1: memref<768xi8, 2> {npu.arena = 1 : i64}) {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c512 = arith.constant 512 : index
    %x1 = memref.view %tile1[%c0][] : memref<768xi8, 2> to memref<64xf32, 2>
    %e1 = memref.view %tile1[%c256][] : memref<768xi8, 2> to memref<64xf32, 2>
    npu.transfer %x[0] from ddr to tile 1 into %x1[0] box [0:64] bytes = 256 : memref<64xf32> to memref<64xf32, 2>
    linalg.exp {npu.tile = 1 : i64, npu.vector_cycles = array<i64: 10000>} ins(%x1 : memref<64xf32, 2>) outs(%e1 : memref<64xf32, 2>)
    %both0 = memref.view %tile0[%c512][] : memref<768xi8, 1> to memref<64xf32, 1>
    npu.transfer %both[0] from ddr to tile 0, tile 1 into %both0[0], %x1[0] box [0:64] bytes = 256 : memref<64xf32> to memref<64xf32, 1>, memref<64xf32, 2>
    linalg.exp {npu.tile = 1 : i64, npu.vector_cycles = array<i64: 8000>} ins(%x1 : memref<64xf32, 2>) outs(%e1 : memref<64xf32, 2>)
    %y0 = memref.view %tile0[%c0][] : memref<768xi8, 1> to memref<64xf32, 1>
    %e0 = memref.view %tile0[%c256][] : memref<768xi8, 1> to memref<64xf32, 1>
    npu.transfer %y[0] from ddr to tile 0 into %y0[0] box [0:64] bytes = 256 : memref<64xf32> to memref<64xf32, 1>
    linalg.exp {npu.tile = 0 : i64, npu.vector_cycles = array<i64: 10000>} ins(%y0 : memref<64xf32, 1>) outs(%e0 : memref<64xf32, 1>)
    linalg.exp {npu.tile = 0 : i64, npu.vector_cycles = array<i64: 8000>} ins(%both0 : memref<64xf32, 1>) outs(%e0 : memref<64xf32, 1>)
    return
  }
}
