// A transfer becomes one on buffers, and stays one until the last lowering.
//
// RUN: npu-opt %s --split-input-file --npu-to-buffers | FileCheck %s
// RUN: npu-opt %s --split-input-file --npu-to-buffers --npu-lower-transfers | FileCheck %s --check-prefix=LOWER --implicit-check-not=npu.transfer
// RUN: npu-opt %s --split-input-file --npu-to-buffers --npu-run-tiles-in-parallel | FileCheck %s --check-prefix=PARALLEL

// A load that re-lays and a store, both into what is there: no buffer but the
// tile's own, no copy.
// CHECK-LABEL: func.func @relaid(
// CHECK-SAME: %[[X:.*]]: memref<4x6xf32>, %[[OUT:.*]]: memref<3x4xf32> {bufferize.result}, %[[ARENA:.*]]: memref<48xi8, 1> {npu.arena = 0 : i64}
// CHECK-NOT: memref.copy
// CHECK: %[[PART:.*]] = memref.view %[[ARENA]]
// CHECK-NOT: memref.copy
// CHECK: npu.transfer %[[X]][0, 3] from ddr to tile 0 into %[[PART]][0, 0] box [0:4, 3:6] bytes = 48 {dest_order = array<i64: 1, 0>} : memref<4x6xf32> to memref<3x4xf32, 1>
// CHECK-NEXT: npu.transfer %[[PART]][0, 0] from tile 0 to ddr into %[[OUT]][0, 0] box [0:3, 0:4] bytes = 48 : memref<3x4xf32, 1> to memref<3x4xf32>
// CHECK-NEXT: return
// LOWER-LABEL: func.func @relaid(
// LOWER: %[[PART:.*]] = memref.view
// LOWER: %[[BOX:.*]] = memref.subview %arg0[0, 3] [4, 3] [1, 1]
// LOWER: linalg.transpose ins(%[[BOX]] : {{.*}}) outs(%[[PART]] : memref<3x4xf32, 1>) permutation = [1, 0]
// LOWER: memref.copy %[[PART]], %arg1 : memref<3x4xf32, 1> to memref<3x4xf32>
// PARALLEL-LABEL: func.func @relaid(
func.func @relaid(%x: tensor<4x6xf32>) -> tensor<3x4xf32> attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<3x4xf32>
  %a = npu.transfer %x[0, 3] from ddr to tile 0 into %e[0, 0] box [0:4, 3:6] bytes = 48
      {dest_order = array<i64: 1, 0>} : tensor<4x6xf32> to tensor<3x4xf32>
  %out = tensor.empty() : tensor<3x4xf32>
  %d = npu.transfer %a[0, 0] from tile 0 to ddr into %out[0, 0] box [0:3, 0:4] bytes = 48
      : tensor<3x4xf32> to tensor<3x4xf32>
  return %d : tensor<3x4xf32>
}

// -----

// What is read afterwards is not written over: the second transfer has a copy.
// CHECK-LABEL: func.func @read_afterwards(
// CHECK: npu.transfer %arg0[0] from ddr to tile 0 into %[[PART:.*]][0] box [0:4]
// CHECK: memref.copy %[[PART]], %[[COPY:.*]] : memref<4xf32, 1> to memref<4xf32, 1>
// CHECK: npu.transfer %arg1[0] from ddr to tile 0 into %[[COPY]][0] box [0:2]
// CHECK: linalg.add {{.*}}ins(%[[PART]], %[[COPY]]
// PARALLEL-LABEL: func.func @read_afterwards(
func.func @read_afterwards(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %a = npu.transfer %x[0] from ddr to tile 0 into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %b = npu.transfer %y[0] from ddr to tile 0 into %a[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  %e2 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %sum = linalg.add {npu.tile = 0 : i64} ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %out = tensor.empty() : tensor<4xf32>
  %d = npu.transfer %sum[0] from tile 0 to ddr into %out[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// An argument that the caller sees is written to by nobody; a loop's own part
// is written over in every round.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK: npu.transfer %arg0[0] from ddr to tile 0 into %[[PART:.*]][0] box [0:4]
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK: npu.transfer %arg0[0] from ddr to tile 0 into %[[PART]][2] box [0:2]
// CHECK-NOT: memref.copy
// CHECK: }
// PARALLEL-LABEL: func.func @in_a_loop(
func.func @in_a_loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %a = npu.transfer %x[0] from ddr to tile 0 into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%part = %a) -> tensor<4xf32> {
    %b = npu.transfer %x[0] from ddr to tile 0 into %part[2] box [0:2] bytes = 8 : tensor<4xf32> to tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %out = tensor.empty() : tensor<4xf32>
  %d = npu.transfer %r[0] from tile 0 to ddr into %out[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// Two tiles get one box at once. Run in parallel, each takes its own; stores of
// parts of DDR that lie apart are in one phase.
// CHECK-LABEL: func.func @two_receivers(
// CHECK: npu.transfer %arg0[1] from ddr to tile 0, tile 1 into %{{.*}}[0], %{{.*}}[0] box [1:3] bytes = 8 : memref<4xf32> to memref<2xf32, 1>, memref<2xf32, 2>
// PARALLEL-LABEL: func.func @two_receivers(
// PARALLEL: async.execute attributes {npu.phase = 0 : i64, npu.tile = 0 : i64}
// PARALLEL: npu.transfer %arg0[1] from ddr to tile 0 into %{{.*}}[0] box [1:3] bytes = 8 : memref<4xf32> to memref<2xf32, 1>
// PARALLEL-NEXT: npu.transfer %{{.*}}[0] from tile 0 to ddr into %arg1[0]
// PARALLEL-NEXT: async.yield
// PARALLEL: async.execute attributes {npu.phase = 0 : i64, npu.tile = 1 : i64}
// PARALLEL: npu.transfer %arg0[1] from ddr to tile 1 into %{{.*}}[0] box [1:3] bytes = 8 : memref<4xf32> to memref<2xf32, 2>
// PARALLEL-NEXT: npu.transfer %{{.*}}[0] from tile 1 to ddr into %arg1[2]
// PARALLEL-NEXT: async.yield
func.func @two_receivers(%x: tensor<4xf32>) -> tensor<4xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xf32>
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2xf32>
  %a, %b = npu.transfer %x[1] from ddr to tile 0, tile 1 into %e0[0], %e1[0] box [1:3] bytes = 8
      : tensor<4xf32> to tensor<2xf32>, tensor<2xf32>
  %out = tensor.empty() : tensor<4xf32>
  %d = npu.transfer %a[0] from tile 0 to ddr into %out[0] box [0:2] bytes = 8 : tensor<2xf32> to tensor<4xf32>
  %f = npu.transfer %b[0] from tile 1 to ddr into %d[2] box [2:4] bytes = 8 : tensor<2xf32> to tensor<4xf32>
  return %f : tensor<4xf32>
}

// -----

// Two parts, each put together by two transfers, of which a branch chooses one:
// the last transfer of one part has a copy, because both may be what is read,
// and those inside a part need none.
// CHECK-LABEL: func.func @joined(
// CHECK: npu.transfer %arg0[0] from ddr to tile 0 into %[[A:.*]][0] box [0:2]
// CHECK-NEXT: npu.transfer %arg0[2] from ddr to tile 0 into %[[A]][2] box [2:4]
// CHECK: npu.transfer %arg1[0] from ddr to tile 0 into %[[B:.*]][0] box [0:2]
// CHECK: memref.copy %[[B]], %[[COPY:.*]] : memref<4xf32, 1> to memref<4xf32, 1>
// CHECK-NEXT: npu.transfer %arg1[2] from ddr to tile 0 into %[[COPY]][2] box [2:4]
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %arg2, %[[A]], %[[COPY]]
// CHECK: linalg.exp {{.*}}ins(%[[CHOSEN]]
// PARALLEL-LABEL: func.func @joined(
func.func @joined(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %a0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  %a1 = npu.transfer %x[2] from ddr to tile 0 into %a0[2] box [2:4] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  %e1 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %b0 = npu.transfer %y[0] from ddr to tile 0 into %e1[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  %b1 = npu.transfer %y[2] from ddr to tile 0 into %b0[2] box [2:4] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  cf.cond_br %c, ^join(%a1 : tensor<4xf32>), ^join(%b1 : tensor<4xf32>)
^join(%z: tensor<4xf32>):
  %e2 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %0 = linalg.exp {npu.tile = 0 : i64} ins(%z : tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %out = tensor.empty() : tensor<4xf32>
  %d = npu.transfer %0[0] from tile 0 to ddr into %out[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// One more transfer into what is read afterwards: both write into the copy.
// CHECK-LABEL: func.func @chain_into_what_is_read(
// CHECK: npu.transfer %arg0[0] from ddr to tile 0 into %[[PART:.*]][0] box [0:4]
// CHECK: memref.copy %[[PART]], %[[COPY:.*]] : memref<4xf32, 1> to memref<4xf32, 1>
// CHECK: npu.transfer %arg1[0] from ddr to tile 0 into %[[COPY]][0] box [0:1]
// CHECK-NEXT: npu.transfer %arg1[1] from ddr to tile 0 into %[[COPY]][1] box [1:2]
// CHECK-NEXT: npu.transfer %arg1[2] from ddr to tile 0 into %[[COPY]][2] box [2:3]
// CHECK: linalg.add {{.*}}ins(%[[PART]], %[[COPY]]
// PARALLEL-LABEL: func.func @chain_into_what_is_read(
func.func @chain_into_what_is_read(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %a = npu.transfer %x[0] from ddr to tile 0 into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %b = npu.transfer %y[0] from ddr to tile 0 into %a[0] box [0:1] bytes = 4 : tensor<4xf32> to tensor<4xf32>
  %b1 = npu.transfer %y[1] from ddr to tile 0 into %b[1] box [1:2] bytes = 4 : tensor<4xf32> to tensor<4xf32>
  %b2 = npu.transfer %y[2] from ddr to tile 0 into %b1[2] box [2:3] bytes = 4 : tensor<4xf32> to tensor<4xf32>
  %e2 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %sum = linalg.add {npu.tile = 0 : i64} ins(%a, %b2 : tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %out = tensor.empty() : tensor<4xf32>
  %d = npu.transfer %sum[0] from tile 0 to ddr into %out[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// A part that a branch hands on beside another one that is read later as well.
// CHECK-LABEL: func.func @handed_on(
// CHECK: npu.transfer %arg0[0] from ddr to tile 0 into %[[PART:.*]][0] box [0:4]
// CHECK: scf.if
// CHECK: npu.transfer %arg1[0] from ddr to tile 0 into
// CHECK: npu.transfer %arg1[2] from ddr to tile 0 into
// CHECK: linalg.add {{.*}}ins(%[[PART]],
// PARALLEL-LABEL: func.func @handed_on(
func.func @handed_on(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %a = npu.transfer %x[0] from ddr to tile 0 into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %r = scf.if %c -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  } else {
    %e1 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
    %b0 = npu.transfer %y[0] from ddr to tile 0 into %e1[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<4xf32>
    %b1 = npu.transfer %y[2] from ddr to tile 0 into %b0[2] box [2:4] bytes = 8 : tensor<4xf32> to tensor<4xf32>
    scf.yield %b1 : tensor<4xf32>
  }
  %e2 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %sum = linalg.add {npu.tile = 0 : i64} ins(%a, %r : tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %out = tensor.empty() : tensor<4xf32>
  %d = npu.transfer %sum[0] from tile 0 to ddr into %out[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %d : tensor<4xf32>
}
