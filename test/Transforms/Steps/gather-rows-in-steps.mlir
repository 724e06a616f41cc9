// A gather whose table is in DDR runs in steps where its rows do not fit: of positions, and of
// columns where not even one row does. Positions count from the end where they are negative.

// RUN: npu-opt %s --npu-compile=compile-to=assigned -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: npu-opt %t.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-opt %t.mlir --npu-run-in-steps --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-opt %s --npu-compile=compile-to=scratchpad --npu-print-schedule="format=json output-file=%t.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=SCHEDULE < %t.json
// RUN: %S/../../check_schedule.py %t.json | FileCheck %s --check-prefix=CHECKED
// RUN: npu-run %s --entry=rows --compile="device=NPU function=rows" --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=SAME
// RUN: npu-run %s --entry=columns --compile="device=NPU function=columns" --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=SAME
// SAME: {{^}}equal
// CHECKED: nothing wrong

// 40 rows of 100 bytes and the positions, and the result.
// CHECK-LABEL: @rows
// CHECK: npu.steps = {{.*}}loops = array<i64: 0>
// COSTS-LABEL: function @rows
// COSTS: 8160 bytes from and to DDR, at least 8160
// SCHEDULE: "ddr_bytes": 8160,
// SCHEDULE: "ddr_bytes_bound": 8160,
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 512 : i64>>} {
func.func @rows(%table: tensor<300x50xf16>, %at: tensor<40x1xi32>) -> tensor<40x50xf16> {
  %0 = npu.gather %table at %at : tensor<300x50xf16>, tensor<40x1xi32> -> tensor<40x50xf16>
  return %0 : tensor<40x50xf16>
}

// One row has 2048 bytes.
// CHECK-LABEL: @columns
// CHECK: npu.steps = {{.*}}loops = array<i64: 0, 1>
// COSTS-LABEL: function @columns
func.func @columns(%table: tensor<300x1024xf16>, %at: tensor<3x1xi32>) -> tensor<3x1024xf16> {
  %0 = npu.gather %table at %at : tensor<300x1024xf16>, tensor<3x1xi32> -> tensor<3x1024xf16>
  return %0 : tensor<3x1024xf16>
}
}
