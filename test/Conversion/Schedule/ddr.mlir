// Loads and stores of one tile alone count, as they do of several: only arguments
// and results that have a layout are there before and after.

// RUN: npu-opt %s --npu-compile="compile-from=assigned gather=allow" --npu-print-schedule="format=json" -o /dev/null > %t.json
// RUN: FileCheck %s < %t.json
// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=legal gather=allow" --npu-print-costs -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=COSTS

// COSTS: 65536 bytes from and to DDR
// CHECK: "ddr_bytes": 65536,
// CHECK: "ddr_bytes_bound": 65536,
// CHECK: "what": "load"

#one = #npu.layout<DUPLICATED, tiles = 1>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu3720">>} {
  func.func @one_tile(%t: tensor<64x256xf16>) -> tensor<64x256xf16> {
    %e = tensor.empty() : tensor<64x256xf16>
    %x = linalg.exp {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 16>, slots = array<i64: 2>, layouts = [#one, #one]}}
        ins(%t : tensor<64x256xf16>) outs(%e : tensor<64x256xf16>) -> tensor<64x256xf16>
    return %x : tensor<64x256xf16>
  }
}
