// RUN: npu-opt %s --npu-convert-tiles-to-mpi="ranks=2 rank=0" | FileCheck %s --check-prefix=FIRST
// RUN: npu-opt %s --npu-convert-tiles-to-mpi="ranks=2 rank=1" | FileCheck %s --check-prefix=SECOND
// RUN: npu-opt %s --npu-convert-tiles-to-mpi="ranks=4 rank=1" | FileCheck %s --check-prefix=HALF

// Two machines of four tiles: of two ranks, each is one of them, also where a
// program has tiles of the first alone.

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "two", "npu.like" = "npu4000", "npu.tiles" = 8,
        "npu.machine_tiles" = 4, "npu.machine_link_latency" = 34000, "npu.machine_link_rate" = 735>>} {
  // FIRST-NOT: mpi.i
  // FIRST: memref.copy
  // SECOND-NOT: memref.copy
  // SECOND-NOT: mpi.i
  // HALF: mpi.irecv(%arg1
  func.func @main(%a: memref<4xf32, 1>, %b: memref<4xf32, 4>) attributes {npu.tiles = 4 : i64} {
    npu.transfer %a[0] from tile 0 to tile 3 into %b[0] box [0:4] bytes = 16
        : memref<4xf32, 1> to memref<4xf32, 4>
    return
  }
}
