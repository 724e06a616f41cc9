// Steps store straight to the result's place in DDR: nothing falls back to the
// host, and no part of the result is copied. A product of a full-size model runs
// on a device as it is.

// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=scratchpad gather=error" | FileCheck %s
// RUN: npu-opt %s --npu-run-in-steps | npu-opt --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS

// CHECK: func.func @main({{.*}}memref<1171456xi8, 1> {npu.arena = 0 : i64}
// CHECK: scf.for
// CHECK-NOT: memref.copy {{.*}}strided
// CHECK: scf.for
// CHECK-NOT: memref.copy {{.*}}strided
// CHECK: memref.subview %{{.*}} [256, 2368] [1, 1]
// CHECK-NOT: memref.copy {{.*}}strided
// CHECK: memref.subview %{{.*}} [512, 2368] [1, 1]
// CHECK-NOT: memref.copy {{.*}}strided
// COSTS-NOT: tensor.insert_slice
// COSTS: total

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {
  func.func @main(%a: tensor<512x3584xf16>, %b: tensor<3584x18944xf16>) -> tensor<512x18944xf16> {
    %z = arith.constant 0.0 : f16
    %e = tensor.empty() : tensor<512x18944xf16>
    %f = linalg.fill ins(%z : f16) outs(%e : tensor<512x18944xf16>) -> tensor<512x18944xf16>
    %m = linalg.matmul {npu.steps = {loops = array<i64: 1, 2>, sizes = array<i64: 2368, 256>,
            layouts = [#npu.layout<DUPLICATED, tiles = 4>, #npu.layout<SEGMENTED, tiles = [1, 4]>, #npu.layout<SEGMENTED, tiles = [1, 4]>]}}
        ins(%a, %b : tensor<512x3584xf16>, tensor<3584x18944xf16>)
        outs(%f : tensor<512x18944xf16>) -> tensor<512x18944xf16>
    return %m : tensor<512x18944xf16>
  }
}
