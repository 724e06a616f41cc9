// A block that has tasks already stays as it is where its tasks give the same
// bits each time, and is refused where they may not, in a run as well.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-run-tiles-in-parallel | FileCheck %s

// CHECK-LABEL: func @apart
func.func @apart(%x: memref<4xf32, 1>, %y: memref<4xf32, 2>, %z: memref<4xf32, 2>) {
  // CHECK-COUNT-2: async.execute
  // CHECK-COUNT-2: async.await
  // CHECK: linalg.exp
  %t0 = async.execute {
    linalg.exp ins(%x : memref<4xf32, 1>) outs(%x : memref<4xf32, 1>)
    async.yield
  }
  %t1 = async.execute {
    linalg.exp ins(%y : memref<4xf32, 2>) outs(%z : memref<4xf32, 2>)
    async.yield
  }
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  linalg.exp ins(%x : memref<4xf32, 1>) outs(%y : memref<4xf32, 2>)
  return
}

// -----

func.func @race(%x: memref<4xf32, 1>, %y: memref<4xf32, 2>, %z: memref<4xf32, 2>) {
  %t0 = async.execute {
    // expected-note @+1 {{by this operation}}
    linalg.exp ins(%y : memref<4xf32, 2>) outs(%z : memref<4xf32, 2>)
    async.yield
  }
  %t1 = async.execute {
    // expected-error @+1 {{expected tasks that touch different memory, or read it alone, while they run at the same time, got one that may touch what another one writes}}
    linalg.exp ins(%x : memref<4xf32, 1>) outs(%y : memref<4xf32, 2>)
    async.yield
  }
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  return
}

// -----

// What stands beside a task that has not been awaited is at the same time.
func.func @beside(%x: memref<4xf32, 1>, %y: memref<4xf32, 2>) {
  %t0 = async.execute {
    // expected-note @+1 {{by this operation}}
    linalg.exp ins(%x : memref<4xf32, 1>) outs(%y : memref<4xf32, 2>)
    async.yield
  }
  // expected-error @+1 {{expected tasks that touch different memory}}
  linalg.exp ins(%y : memref<4xf32, 2>) outs(%y : memref<4xf32, 2>)
  async.await %t0 : !async.token
  return
}
