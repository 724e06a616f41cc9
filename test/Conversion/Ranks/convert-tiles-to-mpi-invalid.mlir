// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-convert-tiles-to-mpi="ranks=2"
// RUN: not npu-opt %s --npu-convert-tiles-to-mpi="ranks=2 rank=2" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not npu-opt %s --npu-convert-tiles-to-mpi="ranks=0" 2>&1 | FileCheck %s --check-prefix=NONE

// RANK: npu-convert-tiles-to-mpi: expected 1 to 1048576 ranks and a rank among them, got ranks=2 rank=2
// NONE: npu-convert-tiles-to-mpi: expected 1 to 1048576 ranks and a rank among them, got ranks=0 rank=0

func.func @between(%zero: f32, %a: memref<4xf32, 1>, %b: memref<4xf32, 2>) {
  // expected-error @below {{expected an operation that writes memory of one rank, or a transfer, got 'linalg.generic' between ranks}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%a, %b : memref<4xf32, 1>, memref<4xf32, 2>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %zero, %zero : f32, f32
  }
  return
}

// -----

// expected-error @below {{expected a program on buffers, which npu-to-buffers makes, got 'tensor<4xf32>'}}
func.func @tensors(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c = npu.transfer %a[0] from tile 0 to tile 1 into %b[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

func.func @recursive(%a: memref<4xf32, 1>, %b: memref<4xf32, 2>) {
  // expected-error @below {{expected operations that say which memory they read and write, so that one rank can run them, got 'func.call'}}
  call @recursive(%a, %b) : (memref<4xf32, 1>, memref<4xf32, 2>) -> ()
  return
}

// -----

func.func @dynamic(%a: memref<?xf32, 1>, %b: memref<?xf32, 2>) {
  // expected-error @below {{expected numbers, or a buffer of them of static shape, from rank to rank, got 'memref<?xf32, 1>'}}
  memref.copy %a, %b : memref<?xf32, 1> to memref<?xf32, 2>
  return
}

// -----

func.func @buffers_of_buffers(%a: memref<2xmemref<4xf32>, 1>, %b: memref<2xmemref<4xf32>, 2>) {
  // expected-error @below {{expected numbers, or a buffer of them of static shape, from rank to rank, got 'memref<2xmemref<4xf32>, 1>'}}
  memref.copy %a, %b : memref<2xmemref<4xf32>, 1> to memref<2xmemref<4xf32>, 2>
  return
}

// -----

func.func @token(%a: memref<4xf32, 2>, %b: memref<4xf32, 2>) {
  // expected-error @below {{expected numbers, or a buffer of them of static shape, from rank to rank, got '!async.token'}}
  %token = async.execute {
    memref.copy %a, %b : memref<4xf32, 2> to memref<4xf32, 2>
    async.yield
  }
  async.await %token : !async.token
  return
}

// -----

func.func @views(%a: memref<4xf32, strided<[2]>, 1>, %b: memref<4xf32, 2>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    // expected-error @below {{expected a memref.load of what another rank has, got 'memref.subview'}}
    %part = memref.subview %a[%i] [2] [1] : memref<4xf32, strided<[2]>, 1> to memref<2xf32, strided<[2], offset: ?>, 1>
    %x = memref.load %part[%c0] : memref<2xf32, strided<[2], offset: ?>, 1>
    memref.store %x, %b[%c0] : memref<4xf32, 2>
  }
  return
}
