// RUN: npu-opt %s --npu-convert-tiles-to-mpi="ranks=4 rank=0" | FileCheck %s --check-prefix=ROOT
// RUN: npu-opt %s --npu-convert-tiles-to-mpi="ranks=4 rank=1" | FileCheck %s --check-prefix=FORWARDS
// RUN: npu-opt %s --npu-convert-tiles-to-mpi="ranks=4 rank=3" | FileCheck %s --check-prefix=LEAF
// RUN: npu-opt %s --npu-convert-tiles-to-mpi="ranks=8 rank=5" | FileCheck %s --check-prefix=IDLE

// What goes to three ranks or more is sent on by those that have it: rank 0
// sends to 1 and then to 2, and rank 1 to 3. Of 4 tiles on 8 ranks, every second
// rank has none.

// ROOT-DAG: %[[RANK1:.*]] = arith.constant 1 : i32
// ROOT: mpi.isend(%arg0, %{{.*}}, %{{.*}}, %{{.*}}) : memref<4xf32, 1>
// ROOT: mpi.isend(%arg0
// ROOT-NOT: mpi.isend
// ROOT-COUNT-2: mpi.wait
// FORWARDS: %[[RECEIVED:.*]] = mpi.irecv(%arg1
// FORWARDS: mpi.wait(%[[RECEIVED]])
// FORWARDS: %[[RANK3:.*]] = arith.constant 3 : i32
// FORWARDS: mpi.isend(%arg1, %{{.*}}, %[[RANK3]]
// FORWARDS: linalg.tanh
// FORWARDS: mpi.wait
// LEAF: %[[RANK1:.*]] = arith.constant 1 : i32
// LEAF: %[[RECEIVED:.*]] = mpi.irecv(%arg3, %{{.*}}, %[[RANK1]]
// LEAF-NEXT: linalg.tanh
// LEAF-NEXT: mpi.wait(%[[RECEIVED]])
// IDLE-NOT: mpi.i
// IDLE: return
func.func @main(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>, %c: memref<4xf32, 3>, %d: memref<4xf32, 4>,
                %e: memref<4xf32, 2>, %f: memref<4xf32, 4>) {
  linalg.tanh {npu.tile = 1 : i64} ins(%e : memref<4xf32, 2>) outs(%e : memref<4xf32, 2>)
  linalg.tanh {npu.tile = 3 : i64} ins(%f : memref<4xf32, 4>) outs(%f : memref<4xf32, 4>)
  npu.transfer %a[0] from tile 0 to tile 1, tile 2, tile 3 into %b[0], %c[0], %d[0] box [0:4] bytes = 16
      : memref<4xf32, 1> to memref<4xf32, 2>, memref<4xf32, 3>, memref<4xf32, 4>
  return
}
