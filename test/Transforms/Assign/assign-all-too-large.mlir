// Every operation that is too large by itself is named, the largest first, and
// only what would help is offered.

// RUN: not npu-opt %s --npu-assign-distributions="tiles=2 in-steps=false" 2>&1 | FileCheck %s
// RUN: not npu-opt %s --npu-assign-distributions="tiles=2 in-steps=false storage=tiled2d" 2>&1 | FileCheck %s --check-prefix=IMAGES
// RUN: npu-opt %s --npu-assign-distributions="tiles=6 in-steps=false" -o /dev/null

// CHECK: [[#@LINE+10]]:10: error: no assignment of layouts fits the scratchpads of npu4000, 2048 bytes each: 'linalg.tanh' takes at least 6144 bytes of one (split d0 over 2), whatever else is in use
// CHECK: [[#@LINE+8]]:10: note: 'linalg.exp' takes at least 3072 bytes of one (split d0 over 2), whatever else is in use
// CHECK: note: what would help: scratchpads of 6144 bytes; tiles=6, which npu4000 has; elements of 8 bits
// IMAGES: note: what would help: {{.*}}; storage=linear, which needs no room for images
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "npu4000", "npu.scratchpad_bytes" = 2048 : i64>>} {
  func.func @main(%x: tensor<96x16xf32>, %y: tensor<96x32xf32>) -> (tensor<96x16xf32>, tensor<96x32xf32>) {
    %e = tensor.empty() : tensor<96x16xf32>
    %f = tensor.empty() : tensor<96x32xf32>
    %0 = linalg.exp ins(%x : tensor<96x16xf32>) outs(%e : tensor<96x16xf32>) -> tensor<96x16xf32>
    %1 = linalg.tanh ins(%y : tensor<96x32xf32>) outs(%f : tensor<96x32xf32>) -> tensor<96x32xf32>
    return %0, %1 : tensor<96x16xf32>, tensor<96x32xf32>
  }
}
