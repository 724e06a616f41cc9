// What becomes of a model on each device, where tiles can do all but one
// operation of it: NPU refuses that operation by name, HETERO and AUTO let the
// CPU do it, CPU and the list get everything to the CPU, and every program
// computes the same.
//
// RUN: not npu-opt %s --npu-compile="target=npu4000 device=NPU" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NPU
// RUN: not npu-opt %s --npu-compile="target=npu4000 strict-device" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NPU
// RUN: not npu-opt %s --npu-compile="target=npu4000 device=AUTO strict-device" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NPU
// RUN: not npu-opt %s --npu-compile="target=npu4000 device=HETERO:NPU" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NPU
// NPU: compile-for-device.mlir:[[@LINE+36]]:8: error: 'tensor.gather' falls back to the host: each tile would hold the 524288 bytes that positions are in, more than a quarter of its scratchpad
// NPU: note: the device is the NPU alone; HETERO:NPU,CPU lets the CPU do what the NPU cannot
//
// RUN: npu-opt %s --npu-compile="target=npu4000 device=HETERO:NPU,CPU placement-report=%t.txt" -o %t.hetero.mlir 2>/dev/null
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=MIXED
// RUN: npu-run %t.hetero.mlir --reference=%s --inputs=small-integers --placement-report --device=HETERO:npu4000,CPU | FileCheck %s --check-prefix=BOTH
// RUN: npu-opt %s --npu-compile="target=npu4000 device=AUTO placement-report=%t.txt" -o /dev/null 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=MIXED
// MIXED: function @main: 12 operations on the NPU, 1 on the host
// MIXED-NEXT: 524288 bytes from tiles to the host, 524288 back
// MIXED-DAG: NPU.0 tiles 0-3 1 0 0 linalg.matmul f32xf32->f32
// MIXED-DAG: CPU 1 524288 524288 call of @main_host_0
// AUTO: remark: device AUTO: NPU does not take the whole model ('tensor.gather' falls back to the host{{.*}}), so that it is HETERO:NPU,CPU
//
// RUN: npu-opt %s --npu-compile="device=CPU placement-report=%t.txt" -o %t.cpu.mlir
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=HOST
// RUN: npu-opt %s --npu-compile="device=NPU,CPU compile-to=tiles placement-report=%t.txt" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=HOST
// RUN: npu-opt %s --npu-compile="device=HETERO:CPU,NPU placement-report=%t.txt" -o /dev/null
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=HOST
// RUN: npu-run %t.cpu.mlir --reference=%s --device=CPU --placement-report | FileCheck %s --check-prefix=BOTH
// HOST: function @main: 0 operations on the NPU, 4 on the host
// HOST-NOT: NPU.0
// HOST: linalg.matmul f32xf32->f32
// LIST: remark: device NPU,CPU: NPU does not take the whole model ({{.*}}), so that it is CPU
// BOTH: {{^}}equal
// BOTH: placement: every operation was executed where the report says
//
// RUN: not npu-run %t.hetero.mlir --device=npu3720 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: the program is for target 'npu4000', and the device npu3720 is 'npu3720'

func.func @main(%x: tensor<4096x48xf32>, %w: tensor<48x32xf32>, %i: tensor<4096x1xindex>) -> tensor<4096x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4096x48xf32>, tensor<48x32xf32>) outs(%f : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  %g = tensor.gather %y[%i] gather_dims([0]) : (tensor<4096x32xf32>, tensor<4096x1xindex>) -> tensor<4096x32xf32>
  %z = linalg.tanh ins(%g : tensor<4096x32xf32>) outs(%e : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  return %z : tensor<4096x32xf32>
}
