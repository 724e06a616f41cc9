// Kernels of one storage kind: what the table says, what is repaired where
// layouts are written, and that results stay the same.

// Before layouts are chosen, a kernel of either kind takes the operation.
// RUN: npu-opt %S/../../Transforms/Assign/Inputs/images.mlir --npu-print-kernels -o /dev/null | FileCheck %s --check-prefix=QUERY
// QUERY: 3 operations with a kernel, 0 without

// RUN: npu-run %S/../../Transforms/Assign/Inputs/images.mlir --compile=storage=linear | FileCheck %s
// RUN: npu-run %S/../../Transforms/Assign/Inputs/images.mlir --compile=storage=tiled2d | FileCheck %s
// RUN: npu-run %s --compile=compile-to=tiles | FileCheck %s
// CHECK: {{^}}equal

// RUN: npu-opt %s --npu-print-kernels -o /dev/null | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: row 1: storage linear of 1x8x4x4xf32; the row takes tiled2d
// RUN: npu-opt %s --npu-select-kernels --remarks-filter=npu --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=TOLD
// TOLD: Reason="no kernel: storage linear of 1x8x4x4xf32; converted to tiled2d and back", bytes=2048
// RUN: FileCheck %s --check-prefix=REPAIR < %t
// REPAIR: npu.convert_storage %arg0
// REPAIR: linalg.exp
// REPAIR: npu.convert_storage

#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1]>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mychip", "npu.like" = "npu4000",
      "npu.kernels" = #npu.kernels<{op = "elementwise", storage = ["tiled2d"]}>>>} {
  func.func @main(%x: tensor<1x8x4x4xf32, #rows>) -> tensor<1x8x4x4xf32, #rows> {
    %e = tensor.empty() : tensor<1x8x4x4xf32, #rows>
    %0 = linalg.exp ins(%x : tensor<1x8x4x4xf32, #rows>) outs(%e : tensor<1x8x4x4xf32, #rows>) -> tensor<1x8x4x4xf32, #rows>
    return %0 : tensor<1x8x4x4xf32, #rows>
  }
}
