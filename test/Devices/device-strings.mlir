// What device strings mean through the tools: one grammar and one precedence
// for npu-opt and npu-run; test/unit/Target has the table of all strings.
//
// RUN: npu-opt %s --npu-compile="print-device compile-to=legal" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: device HETERO:NPU,CPU, of the default
// DEFAULT-NEXT: command line (device): not given
// DEFAULT-NEXT: file (npu.device): not given
// DEFAULT-NEXT: environment (NPU_DEVICE): not given
// DEFAULT-NEXT: default: HETERO:NPU,CPU, counts
// DEFAULT-NEXT: meaning: each operation runs on the first of NPU, CPU that can run it, or there is an error
// DEFAULT-NEXT: NPU.0: simulated, mine, which the module describes
//
// RUN: env NPU_DEVICE=CPU npu-run %s --print-device 2>&1 | FileCheck %s --check-prefix=ENV
// ENV: device CPU, of the environment
// ENV: default: HETERO:NPU,CPU, does not count
//
// RUN: sed 's/module attributes {/&npu.device = "npu:", /;s/npu:/0/' %s > %t.mlir
// RUN: env NPU_DEVICE=CPU npu-run %t.mlir --print-device 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: env NPU_DEVICE=, npu-run %t.mlir --device=HETERO:mine,CPU --print-device 2>&1 | FileCheck %s --check-prefix=COMMAND
// FILE: device NPU, of the file
// FILE: file (npu.device): 0, counts
// FILE-NEXT: environment (NPU_DEVICE): CPU, does not count
// COMMAND: device HETERO:mine,CPU, of the command line
// COMMAND-NEXT: command line (device): HETERO:mine,CPU, counts
// COMMAND-NEXT: file (npu.device): 0, does not count
// COMMAND-NEXT: environment (NPU_DEVICE): ,, does not count
//
// Without one of the options, npu-compile does what it always did, and says that
// the file's device does not count.
// RUN: npu-opt %t.mlir --npu-compile -o /dev/null 2>&1 | FileCheck %s --check-prefix=IGNORED
// IGNORED: warning: 'npu.device' = "0" does not count without one of device, strict-device and print-device of npu-compile
//
// RUN: not npu-run %s --device=GPU 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: device of the command line (device): unknown device 'GPU', expected NPU (NPU.0, 0), CPU, npu3720, npu4000, mine, HETERO:LIST, AUTO, AUTO:LIST or a LIST as NPU,CPU
// RUN: not npu-opt %s --npu-compile="device=NPU.1" 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: error: device of the command line (device): there is no NPU.1, expected NPU.0 or CPU: this machine has one NPU, which is simulated, and its CPU
// RUN: not npu-opt %s --npu-compile="device=NPU,NPU" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: device of the command line (device): expected each device once, got 'NPU' again
// RUN: not npu-run %s --device="NPU, CPU" 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: error: device of the command line (device): expected a device string without spaces, got 'NPU, CPU'
// RUN: not npu-run %s --device= 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: device of the command line (device): expected a device, got none
// RUN: not env NPU_DEVICE=AUTO: npu-run %s 2>&1 | FileCheck %s --check-prefix=BADENV
// BADENV: error: device of the environment (NPU_DEVICE): expected devices after 'AUTO:', got none
// RUN: not npu-opt %s --npu-compile="device=npu3720 target=npu4000" 2>&1 | FileCheck %s --check-prefix=TARGETS
// TARGETS: error: device of the command line (device): 'npu3720' names the target 'npu3720', which contradicts target 'npu4000'
// RUN: not npu-opt %s --npu-compile="device=NPU gather=warn" 2>&1 | FileCheck %s --check-prefix=GATHER
// GATHER: error: npu-compile: expected no gather=warn beside a device, which says what may run on the CPU

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 2 : i64, "npu.scratchpad_bytes" = 65536 : i64>>} {
  func.func @main(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows> {
    %e = tensor.empty() : tensor<4x4xf32, #rows>
    %y = linalg.exp ins(%x : tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
    return %y : tensor<4x4xf32, #rows>
  }
}
