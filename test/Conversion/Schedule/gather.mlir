// Of what a gather takes from DDR, the rows that it names count, and not the
// tensor that they are rows of: neither in the bytes that move nor in the bound.

// RUN: npu-opt %s --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-opt %s --npu-compile="compile-from=legal compile-to=scratchpad gather=allow" --npu-print-schedule="format=json output-file=%t.json" -o /dev/null
// RUN: FileCheck %s < %t.json
// RUN: %S/../../check_schedule.py %t.json | FileCheck %s --check-prefix=CHECKED

// 12 rows of 128 bytes are read and written, and 48 bytes of indices are read.
// COSTS: 3120 bytes from and to DDR, at least 3120
// CHECKED: nothing wrong
// CHECK: "ddr_bytes": 3120,
// CHECK: "ddr_bytes_bound": 3120,

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu3720">>} {
  func.func @rows(%table: tensor<1000x64xf16>, %at: tensor<12x1xi32>) -> tensor<12x64xf16> {
    %rows = npu.gather %table at %at : tensor<1000x64xf16>, tensor<12x1xi32> -> tensor<12x64xf16>
    return %rows : tensor<12x64xf16>
  }
}
