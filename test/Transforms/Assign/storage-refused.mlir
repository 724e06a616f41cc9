// Storage kinds that a device does not have, images that are larger than its
// images, and attributes where they mean nothing.

// RUN: not npu-opt %s --split-input-file --npu-assign-distributions="tiles=2" 2>&1 | FileCheck %s
// RUN: not npu-opt %s --split-input-file --npu-assign-distributions="tiles=2 storage=tiled2d" 2>&1 | FileCheck %s --check-prefix=FORCED
// RUN: not npu-opt %S/Inputs/images.mlir --npu-assign-distributions="tiles=2 storage=image" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: npu-assign-distributions: expected storage=auto, linear or tiled2d, got 'image'

// What is too large for an image is linear, unless an image is asked for.
// RUN: sed -n '/LARGE BEGINS/,/LARGE ENDS/p' %s | npu-opt --npu-assign-distributions="target=npu4000 tiles=2" --remarks-filter=npu --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: Reason="linear: 16385 places in a row of its image, and npu4000 has at most 16384"

// LARGE BEGINS
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {
  // FORCED: :[[#@LINE+1]]:3: error: expected %arg0 to fit an image, which storage=tiled2d asks for, got 16385 places in a row of its image, and npu4000 has at most 16384
  func.func @large(%x: tensor<1x4x2x16385xf32>) -> tensor<1x4x2x16385xf32> {
    %e = tensor.empty() : tensor<1x4x2x16385xf32>
    // FORCED: :[[#@LINE+1]]:10: error: expected %1 to fit an image, which storage=tiled2d asks for
    %0 = linalg.exp ins(%x : tensor<1x4x2x16385xf32>) outs(%e : tensor<1x4x2x16385xf32>) -> tensor<1x4x2x16385xf32>
    return %0 : tensor<1x4x2x16385xf32>
  }
}
// LARGE ENDS

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.image_extent" = 64 : i64>>} {
  func.func @asked(%x: tensor<1x4x65x2xf32>) -> tensor<1x4x65x2xf32> {
    %e = tensor.empty() : tensor<1x4x65x2xf32>
    // CHECK: :[[#@LINE+1]]:10: error: expected %1 to fit an image, which its 'npu.storage' asks for, got 65 rows of its image, and npu4000 has at most 64
    %0 = linalg.exp {npu.storage = "tiled2d"} ins(%x : tensor<1x4x65x2xf32>) outs(%e : tensor<1x4x65x2xf32>) -> tensor<1x4x65x2xf32>
    return %0 : tensor<1x4x65x2xf32>
  }
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.storage_kinds" = ["linear"]>>} {
  // CHECK: :[[#@LINE+2]]:3: error: expected 'npu.storage' of %arg0 to be a storage kind of npu4000 (linear), got "tiled2d"
  // FORCED: error: npu-assign-distributions: expected storage=auto or a storage kind of npu4000 (linear), got storage=tiled2d
  func.func @none(%x: tensor<1x4x2x2xf32> {npu.storage = "tiled2d"}) -> tensor<1x4x2x2xf32> {
    return %x : tensor<1x4x2x2xf32>
  }
}

// -----

func.func @rank(%x: tensor<4x2x2xf32>) -> tensor<4x2x2xf32> {
  %e = tensor.empty() : tensor<4x2x2xf32>
  // CHECK: :[[#@LINE+1]]:8: error: 'linalg.exp' op expected 'npu.storage' = "tiled2d" on a tensor of rank 4, got 'tensor<4x2x2xf32>'
  %0 = linalg.exp {npu.storage = "tiled2d"} ins(%x : tensor<4x2x2xf32>) outs(%e : tensor<4x2x2xf32>) -> tensor<4x2x2xf32>
  return %0 : tensor<4x2x2xf32>
}

// -----

// CHECK: error: 'func.func' op argument #0: expected 'npu.storage' = "tiled2d" on a tensor of rank 4, got 'tensor<4xf32>'
func.func private @argument(%x: tensor<4xf32> {npu.storage = "tiled2d"})

// -----

// CHECK: error: target description: expected a list of storage kinds as npu.storage_kinds, "linear" and perhaps "tiled2d", each once, the preferred one first, got ["tiled2d"]
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.storage_kinds" = ["tiled2d"]>>} {
  func.func @kinds(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// CHECK: error: target description: expected "npu.image_extent" to be at least 1, got 0
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.image_extent" = 0 : i64>>} {
  func.func @extent(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// Written layouts of kinds that the device does not have.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.storage_kinds" = ["linear"]>>} {
  // CHECK: error: expected %arg0 in a storage kind of npu4000 (linear), got tiled2d
  func.func @written(%x: tensor<1x4x4x2xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], storage = tiled2d>>) {
    return
  }
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.image_extent" = 3 : i64>>} {
  // CHECK: error: expected %arg0 on tile 0 to fit an image, got 4 rows of its image, and npu4000 has at most 3
  func.func @larger(%x: tensor<1x4x8x2xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], storage = tiled2d>>) {
    return
  }
}
