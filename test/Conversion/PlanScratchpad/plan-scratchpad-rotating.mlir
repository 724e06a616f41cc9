// Buffers of a loop whose rounds fill two slots: one place of two slots in the
// plan, and a view of slot (round mod 2) in each round. The inner loop has 15
// rounds, so that the outer one counts as well.

// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=scratchpad gather=error" | FileCheck %s
// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=scratchpad" | npu-opt --npu-verify-scratchpad-plan -o /dev/null
// RUN: npu-run %s --compile="compile-from=assigned gather=error" -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=scratchpad" | sed 's/mod 2) \* 1024/mod 2) * 64/' | not npu-opt --npu-verify-scratchpad-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=scratchpad" | sed 's/512 + 4096/512 + 4608/' | not npu-opt --npu-verify-scratchpad-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=scratchpad" | sed 's/floordiv 8 /floordiv 0 /' | not npu-opt --npu-verify-scratchpad-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=DIVIDED
// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=scratchpad" | sed 's/mod 2) \* 1024/mod 2) * 9223372036854775807/' | not npu-opt --npu-print-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=HUGE

// CHECK-DAG: #[[INNER:.*]] = affine_map<(d0, d1) -> (((d0 floordiv 8 + (d1 floordiv 16) * 15) mod 2) * 1024{{.*}})>
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[PLACE:.*]] = affine.apply #[[INNER]](%[[J]], %[[I]])
// CHECK: memref.view %{{.*}}[%[[PLACE]]][]
// CHECK: npu.slots = 2 : i64, npu.steps
// EQUAL: equal
// NARROW: expected slots of at least 1024 bytes, a multiple of 64, in tile {{.}}'s arena, got 64
// DIVIDED: expected a constant offset in tile {{.}}'s arena, or (ROUND mod SLOTS) * BYTES + OFFSET
// HUGE: error: expected slots of at least 1024 bytes
// OVERLAP: the plan of tile {{.}}'s scratchpad is wrong

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu3720">>} {
  func.func @main(%a: tensor<64x120xf32>, %b: tensor<120x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %m = linalg.matmul {npu.steps = {loops = array<i64: 0, 2>, sizes = array<i64: 16, 8>, slots = array<i64: 2, 2>,
            layouts = [#npu.layout<DUPLICATED, tiles = 2>, #npu.layout<DUPLICATED, tiles = 2>, #npu.layout<DUPLICATED, tiles = 2>]}}
        ins(%a, %b : tensor<64x120xf32>, tensor<120x32xf32>)
        outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
    return %m : tensor<64x32xf32>
  }
}
