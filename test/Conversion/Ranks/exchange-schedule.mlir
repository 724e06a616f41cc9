// RUN: npu-opt %s --split-input-file --npu-convert-tiles-to-mpi="ranks=3 rank=0" | FileCheck %s --check-prefix=FIRST
// RUN: npu-opt %s --split-input-file --npu-convert-tiles-to-mpi="ranks=3 rank=1" | FileCheck %s --check-prefix=SECOND

// Each message is in the earliest exchange that its accesses allow: all loads are
// one exchange and all stores another one, although the program loads, computes
// and stores one tile after the other.

// FIRST-LABEL: func.func @tile_by_tile
// FIRST: linalg.exp ins(%arg0
// FIRST: call @npu_mpi_begin_exchange(%c0_i64)
// FIRST: mpi.isend(%subview
// FIRST-NOT: mpi.wait
// FIRST: mpi.isend(%subview
// FIRST-NOT: begin_exchange
// FIRST: linalg.tanh {npu.tile = 0
// FIRST: call @npu_mpi_begin_exchange(%c1_i64)
// FIRST: mpi.irecv
// FIRST: mpi.irecv
// FIRST-NOT: begin_exchange
// FIRST: return
// SECOND-LABEL: func.func @tile_by_tile
// SECOND: %[[REQUEST:.*]] = mpi.irecv(%arg3
// SECOND-NEXT: mpi.wait(%[[REQUEST]])
// SECOND-NEXT: linalg.tanh {npu.tile = 1 : i64} ins(%arg3
// SECOND: mpi.isend(%arg3
// SECOND-NOT: mpi.i
// SECOND: return
func.func @tile_by_tile(%x: memref<12xf32>, %y: memref<12xf32> {bufferize.result},
                        %a: memref<4xf32, 1>, %b: memref<4xf32, 2>, %c: memref<4xf32, 3>) {
  linalg.exp ins(%x : memref<12xf32>) outs(%y : memref<12xf32>)
  npu.transfer %y[0] from ddr to tile 0 into %a[0] box [0:4] bytes = 16 : memref<12xf32> to memref<4xf32, 1>
  linalg.tanh {npu.tile = 0 : i64} ins(%a : memref<4xf32, 1>) outs(%a : memref<4xf32, 1>)
  npu.transfer %a[0] from tile 0 to ddr into %y[0] box [0:4] bytes = 16 : memref<4xf32, 1> to memref<12xf32>
  npu.transfer %y[4] from ddr to tile 1 into %b[0] box [4:8] bytes = 16 : memref<12xf32> to memref<4xf32, 2>
  linalg.tanh {npu.tile = 1 : i64} ins(%b : memref<4xf32, 2>) outs(%b : memref<4xf32, 2>)
  npu.transfer %b[0] from tile 1 to ddr into %y[4] box [4:8] bytes = 16 : memref<4xf32, 2> to memref<12xf32>
  npu.transfer %y[8] from ddr to tile 2 into %c[0] box [8:12] bytes = 16 : memref<12xf32> to memref<4xf32, 3>
  linalg.tanh {npu.tile = 2 : i64} ins(%c : memref<4xf32, 3>) outs(%c : memref<4xf32, 3>)
  npu.transfer %c[0] from tile 2 to ddr into %y[8] box [8:12] bytes = 16 : memref<4xf32, 3> to memref<12xf32>
  return
}

// -----

// What does not need a message runs while it is under way: on the receiver before
// the wait, which is in front of the first use; on the sender before the first
// write of what is sent. What the messages need comes before, although it is
// last in the program.

// FIRST-LABEL: func.func @beside
// FIRST: linalg.exp {npu.tile = 0 : i64} ins(%arg0 : memref<4xf32, 1>) outs(%arg1
// FIRST-NOT: linalg
// FIRST: %[[REQUEST:.*]] = mpi.isend(%arg1
// FIRST-NEXT: linalg.tanh {npu.tile = 0 : i64} ins(%arg0
// FIRST-NEXT: mpi.wait(%[[REQUEST]])
// FIRST-NEXT: linalg.sqrt {npu.tile = 0 : i64} ins(%arg0 : memref<4xf32, 1>) outs(%arg1
// SECOND-LABEL: func.func @beside
// SECOND: %[[REQUEST:.*]] = mpi.irecv(%arg2
// SECOND-NEXT: linalg.tanh {npu.tile = 1 : i64} ins(%arg3
// SECOND-NEXT: mpi.wait(%[[REQUEST]])
// SECOND-NEXT: linalg.exp {npu.tile = 1 : i64} ins(%arg2
func.func @beside(%a: memref<4xf32, 1>, %b: memref<4xf32, 1>, %c: memref<4xf32, 2>, %d: memref<4xf32, 2>,
                  %third: memref<4xf32, 3>) {
  linalg.tanh {npu.tile = 0 : i64} ins(%a : memref<4xf32, 1>) outs(%a : memref<4xf32, 1>)
  linalg.exp {npu.tile = 0 : i64} ins(%a : memref<4xf32, 1>) outs(%b : memref<4xf32, 1>)
  linalg.tanh {npu.tile = 1 : i64} ins(%d : memref<4xf32, 2>) outs(%d : memref<4xf32, 2>)
  npu.transfer %b[0] from tile 0 to tile 1 into %c[0] box [0:4] bytes = 16 : memref<4xf32, 1> to memref<4xf32, 2>
  linalg.exp {npu.tile = 1 : i64} ins(%c : memref<4xf32, 2>) outs(%c : memref<4xf32, 2>)
  linalg.tanh {npu.tile = 0 : i64} ins(%a : memref<4xf32, 1>) outs(%a : memref<4xf32, 1>)
  linalg.sqrt {npu.tile = 0 : i64} ins(%a : memref<4xf32, 1>) outs(%b : memref<4xf32, 1>)
  return
}

// -----

// A message begins as soon as what it needs has been computed, not when its whole
// exchange has.

// FIRST-LABEL: func.func @as_soon_as
// FIRST: linalg.exp {npu.tile = 0 : i64} ins(%arg0
// FIRST: call @npu_mpi_begin_exchange
// FIRST: mpi.isend(%arg0
// FIRST: linalg.exp {npu.tile = 0 : i64} ins(%arg1
// FIRST-NOT: begin_exchange
// FIRST: mpi.isend(%arg1
func.func @as_soon_as(%a: memref<4xf32, 1>, %b: memref<4xf32, 1>, %c: memref<4xf32, 2>, %d: memref<4xf32, 3>) {
  linalg.exp {npu.tile = 0 : i64} ins(%a : memref<4xf32, 1>) outs(%a : memref<4xf32, 1>)
  linalg.exp {npu.tile = 0 : i64} ins(%b : memref<4xf32, 1>) outs(%b : memref<4xf32, 1>)
  npu.transfer %a[0] from tile 0 to tile 1 into %c[0] box [0:4] bytes = 16 : memref<4xf32, 1> to memref<4xf32, 2>
  npu.transfer %b[0] from tile 0 to tile 2 into %d[0] box [0:4] bytes = 16 : memref<4xf32, 1> to memref<4xf32, 3>
  return
}

// -----

// An exchange begins after those of the operations that it needs: of the number of
// tile 1 that says which part of a buffer is sent.

// FIRST-LABEL: func.func @one_after_the_other
// FIRST: call @npu_mpi_begin_exchange(%c0_i64
// FIRST: %[[NUMBER:.*]] = mpi.irecv
// FIRST-NEXT: mpi.wait(%[[NUMBER]])
// FIRST: call @npu_mpi_begin_exchange(%c1_i64
// FIRST: mpi.isend(%arg1
// FIRST: mpi.isend(%subview
// FIRST-NOT: mpi.i
func.func @one_after_the_other(%a: memref<8xf32, 1>, %b: memref<4xf32, 1>, %number: memref<index, 2>,
                               %c: memref<4xf32, 2>, %d: memref<4xf32, 3>) {
  %i = memref.load %number[] : memref<index, 2>
  %part = memref.subview %a[%i] [4] [1] : memref<8xf32, 1> to memref<4xf32, strided<[1], offset: ?>, 1>
  memref.copy %part, %c : memref<4xf32, strided<[1], offset: ?>, 1> to memref<4xf32, 2>
  npu.transfer %b[0] from tile 0 to tile 2 into %d[0] box [0:4] bytes = 16 : memref<4xf32, 1> to memref<4xf32, 3>
  return
}

// -----

// A loop between two messages of one exchange has exchanges of its own: what
// begins in it is waited for in it, and the others begin after it.

// FIRST-LABEL: func.func @loop_between
// FIRST: scf.for
// FIRST: %[[INSIDE:.*]] = mpi.isend(%arg2
// FIRST-NEXT: mpi.wait(%[[INSIDE]])
// FIRST-NEXT: }
// SECOND-LABEL: func.func @loop_between
// SECOND: scf.for
// SECOND: %[[INSIDE:.*]] = mpi.irecv(%arg3
// SECOND-NEXT: mpi.wait(%[[INSIDE]])
// SECOND-NOT: mpi.wait
// SECOND: }
// SECOND-DAG: mpi.irecv(%arg1
// SECOND-DAG: mpi.isend(%arg3
// SECOND: return
func.func @loop_between(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>, %c: memref<4xf32, 1>, %d: memref<4xf32, 2>,
                        %e: memref<4xf32, 3>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  npu.transfer %a[0] from tile 0 to tile 1 into %b[0] box [0:4] bytes = 16 : memref<4xf32, 1> to memref<4xf32, 2>
  scf.for %i = %zero to %n step %one {
    npu.transfer %c[0] from tile 0 to tile 1 into %d[0] box [0:4] bytes = 16 : memref<4xf32, 1> to memref<4xf32, 2>
  }
  npu.transfer %d[0] from tile 1 to tile 2 into %e[0] box [0:4] bytes = 16 : memref<4xf32, 2> to memref<4xf32, 3>
  return
}
