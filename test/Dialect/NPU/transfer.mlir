// npu.transfer parses, prints in one spelling, names its results by tile, and
// survives the bytecode.
//
// RUN: npu-opt %s | npu-opt | FileCheck %s
// RUN: npu-opt %s -emit-bytecode | npu-opt | FileCheck %s

// CHECK-LABEL: func.func @multicast
func.func @multicast(%part: tensor<4x4xf16>, %a: tensor<4x4xf16>, %b: tensor<6x4xf16>)
    -> (tensor<4x4xf16>, tensor<6x4xf16>) {
  // CHECK: %t1, %t2 = npu.transfer %{{.*}}[2, 0] from tile 0 to tile 1, tile 2 into %{{.*}}[0, 0], %{{.*}}[4, 0] box [2:4, 0:4] bytes = 16 : tensor<4x4xf16> to tensor<4x4xf16>, tensor<6x4xf16>
  %0, %1 = npu.transfer %part[2, 0] from tile 0 to tile 1, tile 2
      into %a[0, 0], %b[4, 0] box [2:4, 0:4] bytes = 16
      : tensor<4x4xf16> to tensor<4x4xf16>, tensor<6x4xf16>
  return %0, %1 : tensor<4x4xf16>, tensor<6x4xf16>
}

// A load that re-lays: columns of a 4x6 tensor, which tile 3 holds transposed.
// CHECK-LABEL: func.func @load
func.func @load(%whole: tensor<4x6xf32>, %part: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: %t3 = npu.transfer %{{.*}}[0, 3] from ddr to tile 3 into %{{.*}}[0, 0] box [0:4, 3:6] bytes = 48 {dest_order = array<i64: 1, 0>} : tensor<4x6xf32> to tensor<3x4xf32>
  %0 = npu.transfer %whole[0, 3] from ddr to tile 3 into %part[0, 0]
      box [0:4, 3:6] bytes = 48 {dest_order = array<i64: 1, 0>}
      : tensor<4x6xf32> to tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @store
func.func @store(%part: tensor<2x6xf32>, %whole: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // CHECK: %ddr = npu.transfer %{{.*}}[0, 0] from tile 1 to ddr into %{{.*}}[2, 0] box [2:4, 0:6] bytes = 48 : tensor<2x6xf32> to tensor<4x6xf32>
  %0 = npu.transfer %part[0, 0] from tile 1 to ddr into %whole[2, 0]
      box [2:4, 0:6] bytes = 48 : tensor<2x6xf32> to tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// What has no words of its own is in the dictionary, by name.
// CHECK-LABEL: func.func @dictionary
func.func @dictionary(%part: tensor<2x6xf32>, %whole: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // CHECK: bytes = 48 {dest_order = array<i64: 1, 0>, npu.tile = 1 : i64, source_order = array<i64: 0, 1>} : tensor<2x6xf32> to tensor<6x4xf32>
  %0 = npu.transfer %part[0, 0] from tile 1 to ddr into %whole[0, 2] box [2:4, 0:6]
      bytes = 48 {source_order = array<i64: 0, 1>, npu.tile = 1 : i64, dest_order = array<i64: 1, 0>}
      : tensor<2x6xf32> to tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// On buffers it has no results.
// CHECK-LABEL: func.func @buffers
func.func @buffers(%part: memref<4x4xf16, 1>, %a: memref<4x4xf16, 2>,
                   %b: memref<6x4xf16, strided<[?, ?], offset: ?>, 3>, %whole: memref<4x6xf16>) {
  // CHECK: {{^}}    npu.transfer %{{.*}}[2, 0] from tile 0 to tile 1, tile 2 into %{{.*}}[0, 0], %{{.*}}[4, 0] box [2:4, 0:4] bytes = 16 : memref<4x4xf16, 1> to memref<4x4xf16, 2>, memref<6x4xf16, strided<[?, ?], offset: ?>, 3>
  npu.transfer %part[2, 0] from tile 0 to tile 1, tile 2
      into %a[0, 0], %b[4, 0] box [2:4, 0:4] bytes = 16
      : memref<4x4xf16, 1> to memref<4x4xf16, 2>, memref<6x4xf16, strided<[?, ?], offset: ?>, 3>
  // CHECK: {{^}}    npu.transfer %{{.*}}[0, 3] from ddr to tile 0 into %{{.*}}[0, 0] box [0:4, 3:6] bytes = 24 {dest_order = array<i64: 1, 0>} : memref<4x6xf16> to memref<4x4xf16, 1>
  npu.transfer %whole[0, 3] from ddr to tile 0 into %part[0, 0] box [0:4, 3:6]
      bytes = 24 {dest_order = array<i64: 1, 0>} : memref<4x6xf16> to memref<4x4xf16, 1>
  return
}
