// A device that prefers images, and kernels that take both kinds: what nothing
// is converted for, and what fits, gets the preferred kind.

// RUN: npu-opt %s --split-input-file --npu-assign-distributions=tiles=1 --remarks-filter=npu --remark-format=emitRemark 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t.remarks

// What a loop hands on is linear, and read as it is.
// CHECK-LABEL: func.func @loop
// CHECK-NOT: npu.convert_storage
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mychip", "npu.like" = "npu4000",
      "npu.storage_kinds" = ["tiled2d", "linear"]>>} {
  func.func @loop(%x: tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %e = tensor.empty() : tensor<1x8x16x16xf32>
    // WHY-DAG: Reason="linear: control flow hands on linear tensors"
    %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<1x8x16x16xf32> {
      %b = linalg.exp ins(%a : tensor<1x8x16x16xf32>) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
      scf.yield %b : tensor<1x8x16x16xf32>
    }
    return %1 : tensor<1x8x16x16xf32>
  }
}

// -----

// Between two operations, the preferred kind; a transpose is a cast of linear
// memory, and an output that is only written over is no reader.
// CHECK-LABEL: func.func @between
// CHECK: linalg.exp {{.*}} -> tensor<1x8x16x16xf32, #{{.*}}>
// CHECK-NOT: npu.convert_storage
// CHECK: npu.permute_cast
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mychip", "npu.like" = "npu4000",
      "npu.storage_kinds" = ["tiled2d", "linear"]>>} {
  func.func @between(%x: tensor<1x8x16x16xf32>) -> tensor<1x16x8x16xf32> {
    %e = tensor.empty() : tensor<1x8x16x16xf32>
    %t = tensor.empty() : tensor<1x16x8x16xf32>
    // WHY-DAG: Reason="tiled2d: mychip prefers it, and no more bytes are converted"
    %0 = linalg.exp ins(%x : tensor<1x8x16x16xf32>) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
    %1 = linalg.tanh ins(%0 : tensor<1x8x16x16xf32>) outs(%x : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
    %2 = linalg.transpose ins(%1 : tensor<1x8x16x16xf32>) outs(%t : tensor<1x16x8x16xf32>) permutation = [0, 2, 1, 3]
    %3 = linalg.tanh ins(%2 : tensor<1x16x8x16xf32>) outs(%t : tensor<1x16x8x16xf32>) -> tensor<1x16x8x16xf32>
    return %3 : tensor<1x16x8x16xf32>
  }
}

// -----

// An image beside what it is unpacked into does not fit, a linear tensor does.
// CHECK-LABEL: func.func @short
// CHECK-NOT: tiled2d
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mychip", "npu.like" = "npu4000",
      "npu.storage_kinds" = ["tiled2d", "linear"], "npu.scratchpad_bytes" = 3072 : i64>>} {
  func.func @short(%x: tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32> {
    %e = tensor.empty() : tensor<1x2x16x16xf32>
    // WHY-DAG: Reason="linear: with the images that mychip prefers, nothing fits"
    %0 = linalg.exp ins(%x : tensor<1x2x16x16xf32>) outs(%e : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
    %1 = linalg.tanh ins(%0 : tensor<1x2x16x16xf32>) outs(%e : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
    return %1 : tensor<1x2x16x16xf32>
  }
}
