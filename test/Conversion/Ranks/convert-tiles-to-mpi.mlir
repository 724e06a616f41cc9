// RUN: npu-opt %s --split-input-file --npu-convert-tiles-to-mpi="ranks=2 rank=0" | FileCheck %s --check-prefix=FIRST
// RUN: npu-opt %s --split-input-file --npu-convert-tiles-to-mpi="ranks=2 rank=1" | FileCheck %s --check-prefix=SECOND
// RUN: npu-opt %s --split-input-file --npu-convert-tiles-to-mpi="ranks=1" | FileCheck %s --check-prefix=ALONE

// The example of the pass: a whole buffer goes as it lies.

// FIRST-LABEL: func.func @whole
// FIRST: %[[COMM:.*]] = mpi.comm_world
// FIRST-NOT: npu.transfer
// FIRST-DAG: %[[TAG:.*]] = arith.constant 16384 : i32
// FIRST-DAG: %[[TO:.*]] = arith.constant 1 : i32
// FIRST: %[[REQUEST:.*]] = mpi.isend(%arg0, %[[TAG]], %[[TO]], %[[COMM]]) : memref<4x4xf32, 1>
// FIRST-NEXT: mpi.wait(%[[REQUEST]])
// FIRST-NEXT: return
// SECOND-LABEL: func.func @whole
// SECOND: mpi.irecv(%arg1, {{.*}}) : memref<4x4xf32, 2>
// SECOND-NEXT: mpi.wait
// ALONE-LABEL: func.func @whole
// ALONE-NOT: irecv
// ALONE: memref.copy %arg0, %arg1
func.func @whole(%a: memref<4x4xf32, 1>, %b: memref<4x4xf32, 2>) {
  npu.transfer %a[0, 0] from tile 0 to tile 1 into %b[0, 0] box [0:4, 0:4]
      bytes = 64 : memref<4x4xf32, 1> to memref<4x4xf32, 2>
  return
}

// -----

// Two parts are one message of packed bytes, larger elements first, which is
// sent after the operation before it and received before the one that reads it.

// FIRST-LABEL: func.func @packed
// FIRST: linalg.fill {npu.tile = 0
// FIRST: %[[BYTES:.*]] = memref.alloc() : memref<24xi8>
// FIRST: %[[F32:.*]] = memref.view %[[BYTES]][%c0{{.*}}][] : memref<24xi8> to memref<2x2xf32>
// FIRST: memref.copy %subview{{.*}}, %[[F32]]
// FIRST: %[[F16:.*]] = memref.view %[[BYTES]][%c16{{.*}}][] : memref<24xi8> to memref<2x2xf16>
// FIRST: memref.copy %subview{{.*}}, %[[F16]]
// FIRST: mpi.isend(%[[BYTES]], {{.*}}) : memref<24xi8>
// FIRST: mpi.wait
// FIRST: memref.dealloc %[[BYTES]]
// FIRST-NOT: linalg.exp
// SECOND-LABEL: func.func @packed
// SECOND-NOT: linalg.fill
// SECOND: %[[BYTES:.*]] = memref.alloc() : memref<24xi8>
// SECOND: mpi.irecv(%[[BYTES]]
// SECOND: mpi.wait
// SECOND: %[[F32:.*]] = memref.view %[[BYTES]][%c0{{.*}}][] : memref<24xi8> to memref<2x2xf32>
// SECOND: memref.copy %[[F32]]
// SECOND: %[[F16:.*]] = memref.view %[[BYTES]][%c16{{.*}}][] : memref<24xi8> to memref<2x2xf16>
// SECOND: linalg.transpose ins(%[[F16]]
// SECOND: linalg.exp {npu.tile = 1
func.func @packed(%zero: f32, %a: memref<4x4xf32, 1>, %b: memref<2x4xf16, 1>,
                  %c: memref<4x4xf32, 2>, %d: memref<4x2xf16, 2>) {
  linalg.fill {npu.tile = 0 : i64} ins(%zero : f32) outs(%a : memref<4x4xf32, 1>)
  npu.transfer %b[0, 2] from tile 0 to tile 1 into %d[2, 0] box [0:2, 2:4]
      bytes = 8 {source_order = array<i64: 0, 1>, dest_order = array<i64: 1, 0>} : memref<2x4xf16, 1> to memref<4x2xf16, 2>
  npu.transfer %a[2, 0] from tile 0 to tile 1 into %c[2, 0] box [2:4, 0:2]
      bytes = 16 : memref<4x4xf32, 1> to memref<4x4xf32, 2>
  linalg.exp {npu.tile = 1 : i64} ins(%c : memref<4x4xf32, 2>) outs(%c : memref<4x4xf32, 2>)
  return
}

// -----

// What all ranks have is not sent: arguments that nothing writes, constants.
// Results are on rank 0. A buffer in DDR that one rank alone uses is there.

memref.global "private" constant @weight : memref<4xf32> = dense<1.0>

// FIRST-LABEL: func.func @homes
// FIRST-NOT: memref.alloc
// FIRST-NOT: mpi.isend
// FIRST: mpi.irecv(%arg1
// SECOND-LABEL: func.func @homes
// SECOND: memref.copy %arg0, %arg2
// SECOND: %[[SPILL:.*]] = memref.alloc() : memref<4xf32>
// SECOND: memref.copy %arg2, %[[SPILL]]
// SECOND: memref.copy %[[SPILL]], %arg2
// SECOND: mpi.isend(%arg2
// SECOND: memref.copy %{{.*}}, %arg3
func.func @homes(%x: memref<4xf32>, %result: memref<4xf32> {bufferize.result}, %a: memref<4xf32, 2>, %b: memref<4xf32, 2>) {
  npu.transfer %x[0] from ddr to tile 1 into %a[0] box [0:4] bytes = 16 : memref<4xf32> to memref<4xf32, 2>
  %weight = memref.get_global @weight : memref<4xf32>
  npu.transfer %weight[0] from ddr to tile 1 into %b[0] box [0:4] bytes = 16 : memref<4xf32> to memref<4xf32, 2>
  %spill = memref.alloc() : memref<4xf32>
  npu.transfer %a[0] from tile 1 to ddr into %spill[0] box [0:4] bytes = 16 : memref<4xf32, 2> to memref<4xf32>
  npu.transfer %spill[0] from ddr to tile 1 into %a[0] box [0:4] bytes = 16 : memref<4xf32> to memref<4xf32, 2>
  npu.transfer %a[0] from tile 1 to ddr into %result[0] box [0:4] bytes = 16 : memref<4xf32, 2> to memref<4xf32>
  return
}

// -----

// A scalar of one rank's memory decides on all ranks; a loop of one rank is on
// no other.

// FIRST-LABEL: func.func @scalars
// FIRST-NOT: scf.for
// FIRST: %[[BUFFER:.*]] = memref.alloc() : memref<1xi1>
// FIRST: mpi.irecv(%[[BUFFER]]
// FIRST: mpi.wait
// FIRST: %[[CONDITION:.*]] = memref.load %[[BUFFER]]
// FIRST: scf.if %[[CONDITION]] {
// FIRST: mpi.isend(%arg0
// SECOND-LABEL: func.func @scalars
// SECOND: scf.for
// SECOND: %[[OWN:.*]] = memref.load %arg2[] : memref<i1, 2>
// SECOND: memref.store %[[OWN]], %[[BUFFER:.*]][
// SECOND: mpi.isend(%[[BUFFER]]
// SECOND: scf.if %[[OWN]] {
// SECOND: mpi.irecv(%arg1
func.func @scalars(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>, %c: memref<i1, 2>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.exp {npu.tile = 1 : i64} ins(%b : memref<4xf32, 2>) outs(%b : memref<4xf32, 2>)
  }
  %condition = memref.load %c[] : memref<i1, 2>
  scf.if %condition {
    npu.transfer %a[0] from tile 0 to tile 1 into %b[0] box [0:4] bytes = 16 : memref<4xf32, 1> to memref<4xf32, 2>
  }
  return
}

// -----

// Calls are inlined.

// FIRST-LABEL: func.func @calls
// FIRST: mpi.isend(%arg0
// SECOND-LABEL: func.func @calls
// SECOND: mpi.irecv(%arg1
func.func @calls(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>) {
  call @sends(%a, %b) : (memref<4xf32, 1>, memref<4xf32, 2>) -> ()
  return
}
func.func private @sends(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>) {
  npu.transfer %a[0] from tile 0 to tile 1 into %b[0] box [0:4] bytes = 16 : memref<4xf32, 1> to memref<4xf32, 2>
  return
}

// -----

// What an operation reads of another rank by computed indices goes there whole.

// FIRST-LABEL: func.func @lookup
// FIRST: mpi.isend(%arg0
// FIRST-NOT: linalg.generic
// SECOND-LABEL: func.func @lookup
// SECOND: %[[COPY:.*]] = memref.alloc() : memref<8xf32, 1>
// SECOND: mpi.irecv(%[[COPY]]
// SECOND: mpi.wait
// SECOND: linalg.generic
// SECOND: memref.load %[[COPY]]
// SECOND: memref.dealloc %[[COPY]]
func.func @lookup(%table: memref<8xf32, 1>, %indices: memref<4xindex, 2>, %b: memref<4xf32, 2>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%indices : memref<4xindex, 2>) outs(%b : memref<4xf32, 2>) {
  ^bb0(%index: index, %y: f32):
    %found = memref.load %table[%index] : memref<8xf32, 1>
    linalg.yield %found : f32
  }
  return
}
