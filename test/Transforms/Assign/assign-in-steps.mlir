// Operations that are too large for the scratchpads run in steps: which loops are cut,
// into which sizes and on which tiles has the least cost, and stands on the operation.

// RUN: npu-opt %s --split-input-file --npu-assign-distributions --remarks-filter=npu --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=PLANS
// PLANS: cycles, proved least; {{[1-9][0-9]*}} plans of steps judged, {{[1-9][0-9]*}} costed with their splits
// RUN: not npu-opt %s --split-input-file --npu-assign-distributions=in-steps=false -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE

// What it costs is the same before and after it becomes loops, and what was told.
// RUN: npu-opt %s --split-input-file --npu-assign-distributions --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-opt %s --split-input-file --npu-assign-distributions --npu-run-in-steps --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS

// Rows of the activations stay on tiles, columns of the weight come in steps, and so
// does the result.
// CHECK-LABEL: func.func @columns
// CHECK: %[[A:.*]] = npu.redistribute %arg0
// CHECK: linalg.matmul {npu.steps = {layouts = [#[[A0:.*]], #{{.*}}, #{{.*}}], loops = array<i64: 1>, sizes = array<i64: {{[0-9]+}}>{{.*}}}}
// CHECK-SAME: ins(%[[A]], %arg1 : tensor<64x512xf16, #[[A0]]>, tensor<512x16384xf16>)
// WHOLE: error: no assignment of layouts fits the scratchpads of d, 262144 bytes each: 'linalg.matmul' takes at least
// REMARK: 'linalg.matmul' runs as 'in steps of {{[0-9]+}} of d1, {{.*}}' at [[COST:[0-9]+]] cycles
// COSTS: function @columns
// COSTS: {{^}}  [[#COLUMNS:]]  total
// COSTS: bytes from and to DDR, at least 18939904
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "d", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 262144>>} {
  func.func @columns(%a: tensor<64x512xf16>, %b: tensor<512x16384xf16>) -> tensor<64x16384xf16> {
    %z = arith.constant 0.0 : f16
    %e = tensor.empty() : tensor<64x16384xf16>
    %f = linalg.fill ins(%z : f16) outs(%e : tensor<64x16384xf16>) -> tensor<64x16384xf16>
    %m = linalg.matmul ins(%a, %b : tensor<64x512xf16>, tensor<512x16384xf16>) outs(%f : tensor<64x16384xf16>) -> tensor<64x16384xf16>
    return %m : tensor<64x16384xf16>
  }
}

// -----

// Steps of a sum keep it on tiles, in its order.
// CHECK-LABEL: func.func @terms
// CHECK: linalg.matmul {npu.steps = {layouts = [{{.*}}, {{.*}}, #[[C:.*]]], loops = array<i64: 2>
// CHECK-SAME: -> tensor<16x16xf16, #[[C]]>
// WHOLE: error: no assignment of layouts fits the scratchpads of d, 4096 bytes each
// REMARK: 'linalg.matmul' runs as 'in steps of {{[0-9]+}} of d2, {{.*}}'
// COSTS: function @terms
// COSTS: total
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "d", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 4096>>} {
  func.func @terms(%a: tensor<16x4096xf16>, %b: tensor<4096x16xf16>) -> tensor<16x16xf16> {
    %z = arith.constant 0.0 : f16
    %e = tensor.empty() : tensor<16x16xf16>
    %f = linalg.fill ins(%z : f16) outs(%e : tensor<16x16xf16>) -> tensor<16x16xf16>
    %m = linalg.matmul ins(%a, %b : tensor<16x4096xf16>, tensor<4096x16xf16>) outs(%f : tensor<16x16xf16>) -> tensor<16x16xf16>
    return %m : tensor<16x16xf16>
  }
}

// -----

// A concatenation that is too large stays in DDR.
// CHECK-LABEL: func.func @beside
// CHECK: tensor.concat dim(0) %arg0, %arg1 : (tensor<512x16xf16>, tensor<512x16xf16>) -> tensor<1024x16xf16>
// WHOLE: error: no assignment of layouts fits the scratchpads of d, 4096 bytes each: 'tensor.concat' takes at least
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "d", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 4096>>} {
  func.func @beside(%a: tensor<512x16xf16>, %b: tensor<512x16xf16>) -> tensor<1024x16xf16> {
    %c = tensor.concat dim(0) %a, %b : (tensor<512x16xf16>, tensor<512x16xf16>) -> tensor<1024x16xf16>
    return %c : tensor<1024x16xf16>
  }
}

// -----

// A pad of what steps read is made in these steps, so that nobody stores it.
// CHECK-LABEL: func.func @bordered
// CHECK: %[[P:.*]] = tensor.pad %arg0
// CHECK: {npu.steps = {layouts = []}} : tensor<1x160x160x16xf16> to tensor<1x162x162x16xf16>
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}npu.steps = {layouts = [{{.*}}], loops = array<i64: {{[12]}}
// CHECK-SAME: ins(%[[P]],
// WHOLE: error: no assignment of layouts fits the scratchpads of d, 65536 bytes each
// REMARK: 'linalg.conv_2d_nhwc_hwcf' runs as 'in steps of {{.*}}, with 1 before it'
// COSTS: function @bordered
// COSTS: total
// COSTS: bytes from and to DDR, at least 1643008 (arguments, constants and results once)
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "d", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 65536>>} {
  func.func @bordered(%x: tensor<1x160x160x16xf16>, %w: tensor<3x3x16x16xf16>) -> tensor<1x160x160x16xf16> {
    %z = arith.constant 0.0 : f16
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %z : f16
    } : tensor<1x160x160x16xf16> to tensor<1x162x162x16xf16>
    %e = tensor.empty() : tensor<1x160x160x16xf16>
    %f = linalg.fill ins(%z : f16) outs(%e : tensor<1x160x160x16xf16>) -> tensor<1x160x160x16xf16>
    %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
        ins(%p, %w : tensor<1x162x162x16xf16>, tensor<3x3x16x16xf16>) outs(%f : tensor<1x160x160x16xf16>) -> tensor<1x160x160x16xf16>
    return %r : tensor<1x160x160x16xf16>
  }
}
