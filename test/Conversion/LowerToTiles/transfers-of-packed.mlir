// What several tiles hold they store together. Where elements share bytes, they
// share out whole bytes: two tiles that write one byte at the same time leave
// what one of them read.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-lower-to-tiles | FileCheck %s

// Every second row of 7 numbers of 4 bits begins with a byte.
// CHECK-LABEL: func.func @rows
// CHECK: from tile {{[0-9]}} to ddr into {{.*}} box [0:2, 0:7] bytes = 7
// CHECK-NEXT: from tile {{[0-9]}} to ddr into {{.*}} box [2:4, 0:7] bytes = 7
// CHECK-NEXT: from tile {{[0-9]}} to ddr into {{.*}} box [4:5, 0:7] bytes = 4
// CHECK-NOT: to ddr
// CHECK: return
func.func @rows(%x: tensor<5x7xi4, #npu.layout<DUPLICATED, tiles = 5>>) -> tensor<5x7xi4> {
  %0 = npu.redistribute %x : tensor<5x7xi4, #npu.layout<DUPLICATED, tiles = 5>> to tensor<5x7xi4>
  return %0 : tensor<5x7xi4>
}

// Of 3 planes of 9 numbers of 2 bits only the first begins with a byte.
// CHECK-LABEL: func.func @plane
// CHECK: from tile {{.*}} to ddr into {{.*}} box [0:3, 0:3, 0:3] bytes = 7
// CHECK-NOT: to ddr
// CHECK: return
func.func @plane(%x: tensor<3x3x3xi2, #npu.layout<DUPLICATED, tiles = 3>>) -> tensor<3x3x3xi2> {
  %0 = npu.redistribute %x : tensor<3x3x3xi2, #npu.layout<DUPLICATED, tiles = 3>> to tensor<3x3x3xi2>
  return %0 : tensor<3x3x3xi2>
}
