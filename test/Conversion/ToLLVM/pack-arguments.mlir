// A function takes one list of its buffers, and loads each before its first use: the
// arguments of LLVM's functions would be five for each buffer of rank 1.
//
// RUN: npu-opt %s --npu-pack-arguments=entry=packed | FileCheck %s --check-prefix=PACKED
// RUN: npu-opt %s --npu-pack-arguments=entry=branches | FileCheck %s --check-prefix=BRANCHES
// RUN: not npu-opt %s --npu-pack-arguments=entry=called 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: not npu-opt %s --npu-pack-arguments=entry=placed 2>&1 | FileCheck %s --check-prefix=PLACED
// RUN: not npu-opt %s --npu-pack-arguments=entry=returns 2>&1 | FileCheck %s --check-prefix=RETURNS
// RUN: not npu-opt %s --npu-pack-arguments=entry=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY

// What is unused is not loaded, and %c is loaded after the copy that does not use it.
// PACKED-LABEL: func.func @packed(%arg0: !llvm.ptr) {
// PACKED-NOT:     getelementptr %arg0[1]
// PACKED:         llvm.getelementptr %arg0[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// PACKED-NOT:     getelementptr %arg0[1]
// PACKED:         llvm.getelementptr %arg0[2]
// PACKED:         memref.copy
// PACKED:         %[[PLACE:.*]] = llvm.getelementptr %arg0[3]
// PACKED-NEXT:    %[[POINTER:.*]] = llvm.load %[[PLACE]]
// PACKED-NEXT:    %[[FIRST:.*]] = llvm.getelementptr %[[POINTER]][0]
// PACKED-NEXT:    %[[DESCRIPTOR:.*]] = llvm.load %[[FIRST]]
// PACKED-NEXT:    %[[SECOND:.*]] = llvm.getelementptr %[[DESCRIPTOR]][1]
// PACKED-NEXT:    %[[DATA:.*]] = llvm.load %[[SECOND]]
// PACKED:         %[[C:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4xf32>
// PACKED-NEXT:    memref.copy %{{.*}}, %[[C]]
func.func @packed(%a: memref<4xf32>, %unused: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.copy %b, %c : memref<4xf32> to memref<4xf32>
  return
}

// What a block after a branch uses is loaded before the branch.
// BRANCHES-LABEL: func.func @branches(%arg0: !llvm.ptr) {
// BRANCHES:         %[[M:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<f32>
// BRANCHES:         %[[C:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<i1>
// BRANCHES-NEXT:    memref.load %[[C]]
// BRANCHES:         cf.cond_br
// BRANCHES:         memref.store %{{.*}}, %[[M]]
func.func @branches(%c: memref<i1>, %m: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %condition = memref.load %c[] : memref<i1>
  cf.cond_br %condition, ^store, ^end
^store:
  memref.store %zero, %m[] : memref<f32>
  cf.br ^end
^end:
  return
}

// CALLED: [[# @LINE + 1]]:1: error: expected a function that nothing calls
func.func @called(%m: memref<f32>) {
  return
}
func.func @calls(%m: memref<f32>) {
  call @called(%m) : (memref<f32>) -> ()
  return
}

// PLACED: [[# @LINE + 1]]:1: error: expected buffers of static shape and identity layout, got 'memref<4xf32, 1>' as argument #1
func.func @placed(%m: memref<4xf32>, %arena: memref<4xf32, 1>) {
  return
}

// RETURNS: [[# @LINE + 1]]:1: error: expected results in buffers, got 1 results of the function
func.func @returns(%m: memref<4xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  return %zero : f32
}

// NOBODY: error: expected a function 'nobody' with a body
