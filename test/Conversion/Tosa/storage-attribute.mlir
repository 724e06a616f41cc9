// npu.storage gets through the lowering of TOSA and of elementwise operations,
// whose operations become others, and a warning tells where it cannot.

// RUN: npu-opt %s --npu-lower-model 2> %t.errors | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOST < %t.errors
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-to=assigned function=main" | FileCheck %s --check-prefix=KIND
// RUN: npu-opt %s --npu-compile="device=CPU compile-to=legal function=main" | FileCheck %s --check-prefix=CPU
// RUN: npu-run %s --entry=main --compile=target=npu4000 --inputs=normal | FileCheck %s --check-prefix=SAME

// CHECK-LABEL: func.func @main
// CHECK: npu.storage = "tiled2d"
// CHECK: npu.storage = "tiled2d"
// CHECK-LABEL: func.func @lost
// CHECK-NOT: npu.storage
// KIND: storage = tiled2d
// KIND-NOT: npu.storage
// CPU-LABEL: func.func @main
// CPU-NOT: npu.storage
// SAME: {{^}}equal

func.func @main(%x: tensor<1x8x16x16xf32>, %y: tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32> {
  %0 = tosa.tanh %x {npu.storage = "tiled2d"} : (tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  %1 = arith.addf %0, %y {npu.storage = "tiled2d"} : tensor<1x8x16x16xf32>
  %2 = tosa.sigmoid %1 : (tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  return %2 : tensor<1x8x16x16xf32>
}

func.func @lost(%x: tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32> {
  // LOST: :[[#@LINE+1]]:8: warning: 'npu.storage' is lost, because no tensor of this operation is left
  %0 = tosa.identity %x {npu.storage = "tiled2d"} : (tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  return %0 : tensor<1x8x16x16xf32>
}
