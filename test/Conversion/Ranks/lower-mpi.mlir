// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-lower-mpi | FileCheck %s

// CHECK: func.func private @npu_mpi_wait(i64)
// CHECK: func.func private @npu_mpi_isend(index, index, i32, i32) -> i64
// CHECK: memref.global "private" constant @[[PART:.*]] : memref<6xi64> = dense<[2, 2, 3, 4, 8, 1]>
// CHECK-LABEL: func.func @messages
// CHECK-NOT: mpi.
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: arith.constant 2 : index
// CHECK: %[[BEGIN:.*]] = arith.addi %[[ADDRESS]]
// CHECK: %[[CONSTANT:.*]] = memref.get_global @[[PART]]
// CHECK: %[[DESCRIPTION:.*]] = memref.extract_aligned_pointer_as_index %[[CONSTANT]]
// CHECK: %[[REQUEST:.*]] = call @npu_mpi_isend(%[[BEGIN]], %[[DESCRIPTION]], %arg1, %arg2)
// CHECK: call @npu_mpi_wait(%[[REQUEST]])
func.func @messages(%a: memref<3x4xf16, strided<[8, 1], offset: 8>>, %tag: i32, %rank: i32) {
  %comm = mpi.comm_world : !mpi.comm
  %request = mpi.isend(%a, %tag, %rank, %comm) : memref<3x4xf16, strided<[8, 1], offset: 8>>, i32, i32 -> !mpi.request
  mpi.wait(%request) : !mpi.request
  return
}

// -----

func.func @dynamic(%a: memref<3x4xf16, strided<[?, 1]>>, %tag: i32, %rank: i32, %comm: !mpi.comm) {
  // expected-error @below {{expected a buffer of static shape and strides, whole where several elements share a byte, got 'memref<3x4xf16, strided<[?, 1]>>'}}
  // expected-error @below {{failed to legalize}}
  %request = mpi.irecv(%a, %tag, %rank, %comm) : memref<3x4xf16, strided<[?, 1]>>, i32, i32 -> !mpi.request
  mpi.wait(%request) : !mpi.request
  return
}
